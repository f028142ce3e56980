import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels

/// Comparison of the store with the hub by `trendy doctor`.
struct HubCheckup {
  let json: JSONText
  /// Whether store and hub have the same content, or `nil` if the hub could not be reached.
  let agrees: Bool?
  let lines: [String]

  /// Compares the store with the hub and, if `isRepairing`, repairs differences. Returns `nil` if the store is not
  /// connected to a hub.
  init?(_ session: Session, isRepairing: Bool) throws {
    guard let account = try session.openStore().accountFile.load() else { return nil }
    let answer = try NetworkProgram.answer(
      to: ["compare", "--store", session.storeDirectory.path] + (isRepairing ? ["--repair"] : []))
    json = .value(answer)
    let members = answer.objectValue ?? [:]
    if let error = members["error"]?.objectValue {
      agrees = nil
      lines =
        ["Cannot compare with the hub: \(error["message"]?.stringValue ?? "no response")."]
        + (error["hint"]?.stringValue.map { [$0] } ?? [])
      return
    }
    agrees = members["agrees"]?.boolValue ?? false
    let kinds = members["kinds"]?.arrayValue?.compactMap(\.objectValue) ?? []
    var lines: [String] = []
    if let repair = members["repair"]?.objectValue {
      lines.append("Repaired. A backup is in \(repair["backup"]?.stringValue ?? "")")
      if let count = repair["offered"]?.intValue, count > 0 {
        lines.append("Queued again because the hub did not have them: \(Quantity(Int(count), "change"))")
      }
    }
    if agrees == true {
      let counts = kinds.map { kind in
        let name = kind["kind"]?.stringValue?.replacing("_", with: " ") ?? ""
        return "\(Quantity(Int(kind["visible"]?.intValue ?? 0), name))"
      }
      let version = members["version"]?.intValue ?? 0
      lines.append("This store and \(account.hubName) agree at version \(version): \(counts.joined(separator: ", ")).")
    } else {
      lines += Self.differences(kinds, members)
      let isRepairable =
        kinds.contains { $0["agrees"] == false } || members["missing_rows"] != 0 || members["unknown_rows"] != 0
      if !isRepairing, isRepairable { lines.append("To repair, after a backup: trendy doctor --repair") }
    }
    self.lines = lines
  }

  private static func differences(_ kinds: [[String: JSONValue]], _ members: [String: JSONValue]) -> [String] {
    var lines = kinds.compactMap { kind -> String? in
      func count(_ side: String) -> Int64 { kind[side]?.objectValue?["count"]?.intValue ?? 0 }
      let name = kind["kind"]?.stringValue?.replacing("_", with: " ") ?? ""
      let (here, there) = (count("here"), count("hub"))
      guard kind["agrees"] == false else {
        guard let visible = kind["visible"]?.intValue, visible != there else { return nil }
        return "- \(name): \(visible) visible on this device, \(there) on the hub"
      }
      return here == there
        ? "- \(name): \(here) on this device and on the hub, with different contents"
        : "- \(name): \(here) on this device, \(there) on the hub"
    }
    if let missing = members["missing_rows"]?.intValue, missing > 0 {
      lines.append(
        "- \(Quantity(Int(missing), "row")) received from the hub \(missing == 1 ? "is" : "are") missing on this device"
      )
    }
    if let strays = members["unknown_rows"]?.intValue, strays > 0 {
      lines.append(
        "- \(Quantity(Int(strays), "row")) on this device \(strays == 1 ? "is" : "are") neither from the hub nor pending"
      )
    }
    if let rejected = members["rejected_rows"]?.intValue, rejected > 0 {
      lines.append(
        "- \(Quantity(Int(rejected), "row")) of this device \(rejected == 1 ? "was" : "were") rejected by the hub. To resolve: trendy sync conflicts"
      )
    }
    return ["This store and the hub differ:"] + lines
  }
}
