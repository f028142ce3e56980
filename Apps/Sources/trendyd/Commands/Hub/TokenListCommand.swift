import CommandSupport
import HubContainer
import TrendyHub
import TrendyModels

struct TokenListCommand: DaemonCommand {
  static let spec = CommandSpec(
    "token list", summary: "List the devices and tokens of the hub.", group: .users, examples: ["token list"],
    options: [OptionSpec("--name", value: "user", kind: .text, help: "only devices of this user"), .data])

  struct Row {
    var device: HubDevice
    /// Name of the user, or `nil` if all of the user's data was erased.
    var personName: String?
  }

  private let ownerName: String?

  init(_ session: DaemonSession) { ownerName = session.arguments.value("--name") }

  func act(_ session: DaemonSession) throws -> [Row] {
    let accounts = try session.existingHub().accounts
    let lookup = PeopleLookup(accounts: accounts)
    let names = try lookup.names()
    let owner = try ownerName.map { try lookup.user(called: $0) }
    return try accounts.devices(user: owner?.id).map { Row(device: $0, personName: names[$0.user]) }
  }

  func show(_ answer: [Row], _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendyd.tokens/1", [("tokens", .array(answer.map(\.json)))])
    }
    if answer.isEmpty { session.console.text("No devices yet. To pair one: trendyd pair") }
    for row in answer { session.console.text(row.line) }
    return .done
  }
}

extension TokenListCommand.Row {
  fileprivate var json: JSONText {
    .object([
      ("id", .string(device.id)), ("name", .string(device.name)), ("person", .string(personName)),
      ("created_at", .string(RFC3339.string(from: device.createdAt))),
      ("revoked_at", .string(device.revokedAt.map { RFC3339.string(from: $0) })),
    ])
  }

  fileprivate var line: String {
    let end = device.revokedAt.map { "revoked \($0.day)" } ?? "active"
    return "\(device.id.prefix(13))  \(device.name)  \(personName ?? "no user")  since \(device.createdAt.day)  \(end)"
  }
}
