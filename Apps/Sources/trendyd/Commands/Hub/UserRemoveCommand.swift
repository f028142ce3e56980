import CommandSupport
import HubContainer
import TrendyHub

/// `trendyd user rm`
struct UserRemoveCommand: DaemonCommand {
  static let spec = CommandSpec(
    "user rm", .one("name", .text, "the name"),
    summary: "Shut a person out; with --erase take away all that is kept of them.", group: .people,
    examples: ["user rm Ada", "user rm Ada --erase --yes"],
    options: [
      OptionSpec("--erase", help: "take away all that the hub keeps of the person, for good"),
      OptionSpec("--yes", help: "do erase"), .data,
    ])

  struct Answer {
    var person: HubPerson
    /// `false` also where the hub that runs has yet to do it.
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
    // One who was removed before may still be erased.
    let person = try lookup.person(name, among: isErasing ? lookup.everyone() : hub.accounts.people())
    guard !isErasing || isSure else {
      throw CommandError(
        "Everything that this hub keeps of \(person.name) would be gone for good",
        hint: "Say --yes if that is meant. Their devices keep what they hold, and so does every backup of the hub.",
        exit: .usage)
    }
    try hub.accounts.remove(person: person.id, isErasing: isErasing)
    return Answer(person: person, isErased: try isErasing && hub.eraseUnlessServed())
  }

  func show(_ answer: Answer, _ session: DaemonSession) -> ExitCode {
    let (console, name) = (session.console, answer.person.name)
    if console.isJSON {
      console.document(
        "trendyd.user/1", answer.person.members + [("removed", .bool(true)), ("erased", .bool(answer.isErased))])
    }
    switch (isErasing, answer.isErased) {
    case (false, _):
      console.done("No device of \(name) comes in any more. What they recorded is kept.")
      console.done("Back in:  trendyd user restore '\(name)'    Away for good:  trendyd user rm '\(name)' --erase")
    case (true, true):
      console.done("Everything of \(name) is erased. Their devices keep what they hold, and so do backups.")
    case (true, false):
      console.done("No device of \(name) comes in any more. The hub that runs erases everything within a minute.")
    }
    return .done
  }
}
