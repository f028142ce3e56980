import CommandSupport
import TrendyModels
import TrendyTrips

/// Trip rules that a command answers with.
struct RuleList {
  var rules: [TripRule]

  func show(_ session: Session) -> ExitCode {
    switch session.console.format {
    case .json: session.console.document("trendy.trip_rules/1", [("trip_rules", .array(rules.map(json)))])
    case .ndjson: for rule in rules { session.console.data("\(json(rule))") }
    case .plain: for rule in rules { session.console.row([rule.id, rule.name, rule.category.rawValue]) }
    case .text: for rule in rules { session.console.text(line(rule)) }
    }
    return .done
  }

  private func json(_ rule: TripRule) -> JSONText {
    .object([("id", .string(rule.id))] + rule.fields.sorted { $0.key < $1.key }.map { ($0.key, .value($0.value)) })
  }

  private func line(_ rule: TripRule) -> String {
    let conditions = rule.fields["conditions"]?.objectValue ?? [:]
    let words = conditions.sorted { $0.key < $1.key }.map { "\($0.key) \(JSONText.value($0.value))" }
    return "\(rule.name)  \(rule.category.rawValue)  \(words.isEmpty ? "always" : words.joined(separator: ", "))"
  }
}
