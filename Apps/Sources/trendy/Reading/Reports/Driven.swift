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

  /// Sums the trips of `days` and `daysBefore`; `nil` without trips in either, or if options select only some events.
  ///
  /// Trips of the previous period that started at or after `end` do not count, so that a period that has not ended is
  /// compared with the same part of the previous one.
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

  /// Whether the period has trips; the previous one may have some without it.
  var isAnything: Bool { now.trips > 0 }

  func sentence(_ units: Units) -> String {
    let name = "the \(period.rawValue) before"
    guard now.trips > 0 else { return "Driven nothing (\(name) \(units.distance(before.total)))." }
    let then = before.trips > 0 ? units.distance(before.total) : "nothing"
    return "Driven \(units.distance(now.total)) in \(Quantity(now.trips, "trip")) (\(name) \(then))."
  }
}
