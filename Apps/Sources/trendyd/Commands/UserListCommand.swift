import CommandSupport
import HubContainer
import TrendyHub
import TrendyModels

/// `trendyd user list`
struct UserListCommand: DaemonCommand {
  static let spec = CommandSpec(
    "user list", summary: "Who keeps a record here.", group: .people, examples: ["user list"], options: [.data])

  /// A person, and how many devices of theirs may come in.
  struct Row {
    var person: HubPerson
    var deviceCount: Int
  }

  init(_ session: DaemonSession) {}

  func act(_ session: DaemonSession) throws -> [Row] {
    let accounts = try session.existingHub().accounts
    let people = try PeopleLookup(accounts: accounts).everyone()
    let devices = try accounts.devices()
    return people.map { person in
      Row(person: person, deviceCount: devices.count { $0.person == person.id && $0.revokedAt == nil })
    }
  }

  func show(_ answer: [Row], _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendyd.users/1", [("users", .array(answer.map(\.json)))])
    }
    for row in answer { session.console.text(row.line) }
    return .done
  }
}

extension UserListCommand.Row {
  fileprivate var json: JSONText {
    .object(
      person.members + [
        ("created_at", .string(RFC3339.string(from: person.createdAt))), ("devices", .number(deviceCount)),
        ("removed_at", .string(person.removedAt.map { RFC3339.string(from: $0) })),
        ("erasing", .bool(person.isErasing)),
      ])
  }

  fileprivate var line: String {
    let end = person.removedAt.map { "  removed \($0.day)\(person.isErasing ? ", being erased" : "")" } ?? ""
    let devices = "\(deviceCount) device\(deviceCount == 1 ? "" : "s")"
    return "\(person.name)  \(devices)  since \(person.createdAt.day)\(end)"
  }
}
