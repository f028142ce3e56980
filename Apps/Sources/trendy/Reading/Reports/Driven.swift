import CommandSupport
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyTrips

/// How far was driven in a period, against the one before.
struct Driven {
  private static let narrowing = ["--type", "--place", "--source", "--where", "--grep"]

  let now: Mileage
  let before: Mileage
  private let period: CalendarPeriod

  /// - Parameters:
  ///   - days: of the period, and `daysBefore` those that they are compared with.
  ///   - end: trips of the days before that began later do not count; `nil` where all do.
  /// - Returns: `nil` where nothing was driven in either, and where only some events are looked at.
  init?(
    _ days: ClosedRange<CivilDate>, against daysBefore: ClosedRange<CivilDate>, _ period: CalendarPeriod,
    _ histories: TypeHistories, _ session: Session, until end: Date? = nil
  ) throws {
    guard !Self.narrowing.contains(where: { session.arguments.has($0) }) else { return nil }
    let local = histories.local
    func mileage(_ days: ClosedRange<CivilDate>, until last: Date? = nil) throws -> Mileage {
      let (start, end) = (local.start(of: days.lowerBound), local.start(of: days.upperBound.advanced(by: 1)))
      return Mileage(of: try histories.store.trips(in: start..<max(start, min(end, last ?? end))))
    }
    (now, before) = (try mileage(days), try mileage(daysBefore, until: end))
    self.period = period
    guard now.trips + before.trips > 0 else { return nil }
  }

  /// Whether there was a trip in the period itself.
  var isAnything: Bool { now.trips > 0 }

  func sentence(_ units: Units) -> String {
    let name = "the \(period.rawValue) before"
    guard now.trips > 0 else { return "Driven nothing (\(name) \(units.distance(before.total)))." }
    let then = before.trips > 0 ? units.distance(before.total) : "nothing"
    return "Driven \(units.distance(now.total)) in \(Quantity(now.trips, "trip")) (\(name) \(then))."
  }
}
