import AppContainer
import CommandSupport
import TrendyAgent
import TrendyTrips

struct TripRuleRemoveCommand: Command {
  static let spec = CommandSpec(
    "trip rule rm", .one("name", .rule, "name"), summary: "Delete a rule; trips keep their classification.",
    group: .drive,
    examples: ["trip rule rm commute"])

  private let name: String

  init(_ session: Session) { name = session.arguments.positionals[0] }

  func act(_ session: Session) throws -> TripRule {
    let container = try session.openStore()
    let rule = try rule(among: try container.makeStore().tripRules())
    try container.record.perform("delete rule \(rule.name)", [], before: [.rule(rule)])
    return rule
  }

  private func rule(among rules: [TripRule]) throws(CommandError) -> TripRule {
    let found = Lookup.named(name, among: rules, name: \.name)
    if !found.isEmpty {
      return try Lookup.only(
        found, "rules", name: \.name, hint: "List rules with their ids: trendy trip rule list --json")
    }
    let near = Suggestion.nearest(to: name, among: rules.map(\.name))
    throw CommandError(
      "Trip rule '\(name)' not found",
      hint: near.map { "Did you mean '\($0)'?" } ?? "List rules: trendy trip rule list",
      exit: .notFound)
  }

  func show(_ answer: TripRule, _ session: Session) -> ExitCode {
    session.console.done("Deleted: \(answer.name)")
    return .done
  }
}
