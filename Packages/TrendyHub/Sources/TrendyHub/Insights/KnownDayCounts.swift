import TrendyInsights
import TrendyModels

/// Cached number of events by type and day, counted by month and updated with later writes.
///
/// Created and deleted events are added and subtracted. If an event was moved to another time or type, or restored, its
/// earlier day is unknown, and the months are counted again.
final class KnownDayCounts: Sendable {
  /// Counts of the events that start in one month in UTC.
  struct Month: Sendable {
    /// Counts by day in the requested time zone.
    var here: MonthDayCounts
    /// Counts by day in the time zone in which each event was recorded.
    var own: MonthDayCounts

    init(_ month: Int) {
      let first = KnownDayCounts.firstDay(ofMonth: month)
      here = MonthDayCounts(month: first)
      own = MonthDayCounts(month: first)
    }

    mutating func add(_ count: Int32, _ event: HubEventMoment, _ days: PersonDays) {
      here.add(count, of: event.eventTypeId, on: days.date(of: event))
      own.add(count, of: event.eventTypeId, on: days.ownDay(of: event))
    }
  }

  private struct Key: Hashable {
    let person: String
    let zone: String
    let dayStart: Int64
  }

  private struct Counts: Sendable {
    /// Counts by month, numbered from year 0.
    var months: [Int: Month] = [:]
    /// Time and day of the earliest event: `nil` if unknown, with a `nil` date if there is no event.
    var first: First?

    mutating func add(_ count: Int32, _ event: HubEventMoment, _ days: PersonDays) {
      // A month that is not cached is counted when it is requested.
      months[KnownDayCounts.month(of: event.moment)]?.add(count, event, days)
      if count < 0, first?.moment == event.moment { first = nil }
      if count > 0, let held = first, event.moment < held.moment {
        first = First(moment: event.moment, date: days.date(of: event))
      }
    }
  }

  private struct First: Sendable {
    var moment: Int64
    var date: CivilDate?
  }

  /// Cached counts of up to 8 combinations of user and time zone.
  private let known = KnownValues<Key, Counts>(limit: 8)

  /// Returns the counts of the months in a range of time, and the day of the first event.
  func counts(
    of person: String, _ reading: any HubReading, days: PersonDays, during moments: Range<Int64>
  ) throws -> (months: [Month], first: CivilDate?) {
    let key = Key(person: person, zone: days.zone, dayStart: days.startSeconds)
    return try known.ask(key, reading) { known, _ in
      var value = try known.flatMap { try Self.current($0.value, since: $0.position, reading, days) } ?? Counts()
      let months = Self.month(of: moments.lowerBound)...Self.month(of: max(moments.lowerBound, moments.upperBound - 1))
      for run in Self.runs(months.filter { value.months[$0] == nil }) {
        try Self.count(run, reading, days) { value.months[$0] = $1 }
      }
      let first = try value.first ?? Self.first(reading, days)
      value.first = first
      return (value, (months.compactMap { value.months[$0] }, first.date))
    }
  }

  /// Returns cached counts updated with later writes, or `nil` if that is not possible.
  private static func current(
    _ counts: Counts, since position: ReadPosition, _ reading: any HubReading, _ days: PersonDays
  ) throws -> Counts? {
    guard let changes = try EventChanges(reading, since: position, { EventChanges.isOfDay($1) }) else { return nil }
    var counts = counts
    for event in changes.added.compactMap(HubEventMoment.init) { counts.add(1, event, days) }
    for event in changes.removed.compactMap(HubEventMoment.init) { counts.add(-1, event, days) }
    return counts
  }

  /// Groups months into ranges of consecutive ones.
  private static func runs(_ months: [Int]) -> [ClosedRange<Int>] {
    var runs: [ClosedRange<Int>] = []
    for month in months {
      if let last = runs.last, last.upperBound + 1 == month {
        runs[runs.count - 1] = last.lowerBound...month
      } else {
        runs.append(month...month)
      }
    }
    return runs
  }

  private static func count(
    _ run: ClosedRange<Int>, _ reading: any HubReading, _ days: PersonDays, _ found: (Int, Month) -> Void
  ) throws {
    var months = run.map(Month.init)
    try reading.eachEvent(during: start(ofMonth: run.lowerBound)..<start(ofMonth: run.upperBound + 1)) { event, _ in
      months[month(of: event.moment) - run.lowerBound].add(1, event, days)
    }
    for (month, counts) in zip(run, months) { found(month, counts) }
  }

  private static func first(_ reading: any HubReading, _ days: PersonDays) throws -> First {
    let event = try reading.firstLiving(kind: SyncedKind.event.name)
    return First(
      moment: event?.listMoment ?? .max, date: event.flatMap(HubEventMoment.init).map { days.date(of: $0) })
  }

  /// Returns the month in UTC, clamped to the range in which dates are exact.
  static func month(of moment: Int64) -> Int {
    let days = (Double(min(max(moment, -62_000_000_000_000), 250_000_000_000_000)) / 86_400_000).rounded(.down)
    let date = CivilDate(daysSince1970: Int(days)).fields
    return date.year * 12 + date.month - 1
  }

  private static func firstDay(ofMonth month: Int) -> CivilDate {
    CivilDate(year: month / 12, month: month % 12 + 1, day: 1)
  }

  static func start(ofMonth month: Int) -> Int64 { Int64(firstDay(ofMonth: month).daysSince1970) * 86_400_000 }
}
