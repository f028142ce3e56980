import TrendyModels

/// Event counts for each type and day, for events that start in one UTC month.
struct MonthDayCounts: Sendable {
  /// Number of days by which the range extends beyond the month on each side. Local and UTC days differ by less.
  private static let around = 4
  private static let days = 31 + 2 * around

  private let first: CivilDate
  private var types: [String: [Int32]] = [:]
  /// Counts for days outside the range, which occur only at extreme timestamps with inexact dates.
  private var others: [CivilDate: [String: Int32]] = [:]

  /// Creates empty counts. `month` is the first day of the month.
  init(month: CivilDate) { first = month.advanced(by: -Self.around) }

  mutating func add(_ count: Int32, of type: String, on day: CivilDate) {
    let place = first.distance(to: day)
    if (0..<Self.days).contains(place) {
      types[type, default: [Int32](repeating: 0, count: Self.days)][place] += count
    } else {
      others[day, default: [:]][type, default: 0] += count
    }
  }

  /// Calls `body` for each positive count, in any order.
  func forEach(_ body: (_ day: CivilDate, _ type: String, _ count: Int) -> Void) {
    for (type, counts) in types {
      for (place, count) in counts.enumerated() where count > 0 { body(first.advanced(by: place), type, Int(count)) }
    }
    for (day, types) in others {
      for (type, count) in types where count > 0 { body(day, type, Int(count)) }
    }
  }

  func days(ofType type: String) -> [CivilDate] {
    let near = types[type]?.enumerated().filter { $0.element > 0 }.map { first.advanced(by: $0.offset) } ?? []
    return near + others.filter { $0.value[type] ?? 0 > 0 }.map(\.key)
  }
}
