import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct RuleList {
  var rules: [TripRule]
  /// Place and vehicle names, keyed by id.
  var names: [String: String] = [:]

  func show(_ session: Session) -> ExitCode {
    switch session.console.format {
    case .json: session.console.document("trendy.trip_rules/1", [("trip_rules", .array(rules.map(json)))])
    case .ndjson: for rule in rules { session.console.data("\(json(rule))") }
    case .plain: for rule in rules { session.console.row([rule.id, rule.name, rule.category.rawValue]) }
    case .text: for rule in rules { session.console.text(line(rule, session)) }
    }
    return .done
  }

  private func json(_ rule: TripRule) -> JSONText {
    .object([("id", .string(rule.id))] + rule.fields.sorted { $0.key < $1.key }.map { ($0.key, .value($0.value)) })
  }

  private func line(_ rule: TripRule, _ session: Session) -> String {
    let words = words(for: rule.conditions, session)
    let state = rule.isActive ? "" : "  (off)"
    return
      "\(rule.name)  \(rule.category.rawValue)  \(words.isEmpty ? "always" : words.joined(separator: ", "))\(state)"
  }

  private func words(for conditions: TripRule.Conditions, _ session: Session) -> [String] {
    func oneOf(_ ids: [String]) -> String { ids.map { names[$0] ?? ShortID.of($0) }.joined(separator: " or ") }
    var words: [String] = []
    if let ids = conditions.placeIds { words.append("\(oneOf(ids)) at either end") }
    if let role = conditions.role { words.append("a place with the role \(role) at either end") }
    if let days = conditions.weekdays {
      words.append("on \(days.map { LocalTime.weekdays[$0 % 7] }.joined(separator: ", "))")
    }
    if let hours = conditions.hours {
      words.append("from \(clock(hours.from, session)) to \(clock(hours.to, session))")
    }
    if let ids = conditions.vehicleIds { words.append("with \(oneOf(ids))") }
    if let metres = conditions.minimumDistance { words.append("at least \(session.units.distance(metres))") }
    return words
  }

  private func clock(_ seconds: Double, _ session: Session) -> String {
    let minutes = Int(seconds / 60)
    if session.local.showsTwelveHours { return session.local.clock(hour: minutes / 60, minute: minutes % 60) }
    return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
  }
}

extension RuleList {
  init(rules: [TripRule], in store: any DataStoreProtocol) throws {
    let places = try store.fetchAllGeofences().map { ($0.id, $0.name) }
    let vehicles = try store.vehicles().map { ($0.id, $0.name) }
    self.init(rules: rules, names: Dictionary(places + vehicles, uniquingKeysWith: { first, _ in first }))
  }
}
