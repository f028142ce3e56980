import CommandSupport
import HubContainer
import TrendyHub

/// `trendyd user restore`
struct UserRestoreCommand: DaemonCommand {
  static let spec = CommandSpec(
    "user restore", .one("name", .text, "name"), summary: "Restore a removed user.",
    group: .people, examples: ["user restore Ada"], options: [.data])

  private let name: String

  init(_ session: DaemonSession) { name = session.arguments.positionals[0] }

  func act(_ session: DaemonSession) throws -> HubPerson {
    let accounts = try session.existingHub().accounts
    let person = try PeopleLookup(accounts: accounts).person(name, among: accounts.removedPeople())
    try accounts.restore(person: person.id)
    return person
  }

  func show(_ answer: HubPerson, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendyd.user/1", answer.members + [("removed", .bool(false))])
    }
    session.console.done("Restored \(answer.name) with all data. Pair the devices again:")
    session.console.done("trendyd pair --name '\(answer.name)'")
    return .done
  }
}
