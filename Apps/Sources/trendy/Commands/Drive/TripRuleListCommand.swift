import AppContainer
import CommandSupport
import TrendyTrips

/// `trendy trip rule list`
struct TripRuleListCommand: Command {
  static let spec = CommandSpec(
    "trip rule list", summary: "The rules, in the order in which they are asked.", group: .drive,
    examples: ["trip rule list"], columns: ["id", "name", "category"])

  init(_ session: Session) {}

  /// The person's own rules.
  func act(_ session: Session) throws -> RuleList {
    let store = try session.openStore().makeStore()
    return try RuleList(rules: store.tripRules(), in: store)
  }

  func show(_ answer: RuleList, _ session: Session) -> ExitCode {
    guard answer.rules.isEmpty else { return answer.show(session) }
    if session.console.format == .text {
      session.console.talk("No rules of your own; these decide once a place has the role office:")
    }
    return RuleList(rules: TripRule.standard).show(session)
  }
}
