public import TrendyModels

/// The numbers that one property of a type's events holds, by day: of type number, or of type duration, in seconds.
public struct PropertyHistory: Hashable, Sendable {
  public struct Entry: Hashable, Sendable, Codable {
    public let day: CivilDate
    /// Finite.
    public let value: Double
  }

  public let key: String
  /// In the order of their days.
  public let entries: [Entry]
  /// Events that have the property, and no number of its type in it: it was of another type when they were recorded.
  public let leftOut: Int
  public let today: CivilDate
  private let byDay: [CivilDate: [Double]]

  /// - Parameters:
  ///   - events: of one type, in any order. Those after today are left out.
  ///   - key: of the property.
  ///   - type: that the property has now, `PropertyType.number` or `PropertyType.duration`.
  ///   - today: the person's present day.
  ///   - local: says in which day an event lies.
  public init(
    _ events: some Sequence<Event>, key: String, type: PropertyType, today: CivilDate, local: LocalTime
  ) {
    self.key = key
    self.today = today
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
    self.entries = entries.sorted { ($0.day, $0.value) < ($1.day, $1.value) }
    self.leftOut = leftOut
    byDay = self.entries.reduce(into: [:]) { $0[$1.day, default: []].append($1.value) }
  }

  /// `nil` where there is none, or where they are too large to add up.
  public var distribution: Distribution? { Distribution(entries.map(\.value)) }

  /// The greatest, of several the first; `nil` where there is none.
  public var most: Entry? {
    entries.reduce(nil) { most, entry in entry.value > (most?.value ?? -.infinity) ? entry : most }
  }

  private func numbers(_ days: ClosedRange<CivilDate>) -> [Double] { days.flatMap { byDay[$0] ?? [] } }

  /// The sum or the mean of each day, week or month.
  /// - Parameters:
  ///   - summary: of the events of a step.
  ///   - period: how long a step is.
  ///   - days: that are looked at.
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
  public func series(
    _ summary: AmountSummary, by period: CalendarPeriod, over days: ClosedRange<CivilDate>, firstWeekday: Int
  ) -> AmountSeries {
    AmountSeries(
      points: days.split(by: period, firstWeekday: firstWeekday).map { days in
        let numbers = numbers(days)
        return AmountSeries.Point(days: days, value: summary(numbers), events: numbers.count)
      })
  }

  /// For each day the mean of a window that ends with it: of the sums of its days, or of all numbers in it. `nil` before the first
  /// window that the record fills, where there is nothing to take the mean of, and where the sum is too large to be a number.
  /// - Parameters:
  ///   - summary: which mean.
  ///   - window: days, 1 or more.
  ///   - days: that are asked for.
  public func movingMean(
    _ summary: AmountSummary, ofDays window: Int, over days: ClosedRange<CivilDate>
  ) -> [Double?] {
    days.map { day in
      let first = day.advanced(by: 1 - window)
      guard let start = entries.first?.day, first >= start, day <= today else { return nil }
      return summary(numbers(first...day)).map { summary == .sum ? $0 / Double(window) : $0 }
    }
  }

  /// The last 14 days against the 14 before; it takes an entry 28 days old.
  /// - Parameter summary: what is compared.
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

/// What a property comes to in the last 14 days, today among them, against the 14 before.
public struct AmountTrend: Hashable, Sendable, Codable {
  /// `nil` where nothing was recorded, or where it is too large to be a number.
  public let recent: Double?
  public let before: Double?
  /// That ``recent`` is made of.
  public let events: Int
  /// That ``before`` is made of.
  public let eventsBefore: Int

  /// 0.24 for 24 % more; `nil` where there is nothing to compare with, or zero.
  public var change: Double? {
    guard let recent, let before, before != 0 else { return nil }
    // Halves, so that the distance between two ends of the range is a number.
    let change = (recent / 2 - before / 2) / abs(before / 2)
    return change.isFinite ? change : nil
  }
}
