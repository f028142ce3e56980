import TrendyInsights
import TrendyModels

/// How many events of each type each day had, counted a month at a time and then kept up with what is written.
///
/// An event that is new or deleted since is added or taken off. What was moved to another time or type, or brought back, had a day that
/// nobody knows any more: then it is counted anew.
final class KnownDayCounts: Sendable {
  /// Of the events that begin in one month of UTC.
  struct Month: Sendable {
    /// By the day where the asker is.
    var here: MonthDayCounts
    /// By the day where each was recorded.
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
    /// By their number since the year 0.
    var months: [Int: Month] = [:]
    /// The earliest event: its moment and its day; `nil` where it has to be looked for, an empty one where there is none.
    var first: First?

    mutating func add(_ count: Int32, _ event: HubEventMoment, _ days: PersonDays) {
      // Of a month that nobody asked for it is counted with the month.
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

  /// Of so many persons and zones at once.
  private let known = KnownValues<Key, Counts>(limit: 8)

  /// The counts of the months in which a range of moments lies, and the day of the first event.
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

  /// What was counted, with what was written since; `nil` where that cannot be told.
  private static func current(
    _ counts: Counts, since position: ReadPosition, _ reading: any HubReading, _ days: PersonDays
  ) throws -> Counts? {
    guard let changes = try EventChanges(reading, since: position, { EventChanges.isOfDay($1) }) else { return nil }
    var counts = counts
    for event in changes.added.compactMap(HubEventMoment.init) { counts.add(1, event, days) }
    for event in changes.removed.compactMap(HubEventMoment.init) { counts.add(-1, event, days) }
    return counts
  }

  /// Months that follow each other.
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

  /// The month of UTC, held where dates stop being exact.
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
