import AppContainer
import CommandSupport
import TrendyAgent
import TrendyTrips

struct TripRuleAddCommand: Command {
  static let spec = CommandSpec(
    "trip rule add", .one("name", .text, "name"), .one("category", .tripCategory, "category"),
    summary: "Add a rule that classifies trips; the first match decides, and your rules replace the standard ones.",
    group: .drive, examples: ["trip rule add commute business --place Office"],
    options: ConditionOptions.all + [
      OptionSpec("--position", value: "n", kind: .number, help: "position in the list (default: last)")
    ], columns: ["id", "name", "category"])

  private let name: String
  private let category: TripCategory
  /// Position of the rule in the list, or `nil` to append it.
  private let position: Double?
  private let conditions: ConditionOptions

  init(_ session: Session) throws {
    let words = session.arguments.positionals
    name = words[0]
    guard session.isName(name) else { throw Self.unusable(name, session) }
    position = try session.arguments.value("--position").map { text in
      guard let number = Double(text), number.isFinite else {
        throw session.usageError(
          "The value '\(text)' is invalid for '--position'", hint: "Use a number, for example 1 for the first rule.")
      }
      return number
    }
    category = try session.category(words[1])
    conditions = try ConditionOptions(session)
  }

  private static func unusable(_ name: String, _ session: Session) -> CommandError {
    session.usageError("Invalid rule name '\(name)'", hint: "Use one line and a name that no other rule has.")
  }

  func act(_ session: Session) throws -> RuleList {
    let container = try session.openStore()
    let store = container.makeStore()
    let rules = try store.tripRules()
    if rules.contains(where: { $0.name.lowercased() == name.lowercased() }) { throw Self.unusable(name, session) }
    let rule = TripRule(
      id: container.makeID(), name: name, position: position ?? (rules.last?.position ?? 0) + 1, category: category,
      conditions: try conditions.conditions(in: store))
    try container.record.perform("add rule \(rule.name)", [.rule(rule)])
    return try RuleList(rules: [rule], in: store)
  }

  func show(_ answer: RuleList, _ session: Session) -> ExitCode { answer.show(session) }
}
