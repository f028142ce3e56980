import CommandSupport
import HubContainer
import TrendyHub

struct UserRemoveCommand: DaemonCommand {
  static let spec = CommandSpec(
    "user rm", .one("name", .text, "name"),
    summary: "Remove a user; with --erase, delete all data of the user.", group: .users,
    examples: ["user rm Ada", "user rm Ada --erase --yes"],
    options: [
      OptionSpec("--erase", help: "permanently delete all data of the user on the hub"),
      OptionSpec("--yes", help: "confirm --erase"), .data,
    ])

  struct Answer {
    var user: HubUser
    /// Whether the data has been erased. `false` if erasure was not requested, or if the running hub will erase the
    /// data later.
    var isErased: Bool
  }

  private let name: String
  private let isErasing: Bool
  private let isSure: Bool

  init(_ session: DaemonSession) {
    name = session.arguments.positionals[0]
    isErasing = session.arguments.has("--erase")
    isSure = session.arguments.has("--yes")
  }

  func act(_ session: DaemonSession) throws -> Answer {
    let hub = try session.existingHub()
    let lookup = PeopleLookup(accounts: hub.accounts)
    // `--erase` also accepts users who were removed earlier.
    let user = try lookup.user(name, among: isErasing ? lookup.everyone() : hub.accounts.users())
    guard !isErasing || isSure else {
      throw CommandError(
        "Confirmation required: this permanently deletes all data of \(user.name) on this hub",
        hint: "Nothing was done. Confirm with --yes. Data on the user's devices and in backups of the hub stays.",
        exit: .usage)
    }
    try hub.accounts.remove(user: user.id, isErasing: isErasing)
    return Answer(user: user, isErased: try isErasing && hub.eraseUnlessServed())
  }

  func show(_ answer: Answer, _ session: DaemonSession) -> ExitCode {
    let (console, name) = (session.console, answer.user.name)
    if console.isJSON {
      console.document(
        "trendyd.user/1", answer.user.members + [("removed", .bool(true)), ("erased", .bool(answer.isErased))])
    }
    switch (isErasing, answer.isErased) {
    case (false, _):
      console.done("Removed \(name). The data is kept, but the user's devices can no longer connect.")
      console.done(
        "To restore:  trendyd user restore '\(name)'    To delete all data:  trendyd user rm '\(name)' --erase")
    case (true, true):
      console.done("Erased all data of \(name). Data on the user's devices and in backups stays.")
    case (true, false):
      console.done("Removed \(name). The running hub erases all data within a minute.")
    }
    return .done
  }
}
