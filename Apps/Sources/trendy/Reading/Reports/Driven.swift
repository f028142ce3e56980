import CommandSupport
import TrendyInsights
import TrendyModels
import TrendyTrips

/// Trips in a period, and the distances driven in that period and the previous one.
struct Driven {
  let trips: [TripEvent]
  let now: Mileage
  let before: Mileage

  /// Reads the trips of the selected types. Returns `nil` if neither period has trips, or if options select only some
  /// events.
  ///
  /// A period that is still running is compared with the same part of the previous one.
  init?(_ span: ReviewedPeriod, _ query: ReportQuery, _ record: SelectedRecord) throws {
    guard record.isOfWholeTypes else { return nil }
    let local = query.local
    func trips(_ days: ClosedRange<CivilDate>, untilPresentTime: Bool = false) throws -> [TripEvent] {
      let range = local.moments(of: days)
      let end = untilPresentTime ? local.sameTime(as: query.now, on: days.upperBound) : range.upperBound
      return try record.store.countedTrips(in: range.lowerBound..<max(range.lowerBound, min(range.upperBound, end)))
        .filter { query.types?.contains($0.event.eventTypeId) != false }
    }
    self.trips = try trips(span.days)
    now = Mileage(of: self.trips)
    before = Mileage(of: try trips(span.daysBefore, untilPresentTime: span.endsAtPresentTime))
    guard now.trips + before.trips > 0 else { return nil }
  }

  func sentence(_ period: CalendarPeriod, _ units: Units) -> String {
    let name = "the \(period.rawValue) before"
    guard now.trips > 0 else { return "Drove nothing (\(name) \(units.distance(before.total)))." }
    let then = before.trips > 0 ? units.distance(before.total) : "nothing"
    return "Drove \(units.distance(now.total)) in \(Quantity(now.trips, "trip")) (\(name) \(then))."
  }
}
