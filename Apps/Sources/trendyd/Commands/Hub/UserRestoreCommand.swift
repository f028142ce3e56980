import CommandSupport
import HubContainer
import TrendyHub

struct UserRestoreCommand: DaemonCommand {
  static let spec = CommandSpec(
    "user restore", .one("name", .text, "name"), summary: "Restore a removed user.",
    group: .users, examples: ["user restore Ada"], options: [.data])

  private let name: String

  init(_ session: DaemonSession) { name = session.arguments.positionals[0] }

  func act(_ session: DaemonSession) throws -> HubUser {
    let accounts = try session.existingHub().accounts
    let user = try PeopleLookup(accounts: accounts).user(name, among: accounts.removedPeople())
    try accounts.restore(user: user.id)
    return user
  }

  func show(_ answer: HubUser, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendyd.user/1", answer.members + [("removed", .bool(false))])
    }
    session.console.done("Restored \(answer.name) with all data. To pair a device again:")
    session.console.done("trendyd pair --name '\(answer.name)'")
    return .done
  }
}
