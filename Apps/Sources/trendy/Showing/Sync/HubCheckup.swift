import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels

/// What `trendy doctor` has of the hub: whether both hold the same, or why the hub could not be asked.
struct HubCheckup {
  let json: JSONText
  /// `nil` where the hub could not be asked: that says nothing of the store.
  let agrees: Bool?
  let lines: [String]

  /// `nil` for a store that is connected to no hub.
  init?(_ session: Session, isRepairing: Bool) throws {
    guard let account = try session.openStore().accountFile.load() else { return nil }
    let answer = try NetworkProgram.answer(
      to: ["compare", "--store", session.storeDirectory.path] + (isRepairing ? ["--repair"] : []))
    json = .value(answer)
    let members = answer.objectValue ?? [:]
    if let error = members["error"]?.objectValue {
      agrees = nil
      lines =
        ["The hub could not be asked: \(error["message"]?.stringValue ?? "no answer")."]
        + (error["hint"]?.stringValue.map { [$0] } ?? [])
      return
    }
    agrees = members["agrees"]?.boolValue ?? false
    let kinds = members["kinds"]?.arrayValue?.compactMap(\.objectValue) ?? []
    var lines: [String] = []
    if let repair = members["repair"]?.objectValue {
      lines.append("Mended. What was here before is kept in \(repair["backup"]?.stringValue ?? "")")
      if let count = repair["offered"]?.intValue, count > 0 {
        lines.append("Offered again to the hub, which lacked it: \(Quantity(Int(count), "change"))")
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
      if !isRepairing, isRepairable { lines.append("Set right, a backup first: trendy doctor --repair") }
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
        return "- \(name): \(visible) shown here, \(there) at the hub"
      }
      return here == there
        ? "- \(name): \(here) here and at the hub, not all in the same state"
        : "- \(name): \(here) here, \(there) at the hub"
    }
    if let missing = members["missing_rows"]?.intValue, missing > 0 {
      lines.append(
        "- \(Quantity(Int(missing), "row")) that the hub gave \(missing == 1 ? "is" : "are") gone from this store")
    }
    if let strays = members["unknown_rows"]?.intValue, strays > 0 {
      lines.append(
        "- \(Quantity(Int(strays), "row")) here that the hub never gave, and that no waiting change accounts for")
    }
    if let rejected = members["rejected_rows"]?.intValue, rejected > 0 {
      lines.append("- \(Quantity(Int(rejected), "row")) here that the hub rejected. Decide: trendy sync conflicts")
    }
    return ["This store and the hub do not hold the same:"] + lines
  }
}
