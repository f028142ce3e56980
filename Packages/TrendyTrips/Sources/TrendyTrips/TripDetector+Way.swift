#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels

extension TripDetector {
  /// On the way, with what may be the beginning of a stop.
  struct Way: Hashable, Sendable, Codable {
    private(set) var record: TripRecord
    private var now: Mark
    /// The first fix of a circle that all later ones keep to: where the trip ends if it ends.
    private var stop: Mark
    /// One fix outside that circle may be an error; with a second the way went on.
    private var stray: Mark?
    private var lastRoutePoint: Date

    /// How far the trip had come with a fix.
    private struct Mark: Hashable, Codable {
      var fix: Location
      var distance = 0.0
      var reach = 0.0
      var topSpeed: Double?
      var routeCount = 1
    }

    /// - Parameter fixes: not empty, in order.
    init(_ fixes: [Location], _ configuration: Configuration) {
      let first = fixes[0]
      record = TripRecord(
        trip: Trip(
          id: NaturalKey.trip(deviceId: configuration.deviceId, start: first), startTime: first.timestamp,
          startCoordinate: first.coordinate),
        route: [first.coordinate])
      now = Mark(fix: first)
      stop = now
      lastRoutePoint = first.timestamp
      for fix in fixes.dropFirst() { add(fix, configuration) }
    }

    /// Seconds for which the fixes have kept together, 0 while they do not.
    var restingSeconds: TimeInterval {
      stray == nil ? now.fix.timestamp.timeIntervalSince(stop.fix.timestamp) : 0
    }

    /// The place of the stop, as rest begins there.
    var rest: Rest { Rest(at: stop.fix) }

    mutating func add(_ fix: Location, _ configuration: Configuration) {
      let hop = Geodesic.distanceMeters(from: now.fix.coordinate, to: fix.coordinate)
      let seconds = fix.timestamp.timeIntervalSince(now.fix.timestamp)
      now.distance += hop
      // A hop of a few seconds says more of the receiver's noise than of speed.
      if let speed = fix.speed ?? (seconds >= 5 ? hop / seconds : nil), speed <= configuration.maximumSpeed {
        now.topSpeed = max(now.topSpeed ?? 0, speed)
      }
      now.reach = max(
        now.reach, Geodesic.distanceMeters(from: record.trip.startCoordinate, to: fix.coordinate))
      now.fix = fix
      if fix.timestamp.timeIntervalSince(lastRoutePoint) >= 15 {
        record.route.append(fix.coordinate)
        lastRoutePoint = fix.timestamp
      }
      now.routeCount = record.route.count
      record.trip.distanceMeters = now.distance
      record.trip.endCoordinate = fix.coordinate
      record.topSpeed = now.topSpeed
      noteStop(configuration)
    }

    private mutating func noteStop(_ configuration: Configuration) {
      guard isOutside(stop, configuration) else {
        stray = nil
        return
      }
      guard let first = stray else {
        stray = now
        return
      }
      stop = first
      stray = isOutside(first, configuration) ? now : nil
    }

    private func isOutside(_ stop: Mark, _ configuration: Configuration) -> Bool {
      Geodesic.distanceMeters(from: stop.fix.coordinate, to: now.fix.coordinate)
        > max(configuration.stopRadius, now.fix.horizontalAccuracy)
    }

    /// The trip, closed at the stop or at the last fix; or nothing, if it got nowhere.
    func ended(isAtStop: Bool, _ configuration: Configuration) -> Effect {
      let end = isAtStop ? stop : now
      var record = record
      record.trip.endTime = end.fix.timestamp
      record.trip.endCoordinate = end.fix.coordinate
      record.trip.distanceMeters = end.distance
      record.topSpeed = end.topSpeed
      record.route.removeLast(record.route.count - end.routeCount)
      if record.route.last != end.fix.coordinate { record.route.append(end.fix.coordinate) }
      let isTrip = end.distance >= configuration.minimumDistance && end.reach >= configuration.minimumReach
      return isTrip ? .ended(record) : .cancelled(record.trip)
    }
  }
}
