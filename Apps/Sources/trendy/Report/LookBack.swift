import CommandSupport
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

/// Data for a report on a period: entries by type, insights, trips and visits.
struct LookBack {
  /// Data on an event type that has events in the period or the previous one.
  struct Entry {
    let row: PeriodReview.Row
    /// History for the days of the report.
    let history: TypeHistory
    /// Number and duration properties with values.
    let amounts: [Amount]

    var type: EventType { row.type }
    /// History up to the last day of the report.
    var whole: TypeHistory { row.row.history }
    var change: PeriodChange { row.change }
    /// Personal records, or `nil` if the type has no event in the period.
    var records: PersonalRecords? { row.records }
    /// Streak on the last day of the report.
    var streak: Streak { row.row.streak }
    var skips: DaySet { row.row.skips }
  }

  /// Summary of the values of a number or duration property.
  struct Amount {
    let label: String
    let isLength: Bool
    let distribution: Distribution
    let most: PropertyHistory.Entry

    /// Creates a summary. Returns `nil` if no event has a value.
    init?(_ definition: PropertyDefinition, _ values: PropertyHistory) {
      guard let distribution = values.distribution, let most = values.most else { return nil }
      label = definition.label.isEmpty ? definition.key : definition.label
      isLength = definition.propertyType == .duration
      (self.distribution, self.most) = (distribution, most)
    }
  }

  struct Driving {
    let now: Mileage
    let before: Mileage
    let months: [(days: ClosedRange<CivilDate>, mileage: Mileage)]
    /// Distances by vehicle, sorted by name.
    let vehicles: [VehicleMileage]
    let longest: TripEvent?
    /// Destinations and the distances of trips to them, most frequent first.
    let destinations: [(name: String, mileage: Mileage)]
  }

  /// Place with the number and total duration of visits in the period.
  struct Stay {
    let place: Geofence
    var visits = 0
    var seconds = 0.0
  }

  /// Whether the report is about a calendar year.
  let isYear: Bool
  let days: ClosedRange<CivilDate>
  let isPresent: Bool
  /// Data on each event type, most events first.
  let entries: [Entry]
  /// History of all types together up to the last day of the period, including days before the period.
  let everything: TypeHistory
  /// History of all types together within the period.
  let together: TypeHistory
  let grid: WeekGrid
  let total: PeriodChange
  let best: PersonalRecords?
  let relations: [CorrelationFinding]
  /// Number of days until the history is long enough for correlations, or 0 if it already is.
  let missingDays: Int
  /// Trips and mileage, or `nil` if the period has no trips.
  let driving: Driving?
  /// Visited places, most visited first.
  let stays: [Stay]

  /// Number of events in each month and in the same month of the previous year.
  let months: [Month]

  var present: [Entry] { entries.filter { $0.history.events > 0 } }

  /// Types with streaks in the report.
  var habits: [Entry] { present.filter(\.row.row.isHabit) }

  init(_ options: ReportOptions, _ session: Session) throws {
    let (report, record) = try options.report(session)
    let (query, local) = (report.query, session.local)
    // By default, the report covers the whole history.
    let span = query.comparison ?? query.period(from: report.rows.map(\.history.days.first).min() ?? query.today)
    let (days, review) = (span.days, PeriodReview(report, over: span))
    let places = Dictionary(
      try record.store.fetchAllGeofences().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var stays: [String: Stay] = [:]
    let events = try PeriodEvents(of: report, on: days, from: record) { event in
      guard event.sourceType == .geofence, let place = event.geofenceId.flatMap({ places[$0] }) else { return }
      stays[place.id, default: Stay(place: place)].visits += 1
      stays[place.id]?.seconds += max(0, event.endDate?.timeIntervalSince(event.timestamp) ?? 0)
    }
    (isYear, self.days, isPresent) = (span.period == .year, days, span.isPresent)
    entries = review.rows.map { row in
      Entry(
        row: row, history: events.history(ofType: row.type.id),
        amounts: events.values(ofType: row.type.id).compactMap { Amount($0, $1) })
    }
    everything = review.together
    (together, grid) = (events.history(), events.grid)
    (total, best) = (review.total, review.best)
    let series = review.together.days
    months = days.split(by: .month, firstWeekday: local.firstWeekday).map { month in
      let first = CivilDate(year: month.lowerBound.year - 1, month: month.lowerBound.month, day: 1)
      let earlier = CalendarPeriod.month.days(around: first, firstWeekday: local.firstWeekday)
      let isKnown = span.period == .year && series.count > 0 && series.first <= earlier.lowerBound
      return Month(days: month, now: series.over(month).total, before: isKnown ? series.over(earlier).total : nil)
    }
    let search = CorrelationSearch(among: report.histories, span: days.count)
    (relations, missingDays) = (search.strongest, search.daysUntilFirst)
    driving = try Driven(span, query, record).flatMap { try Self.driving($0, days, record, local) }
    self.stays = stays.values
      .sorted { ($1.visits, $0.place.name, $0.place.id) < ($0.visits, $1.place.name, $1.place.id) }
  }

  private static func driving(
    _ driven: Driven, _ days: ClosedRange<CivilDate>, _ record: SelectedRecord, _ local: LocalTime
  ) throws -> Driving? {
    guard !driven.trips.isEmpty else { return nil }
    let log = try MileageLog(store: record.store)
    let months = days.split(by: .month, firstWeekday: local.firstWeekday)
    let byMonth = Dictionary(grouping: driven.trips) { trip in
      months.firstIndex { $0.contains(local.day(of: trip.event)) } ?? 0
    }
    return Driving(
      now: driven.now, before: driven.before,
      months: months.indices.map { (months[$0], Mileage(of: byMonth[$0] ?? [])) },
      vehicles: log.byVehicle(driven.trips),
      longest: driven.trips.max { ($0.distance, $1.start) < ($1.distance, $0.start) },
      destinations: log.byDestination(driven.trips))
  }
}
