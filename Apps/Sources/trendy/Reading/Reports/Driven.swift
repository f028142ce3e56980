import CommandSupport
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyTrips

/// Distance driven in a period, compared with the previous period.
struct Driven {
  private static let narrowing = ["--type", "--place", "--source", "--where", "--grep"]

  let now: Mileage
  let before: Mileage
  private let period: CalendarPeriod

  /// Sums the trips of both periods.
  ///
  /// Trips of the previous period that started at or after `end` are excluded, so that the current period is compared
  /// with the same part of the previous one.
  /// - Returns: `nil` if there are no trips in either period, or if options exclude some trips.
  init?(
    _ days: ClosedRange<CivilDate>, against daysBefore: ClosedRange<CivilDate>, _ period: CalendarPeriod,
    _ histories: TypeHistories, _ session: Session, until end: Date? = nil
  ) throws {
    guard !Self.narrowing.contains(where: { session.arguments.has($0) }) else { return nil }
    let local = histories.local
    func mileage(_ days: ClosedRange<CivilDate>, until last: Date? = nil) throws -> Mileage {
      let (start, end) = (local.start(of: days.lowerBound), local.start(of: days.upperBound.advanced(by: 1)))
      return Mileage(of: try histories.store.countedTrips(in: start..<max(start, min(end, last ?? end))))
    }
    (now, before) = (try mileage(days), try mileage(daysBefore, until: end))
    self.period = period
    guard now.trips + before.trips > 0 else { return nil }
  }

  /// Whether there are trips in the period itself, not only in the previous one.
  var isAnything: Bool { now.trips > 0 }

  func sentence(_ units: Units) -> String {
    let name = "the \(period.rawValue) before"
    guard now.trips > 0 else { return "Drove nothing (\(name) \(units.distance(before.total)))." }
    let then = before.trips > 0 ? units.distance(before.total) : "nothing"
    return "Drove \(units.distance(now.total)) in \(Quantity(now.trips, "trip")) (\(name) \(then))."
  }
}
