import CommandSupport
import HubContainer
import TrendyHub
import TrendyModels

/// `trendyd token list`
struct TokenListCommand: DaemonCommand {
  static let spec = CommandSpec(
    "token list", summary: "The devices that may come in.", group: .people, examples: ["token list"],
    options: [OptionSpec("--name", value: "person", kind: .text, help: "this one's devices alone"), .data])

  /// A device, and whose it is.
  struct Row {
    var device: HubDevice
    /// `nil` where the hub knows the person no more.
    var personName: String?
  }

  private let ownerName: String?

  init(_ session: DaemonSession) { ownerName = session.arguments.value("--name") }

  func act(_ session: DaemonSession) throws -> [Row] {
    let accounts = try session.existingHub().accounts
    let lookup = PeopleLookup(accounts: accounts)
    let names = try lookup.names()
    let owner = try ownerName.map { try lookup.person(called: $0) }
    return try accounts.devices(person: owner?.id).map { Row(device: $0, personName: names[$0.person]) }
  }

  func show(_ answer: [Row], _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendyd.tokens/1", [("tokens", .array(answer.map(\.json)))])
    }
    if answer.isEmpty { session.console.text("No device has a token yet: trendyd pair") }
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
    let end = device.revokedAt.map { "revoked \($0.day)" } ?? "good"
    return "\(device.id)  \(device.name)  \(personName ?? "nobody")  since \(device.createdAt.day)  \(end)"
  }
}
