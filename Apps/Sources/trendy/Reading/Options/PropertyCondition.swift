import CommandSupport
import TrendyFoundation
import TrendyModels

/// Condition in `--where` on a property, such as `size=large`, `count>2`, `duration<=45m`, `done!=yes` or `due<mon`.
struct PropertyCondition {
  private enum Comparison: String, CaseIterable {
    // `<` and `>` are prefixes of `<=` and `>=`, so they come last.
    case notAbove = "<="
    case notBelow = ">="
    case differs = "!="
    case equals = "="
    case below = "<"
    case above = ">"

    func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
      switch self {
      case .notAbove: left <= right
      case .notBelow: left >= right
      case .differs: left != right
      case .equals: left == right
      case .below: left < right
      case .above: left > right
      }
    }

    /// Whether the comparison requires ordered values. Text and Booleans are not ordered.
    var isOrder: Bool { self != .equals && self != .differs }
  }

  /// Period denoted by a date or time in a condition. A date denotes the whole day.
  private struct Moment {
    var from: Date
    var to: Date
  }

  /// Key of the property, lowercased.
  let key: String
  private let comparison: Comparison
  /// Value to compare with, lowercased.
  private let text: String
  private let number: Double?
  private let seconds: Double?
  private let boolean: Bool?
  private let moment: Moment?

  /// Parses a condition without checking whether the property exists.
  init(_ phrase: String, _ session: Session) throws(CommandError) {
    guard let place = phrase.firstIndex(where: { "<>=!".contains($0) }), place > phrase.startIndex,
      let comparison = Comparison.allCases.first(where: { phrase[place...].hasPrefix($0.rawValue) })
    else {
      throw session.usageError(
        "Invalid condition '\(phrase)'",
        hint: "Use a condition such as size=large, 'count>2', 'duration<=45m' or 'done!=yes'.")
    }
    key = phrase[..<place].lowercased().trimmed
    self.comparison = comparison
    text = phrase[place...].dropFirst(comparison.rawValue.count).lowercased().trimmed
    number = Property.number(text)?.doubleValue
    seconds = DurationPhrase.seconds(text)
    boolean = Property.boolean(text)?.boolValue
    if let phrase = try? TimePhrase(text, now: session.now, in: session.local),
      let from = try? phrase.resolved(.since).date, let to = try? phrase.resolved(.until).date
    {
      moment = Moment(from: from, to: to)
    } else {
      moment = nil
    }
  }

  /// Checks that some event type has the property, and that the property's kind supports the comparison.
  func check(among definitions: [PropertyDefinition], _ session: Session) throws(CommandError) {
    let named = definitions.filter { $0.key.lowercased() == key }
    guard !named.isEmpty else {
      let near = Suggestion.nearest(to: key, among: definitions.map(\.key))
      throw CommandError(
        "Property '\(key)' not found in any event type",
        hint: near.map { "Did you mean '\($0)'?" } ?? "List properties: trendy type list",
        exit: .notFound)
    }
    guard named.contains(where: { isComparable(with: $0.propertyType) }) else {
      let isNamed = [.text, .select, .boolean, .url, .email].contains(named[0].propertyType)
      let takes =
        comparison.isOrder && isNamed ? "Use = or !=." : "Use a value of kind \(named[0].propertyType.rawValue)."
      throw session.usageError(
        "Cannot compare '\(key)' (\(named[0].propertyType.rawValue)) with '\(text)'", hint: takes)
    }
  }

  private func isComparable(with type: PropertyType) -> Bool {
    switch type {
    case .number: number != nil
    case .duration: seconds != nil
    case .date: moment != nil
    case .boolean: boolean != nil && !comparison.isOrder
    case .text, .select, .url, .email: !comparison.isOrder
    }
  }

  /// Whether an event meets the condition. An event without the property meets only `!=` conditions.
  func holds(of event: Event, in local: LocalTime) -> Bool {
    for (key, value) in event.properties where key.lowercased() == self.key { return holds(value, of: event, local) }
    return comparison == .differs
  }

  private func holds(_ value: PropertyValue, of event: Event, _ local: LocalTime) -> Bool {
    guard isComparable(with: value.type) else { return false }
    switch value.type {
    case .number: return holds(value.doubleValue, number)
    case .duration: return holds(value.doubleValue, seconds)
    case .boolean: return value.boolValue.map { ($0 == boolean) == (comparison == .equals) } ?? false
    case .date:
      // A date without a time is compared as the start of the day.
      let day = local.date(value, of: event).map { local.start(of: $0) }
      return (day ?? value.dateValue).map(holds) ?? false
    case .text, .select, .url, .email:
      return holds(value.stringValue?.lowercased(), text)
    }
  }

  private func holds<Value: Comparable>(_ value: Value?, _ wanted: Value?) -> Bool {
    guard let value, let wanted else { return false }
    return comparison.holds(value, wanted)
  }

  private func holds(_ date: Date) -> Bool {
    guard let moment else { return false }
    switch comparison {
    case .equals, .differs:
      let isIn = date == moment.from || (moment.from..<max(moment.from, moment.to)).contains(date)
      return isIn == (comparison == .equals)
    case .below: return date < moment.from
    case .notBelow: return date >= moment.from
    case .above: return moment.from == moment.to ? date > moment.to : date >= moment.to
    case .notAbove: return moment.from == moment.to ? date <= moment.to : date < moment.to
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = Substring(self)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
