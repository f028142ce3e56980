import CommandSupport
import HubContainer
import TrendyHub

struct UserAddCommand: DaemonCommand {
  static let spec = CommandSpec(
    "user add", .one("name", .text, "name"), summary: "Add a user to the hub.",
    group: .users, examples: ["user add Ada"], options: [.data])

  private let name: String

  init(_ session: DaemonSession) { name = session.arguments.positionals[0] }

  func act(_ session: DaemonSession) throws -> HubUser {
    let accounts = try session.existingHub().accounts
    do {
      return try accounts.createPerson(name: name)
    } catch let problem as Problem {
      // The name is in use, so look up the existing user for the error message.
      guard let known = try accounts.users().first(where: { $0.name.lowercased() == name.lowercased() }) else {
        throw problem
      }
      throw CommandError(
        "User '\(known.name)' already exists",
        hint: "To pair a device: trendyd pair --name \(ShellWords.quoted(known.name))", exit: .cannotCreate)
    }
  }

  func show(_ answer: HubUser, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON { session.console.document("trendyd.user/1", answer.members) }
    session.console.done("Added user \(answer.name).")
    session.console.done("To pair a device:  trendyd pair --name \(ShellWords.quoted(answer.name))")
    return .done
  }
}
