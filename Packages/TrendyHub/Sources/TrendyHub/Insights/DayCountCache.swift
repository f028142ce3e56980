import TrendyInsights
import TrendyModels

/// Cached event counts by type and day, computed month by month and updated with later writes.
///
/// An event counts towards its day in the time zone in which it was recorded. Created events are added and deleted
/// events subtracted. If an event was restored, or moved to another time or type, its previous day is unknown, so the
/// months are counted again.
final class DayCountCache: Sendable {
  private struct Key: Hashable {
    let user: String
    let zone: String?
    let dayStart: Int
  }

  private struct Counts: Sendable {
    /// Counts by the UTC month in which the events start, numbered from the beginning of year 0.
    var months: [Int: MonthDayCounts] = [:]
    /// Timestamp and day of the earliest event, or `nil` if unknown. Its `date` is `nil` for a record without events.
    var first: First?

    mutating func add(_ count: Int32, _ event: HubEventMoment, _ local: LocalTime) {
      // Months that are not cached are counted when they are requested.
      months[DayCountCache.month(of: event.moment)]?
        .add(count, of: event.eventTypeId, on: local.day(of: event))
      if count < 0, first?.moment == event.moment { first = nil }
      if count > 0, let held = first, event.moment < held.moment {
        first = First(moment: event.moment, date: local.day(of: event))
      }
    }
  }

  private struct First: Sendable {
    var moment: Int64
    var date: CivilDate?
  }

  /// Cached counts for up to 8 combinations of user and time zone.
  private let known = DerivedValueCache<Key, Counts>(limit: 8)

  /// Returns the counts for every month that can contain events on these days, and the day of the first event.
  func counts(
    of user: String, _ reading: any HubReadTransaction, local: LocalTime, on days: ClosedRange<CivilDate>
  ) throws -> (months: [MonthDayCounts], first: CivilDate?) {
    let moments = local.milliseconds(of: days)
    let key = Key(user: user, zone: local.zoneName, dayStart: local.dayStart)
    return try known.ask(key, reading) { known, _ in
      var value = try known.flatMap { try Self.current($0.value, since: $0.position, reading, local) } ?? Counts()
      let months = Self.month(of: moments.lowerBound)...Self.month(of: max(moments.lowerBound, moments.upperBound - 1))
      for run in Self.runs(months.filter { value.months[$0] == nil }) {
        try Self.count(run, reading, local) { value.months[$0] = $1 }
      }
      let first = try value.first ?? Self.first(reading, local)
      value.first = first
      return (value, (months.compactMap { value.months[$0] }, first.date))
    }
  }

  /// Returns the cached counts updated with later writes, or `nil` if they cannot be updated.
  private static func current(
    _ counts: Counts, since position: SourcePosition, _ reading: any HubReadTransaction, _ local: LocalTime
  ) throws -> Counts? {
    guard let changes = try EventChanges(reading, since: position, { EventChanges.isOfDay($1) }) else { return nil }
    var counts = counts
    for event in changes.added.compactMap(HubEventMoment.init) { counts.add(1, event, local) }
    for event in changes.removed.compactMap(HubEventMoment.init) { counts.add(-1, event, local) }
    return counts
  }

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
    _ run: ClosedRange<Int>, _ reading: any HubReadTransaction, _ local: LocalTime,
    _ found: (Int, MonthDayCounts) -> Void
  ) throws {
    var months = run.map { MonthDayCounts(month: firstDay(ofMonth: $0)) }
    try reading.eachEvent(during: start(ofMonth: run.lowerBound)..<start(ofMonth: run.upperBound + 1)) { event, _ in
      months[month(of: event.moment) - run.lowerBound].add(1, of: event.eventTypeId, on: local.day(of: event))
    }
    for (month, counts) in zip(run, months) { found(month, counts) }
  }

  private static func first(_ reading: any HubReadTransaction, _ local: LocalTime) throws -> First {
    let event = try reading.firstLiving(kind: SyncedKind.event.name)
    return First(
      moment: event?.listMoment ?? .max, date: event.flatMap(HubEventMoment.init).map { local.day(of: $0) })
  }

  /// Returns the UTC month of a timestamp, clamped to the range in which dates are exact.
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
