import TrendyModels

/// How many events of each type there were on each day, of events that begin in one month.
struct MonthDayCounts: Sendable {
  /// A day differs from that of UTC by less than this many, and a month has 31.
  private static let around = 4
  private static let days = 31 + 2 * around

  private let first: CivilDate
  private var types: [String: [Int32]] = [:]
  /// Of days that are not around the month: where dates stop being exact, months do too.
  private var others: [CivilDate: [String: Int32]] = [:]

  /// - Parameter month: its first day.
  init(month: CivilDate) { first = month.advanced(by: -Self.around) }

  mutating func add(_ count: Int32, of type: String, on day: CivilDate) {
    let place = first.distance(to: day)
    if (0..<Self.days).contains(place) {
      types[type, default: [Int32](repeating: 0, count: Self.days)][place] += count
    } else {
      others[day, default: [:]][type, default: 0] += count
    }
  }

  /// Calls `body` with each type's counts that are above 0, in no order.
  func forEach(_ body: (_ day: CivilDate, _ type: String, _ count: Int) -> Void) {
    for (type, counts) in types {
      for (place, count) in counts.enumerated() where count > 0 { body(first.advanced(by: place), type, Int(count)) }
    }
    for (day, types) in others {
      for (type, count) in types where count > 0 { body(day, type, Int(count)) }
    }
  }

  /// The days on which a type has events.
  func days(ofType type: String) -> [CivilDate] {
    let near = types[type]?.enumerated().filter { $0.element > 0 }.map { first.advanced(by: $0.offset) } ?? []
    return near + others.filter { $0.value[type] ?? 0 > 0 }.map(\.key)
  }
}
