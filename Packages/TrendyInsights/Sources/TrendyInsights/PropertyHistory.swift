public import TrendyModels

/// Numeric values of one property, or time, by day. Durations are in seconds.
public struct PropertyHistory: Hashable, Sendable {
  /// Value of the property in one event.
  public struct Entry: Hashable, Sendable, Codable {
    public let day: CivilDate
    /// Finite number, in seconds for a duration.
    public let value: Double
  }

  /// Key of the property.
  public let key: String
  /// Values in chronological order of their days.
  public let entries: [Entry]
  /// Number of events excluded because their value is not finite or does not have the property's current type.
  public let leftOut: Int
  /// Last day considered.
  public let today: CivilDate
  private let byDay: [CivilDate: [Double]]
  /// Number of values that belong to an event of an earlier day, by day.
  private var continued: [CivilDate: Int] = [:]

  /// Collects the values of a property from events of one type, in any order. Events after `today` are ignored. `type`
  /// is the current type of the property, `PropertyType.number` or `PropertyType.duration`.
  public init(
    _ events: some Sequence<Event>, key: String, type: PropertyType, today: CivilDate, local: LocalTime
  ) {
    var entries: [Entry] = []
    var leftOut = 0
    for event in events {
      guard let property = event.properties[key] else { continue }
      let day = local.day(of: event)
      guard day <= today else { continue }
      if property.type == type, let value = property.doubleValue, value.isFinite {
        entries.append(Entry(day: day, value: value))
      } else {
        leftOut += 1
      }
    }
    self.init(entries, key: key, leftOut: leftOut, today: today)
  }

  /// Collects the time of each day. Time that several events share counts once.
  init(_ ledger: TimeLedger, today: CivilDate) {
    let parts = TimeLedger.exclusiveSeconds(ledger.entries.flatMap(\.parts))
    self.init(parts.map { Entry(day: $0.part.day, value: $0.seconds) }, key: "time", leftOut: 0, today: today)
    continued = ledger.entries.flatMap { $0.parts.dropFirst() }.reduce(into: [:]) { $0[$1.day, default: 0] += 1 }
  }

  private init(_ entries: [Entry], key: String, leftOut: Int, today: CivilDate) {
    (self.key, self.leftOut, self.today) = (key, leftOut, today)
    self.entries = entries.sorted { ($0.day, $0.value) < ($1.day, $1.value) }
    byDay = self.entries.reduce(into: [:]) { $0[$1.day, default: []].append($1.value) }
  }

  /// Distribution of all values, or `nil` if there are no values or their sum overflows.
  public var distribution: Distribution? { Distribution(entries.map(\.value)) }

  /// Largest value (the first one in a tie), or `nil` if there are no values.
  public var most: Entry? {
    entries.reduce(nil) { most, entry in entry.value > (most?.value ?? -.infinity) ? entry : most }
  }

  private func numbers(_ days: ClosedRange<CivilDate>) -> [Double] { days.flatMap { byDay[$0] ?? [] } }

  /// Returns the sum or mean of the values per day, week or month. A `firstWeekday` of 0 means Sunday.
  public func series(
    _ summary: AmountSummary, by period: CalendarPeriod, over days: ClosedRange<CivilDate>, firstWeekday: Int
  ) -> AmountSeries {
    AmountSeries(
      points: days.split(by: period, firstWeekday: firstWeekday).map { days in
        let numbers = numbers(days)
        let events = numbers.count - days.reduce(0) { $0 + (continued[$1] ?? 0) }
        return AmountSeries.Point(days: days, value: summary(numbers), events: events)
      })
  }

  /// Returns the trailing moving average of the daily sums, or of all values in the window, for each of `days`.
  ///
  /// The average is `nil` for days before the first full window, for future days, for the mean of a window without
  /// values, and for a sum that overflows. `window` is at least 1.
  public func movingMean(
    _ summary: AmountSummary, ofDays window: Int, over days: ClosedRange<CivilDate>
  ) -> [Double?] {
    days.map { day in
      let first = day.advanced(by: 1 - window)
      guard let start = entries.first?.day, first >= start, day <= today else { return nil }
      return summary(numbers(first...day)).map { summary == .sum ? $0 / Double(window) : $0 }
    }
  }

  /// Compares the sum or mean of the last 14 days with the previous 14 days. Requires a value that is at least 28 days
  /// old.
  public func trend(_ summary: AmountSummary) -> Finding<AmountTrend> {
    guard let start = entries.first?.day else { return .needsEvents(1) }
    let span = TypeHistory.trendDays
    let missing = 2 * span - (start.distance(to: today) + 1)
    guard missing <= 0 else { return .needsDays(missing) }
    let middle = today.advanced(by: -span)
    let (recent, before) = (
      numbers(middle.advanced(by: 1)...today), numbers(middle.advanced(by: 1 - span)...middle)
    )
    return .found(
      AmountTrend(
        recent: recent.isEmpty ? nil : summary(recent), before: before.isEmpty ? nil : summary(before),
        events: recent.count, eventsBefore: before.count))
  }
}

/// Sum or mean of a property in the last 14 days, including today, compared with the previous 14 days.
public struct AmountTrend: Hashable, Sendable, Codable {
  /// Value over the last 14 days, or `nil` if there are no events or the sum overflows.
  public let recent: Double?
  /// Value over the previous 14 days, or `nil` if there are no events or the sum overflows.
  public let before: Double?
  /// Number of events that contribute to ``recent``.
  public let events: Int
  /// Number of events that contribute to ``before``.
  public let eventsBefore: Int

  /// Relative change, such as 0.24 for 24 % more, or `nil` if the earlier value is missing or 0.
  public var change: Double? {
    guard let recent, let before, before != 0 else { return nil }
    // Halve the values to avoid an overflow if they are at opposite ends of the range.
    let change = (recent / 2 - before / 2) / abs(before / 2)
    return change.isFinite ? change : nil
  }
}
