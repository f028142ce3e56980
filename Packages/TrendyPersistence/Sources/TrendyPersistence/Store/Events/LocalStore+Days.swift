public import TrendyFoundation
import TrendyProtocols

/// Number of events on a day.
public struct DayCount: Hashable, Sendable {
  /// Start of the day.
  public var day: Date
  /// Number of events, above 0.
  public var count: Int

  /// Creates a count.
  public init(day: Date, count: Int) {
    self.day = day
    self.count = count
  }
}

extension LocalStore {
  /// Returns the number of events on each day, keyed by the start of the day; see
  /// ``eventDayCounts(in:ofType:timeZone:)``.
  public func eventCountsByDay(
    in range: Range<Date>?, ofType eventTypeId: String?, timeZone: TimeZone
  ) throws -> [Date: Int] {
    let counts = try eventDayCounts(in: range, ofType: eventTypeId, timeZone: timeZone)
    return Dictionary(uniqueKeysWithValues: counts.lazy.map { ($0.day, $0.count) })
  }

  /// Returns the days in `timeZone` that have events in order, with the number of events on each. A `nil` argument does
  /// not restrict the result. Does not decode the events.
  /// - Throws: ``StorageError``.
  public func eventDayCounts(
    in range: Range<Date>? = nil, ofType eventTypeId: String? = nil, timeZone: TimeZone
  ) throws -> [DayCount] {
    try refresh()
    if range?.isEmpty == true { return [] }
    let (lower, upper) = Self.sorts(of: range)
    guard
      let first = try scan(RowKind.event, from: lower, to: upper, limit: 1).first?.sort,
      let last = try scan(RowKind.event, from: lower, to: upper, descending: true, limit: 1).first?.sort
    else { return [] }
    let group = eventTypeId.map(RowOrder.group)
    if Double(last) - Double(first) > Self.longestTable {
      return try sparseCounts(range, lower..<upper, group: group, timeZone: timeZone)
    }
    let table = dayTable(from: first, through: last, timeZone: timeZone)
    let days = table.days(of: range.map { _ in lower..<upper })
    var counts = try counts(RowKind.event, group: group, boundaries: days.boundaries)
    if let range {
      // Sort values have a resolution of one microsecond. Subtract events in the first and last microsecond that are
      // outside the range.
      for edge in Set([lower, upper - 1]) {
        for record in try scan(RowKind.event, group: group, from: edge, to: edge + 1).pointers {
          if range.contains(try Self.fields(record).date) { continue }
          let after = days.boundaries.sorts.firstIndex { $0 > edge } ?? counts.count
          if after > 0, after <= counts.count { counts[after - 1] -= 1 }
        }
      }
    }
    var result: [DayCount] = []
    result.reserveCapacity(counts.count)
    for (index, count) in counts.enumerated() where count > 0 {
      result.append(DayCount(day: table.starts[days.first + index], count: count))
    }
    return result
  }

  /// Maximum length of a table in microseconds, about a thousand years, because a wrong date could make it very long.
  private static let longestTable = 400_000.0 * 86_400_000_000

  /// Reuses the last table if possible, because several types are usually counted over the same days.
  private func dayTable(from first: Int64, through last: Int64, timeZone: TimeZone) -> DayTable {
    if let known = knownDays, known.covers(first...last, timeZone) { return known }
    let table = DayTable(from: Self.date(first), through: Self.date(last), timeZone: timeZone)
    knownDays = table
    return table
  }

  /// Counts day by day, for events that are very far apart.
  private func sparseCounts(
    _ range: Range<Date>?, _ sorts: Range<Int64>, group: UInt64?, timeZone: TimeZone
  ) throws(StorageError) -> [DayCount] {
    var result: [DayCount] = []
    var from = sorts.lowerBound
    while let next = try scan(RowKind.event, group: group, from: from, to: sorts.upperBound, limit: 1).first?.sort {
      let moment = Self.date(next)
      let days = DayTable(from: moment, through: moment.addingTimeInterval(200_000), timeZone: timeZone)
      let after = days.starts.first { $0 > moment } ?? moment.addingTimeInterval(86_400)
      let to = min(max(RowOrder.sort(after), next + 1), sorts.upperBound)
      var count = 0
      for record in try scan(RowKind.event, group: group, from: next, to: to).pointers {
        let date = try Self.fields(record).date
        if range?.contains(date) != false { count += 1 }
      }
      if count > 0 { result.append(DayCount(day: days.starts[0], count: count)) }
      from = to
    }
    return result
  }

  private static func date(_ sort: Int64) -> Date { Date(timeIntervalSinceReferenceDate: Double(sort) / 1_000_000) }
}
