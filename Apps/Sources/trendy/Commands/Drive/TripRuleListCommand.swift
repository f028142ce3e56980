import AppContainer
import CommandSupport
import TrendyTrips

struct TripRuleListCommand: Command {
  static let spec = CommandSpec(
    "trip rule list", summary: "List rules in the order in which they apply.", group: .drive,
    examples: ["trip rule list"], columns: ["id", "name", "category"])

  init(_ session: Session) {}

  /// Returns the user's own rules, without the standard rules.
  func act(_ session: Session) throws -> RuleList {
    let store = try session.openStore().makeStore()
    return try RuleList(rules: store.tripRules(), in: store)
  }

  func show(_ answer: RuleList, _ session: Session) -> ExitCode {
    guard answer.rules.isEmpty else { return answer.show(session) }
    if session.console.format == .text {
      session.console.talk("No rules of your own. These standard rules apply when a place has the role office:")
    }
    return RuleList(rules: TripRule.standard).show(session)
  }
}
