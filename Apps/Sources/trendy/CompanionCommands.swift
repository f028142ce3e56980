import AgentLink
import TrendyAgent
import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels

extension Command {
  static let companionCommands: [Command] = [
    Command(
      path: ["companion", "pair"], arguments: "<device>",
      summary: "Let another device of yours be told when a trip of this one starts and ends.", group: .drive,
      examples: ["companion pair watch"]
    ) { session in
      _ = try session.positionals(1...1, missing: "the device's name, as the hub knows it")
      return try NetworkProgram.replaceThisProcess(with: session)
    },
    Command(
      path: ["companion", "follow"], arguments: "<device>",
      summary: "Let this device be told when a trip of another starts and ends, such as a phone that posts to the hub.",
      group: .drive,
      examples: ["companion follow phone"]
    ) { session in
      _ = try session.positionals(1...1, missing: "the device's name, as the hub knows it")
      return try NetworkProgram.replaceThisProcess(with: session)
    },
    Command(
      path: ["companion", "list"], arguments: "", summary: "Your devices at the hub, and who tells whom.",
      group: .drive,
      examples: ["companion list"]
    ) { session in
      _ = try session.positionals(0...0, missing: "")
      return try NetworkProgram.replaceThisProcess(with: session)
    },
    Command(
      path: ["companion", "rm"], arguments: "<device>", summary: "Let a device be told no more; from either side.",
      group: .drive,
      examples: ["companion rm watch"]
    ) { session in
      _ = try session.positionals(1...1, missing: "the device's name")
      return try NetworkProgram.replaceThisProcess(with: session)
    },
    Command(
      path: ["companion", "status"], arguments: "",
      summary: "Who is told by this device and by whom it is told, and what is on its way.", group: .drive,
      examples: ["companion status"]
    ) { session in
      let links = try companionStore(session).map { store in
        try store.links().map { ($0, try store.waitingCount(for: $0.id)) }
      }
      switch session.console.format {
      case .json, .ndjson:
        session.console.document(
          "trendy.companions/1",
          [
            (
              "companions",
              .array(
                (links ?? []).map { link, waiting in
                  .object([
                    ("id", .string(link.id)), ("role", .string(link.role.rawValue)), ("device", .string(link.peerName)),
                    ("device_id", .string(link.peerId)), ("last_seq", .number(link.lastSequence)),
                    ("waiting", .number(waiting)),
                  ])
                })
            )
          ])
      case .plain:
        for (link, waiting) in links ?? [] {
          session.console.row([link.role.rawValue, link.peerName, "\(link.lastSequence)", "\(waiting)"])
        }
      case .text:
        for (link, waiting) in links ?? [] {
          session.console.text(
            link.role == .tracker
              ? "tells \(link.peerName): \(link.lastSequence) notices, \(waiting) on their way"
              : "is told by \(link.peerName): \(link.lastSequence) notices")
        }
        if links?.isEmpty ?? true {
          session.console.text("No companions. Make one: trendy companion pair DEVICE, or follow DEVICE")
        }
      }
      return .done
    },
    Command(
      path: ["companion", "notices"], arguments: "",
      summary: "What this device was told as a companion, the newest last.", group: .drive,
      examples: ["companion notices"],
      options: [OptionSpec("--limit", value: "n", help: "at most so many (50; 0 for all)")]
    ) { session in
      _ = try session.positionals(0...0, missing: "")
      let limit = try session.wholeNumber(option: "--limit", in: 0...Int.max) ?? 50
      let store = try companionStore(session)
      let names = Dictionary(
        try store?.links().map { ($0.id, $0.peerName) } ?? [], uniquingKeysWith: { first, _ in first })
      let received = try store?.received(limit: limit == 0 ? .max : limit) ?? []
      let rows = received.map { NoticeText($0.notice, from: names[$0.link] ?? "", session: session) }
      switch session.console.format {
      case .json: session.console.document("trendy.notices/1", [("notices", .array(rows.map(\.json)))])
      case .ndjson: for row in rows { session.console.data("\(row.json)") }
      case .plain: for row in rows { session.console.row(row.plain) }
      case .text:
        for row in rows { session.console.text(row.line) }
        if rows.isEmpty { session.console.text("Nothing was told to this device.") }
      }
      return .done
    },
  ]

  /// `nil` where this device never had a companion, nor was one.
  private static func companionStore(_ session: Session) throws -> CompanionStore? {
    _ = try session.openStore()
    guard CompanionStore.exists(storeDirectory: session.storeDirectory) else { return nil }
    return try CompanionStore(storeDirectory: session.storeDirectory)
  }
}

private struct NoticeText {
  private let notice: CompanionNotice
  private let name: String
  private let session: Session

  init(_ notice: CompanionNotice, from name: String, session: Session) {
    self.notice = notice
    self.name = name
    self.session = session
  }

  /// `Fri 20 Nov 08:30  phone  trip ended  7.45 km`.
  var line: String {
    let year = session.local.components(of: session.now).year
    var parts = [session.local.dayAndTime(notice.at, year: year), name, notice.kind.replacing("_", with: " ")]
    if let metres = notice.data["distance_m"]?.doubleValue { parts.append(LiveText.kilometres(metres)) }
    if let active = notice.data["active"]?.boolValue { parts.append(active ? "a trip goes on" : "no trip goes on") }
    if let hub = notice.data["hub_url"]?.stringValue { parts.append(hub) }
    return parts.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  var plain: [String] {
    ["\(notice.sequence)", session.local.rfc3339(notice.at), name, notice.kind, notice.data["id"]?.stringValue ?? ""]
  }

  var json: JSONText {
    // A token is for the one who uses it.
    let data = notice.data.filter { $0.key != "token" }
    return .object([
      ("seq", .number(notice.sequence)), ("from", .string(name)), ("kind", .string(notice.kind)),
      ("at", .string(session.local.rfc3339(notice.at))), ("data", .value(.object(data))),
    ])
  }
}
