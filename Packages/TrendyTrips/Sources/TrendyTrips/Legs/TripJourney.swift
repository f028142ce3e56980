import TrendyFoundation
import TrendyModels

/// What ``TripTracker`` knows of the trip that is open.
struct TripJourney: Hashable, Sendable, Codable {
  private(set) var record: TripRecord
  let startLocation: Location
  private(set) var calculator: DistanceCalculator
  /// Where movement was last seen, and when: fixes that only jitter about it are no movement.
  private(set) var anchor: Location
  private(set) var lastMovement: Date
  /// The last fix that was counted while driving.
  private(set) var lastFix: Location
  /// Metres, the farthest from the start: what a parked car's drift never gets far with, however long its sum.
  private(set) var reach = 0.0
  var lastPing: Date
  /// When driving stopped; `nil` while it goes on.
  private(set) var pausedAt: Date?
  private(set) var isAtSkipPlace = false
  /// The start place is older than the start: the device gave no fix for a while before.
  private var isStartStale: Bool
  private var lastRest: Date?
  private var lastRoutePoint: Date

  /// - Parameters:
  ///   - way: the fixes since the first movement, or the last one alone; not empty, in order.
  ///   - startTime: when the trip began.
  init(way: [Location], startTime: Date, configuration: TripConfiguration) {
    let first = way[0]
    record = TripRecord(
      trip: Trip(
        id: NaturalKey.trip(
          deviceId: configuration.deviceId,
          start: Location(coordinate: first.coordinate, horizontalAccuracy: -1, timestamp: startTime)),
        startTime: startTime, startCoordinate: first.coordinate),
      route: [first.coordinate])
    startLocation = first
    calculator = DistanceCalculator(config: configuration.distanceFilter)
    anchor = first
    lastMovement = startTime
    lastFix = first
    lastPing = way[way.count - 1].timestamp
    isStartStale = startTime > first.timestamp
    lastRoutePoint = first.timestamp
    calculator.add(first)
    for fix in way.dropFirst() { add(fix) }
  }

  mutating func add(_ fix: Location) {
    let previous = lastFix
    lastFix = fix
    if isStartStale {
      isStartStale = false
      // The device slept while it was carried elsewhere: the old place is not where this trip began.
      let away = Geodesic.distanceMeters(from: record.trip.startCoordinate, to: fix.coordinate)
      if away >= calculator.config.maxJumpDistance, calculator.accepts(fix) {
        record.trip.startCoordinate = fix.coordinate
        record.route = [fix.coordinate]
        anchor = fix
      }
    }
    let hop = calculator.add(fix)
    record.trip.distanceMeters = calculator.totalMeters
    guard calculator.accepts(fix) else { return }
    record.trip.endCoordinate = fix.coordinate
    noteSpeed(fix, hop: hop, since: previous)
    noteMovement(fix)
    if fix.timestamp.timeIntervalSince(lastRoutePoint) >= 15 {
      record.route.append(fix.coordinate)
      lastRoutePoint = fix.timestamp
    }
  }

  private mutating func noteSpeed(_ fix: Location, hop: Double, since previous: Location) {
    let seconds = fix.timestamp.timeIntervalSince(previous.timestamp)
    // A hop of a few seconds says more of the receiver's noise than of speed.
    let measured = fix.speed ?? (seconds >= 5 && hop > 0 ? hop / seconds : nil)
    guard let measured, measured < 100 else { return }
    record.topSpeed = max(record.topSpeed ?? 0, measured)
  }

  private mutating func noteMovement(_ fix: Location) {
    let noise = max(30, fix.horizontalAccuracy)
    guard Geodesic.distanceMeters(from: anchor.coordinate, to: fix.coordinate) > noise else {
      if reach == 0 { lastRest = fix.timestamp }
      return
    }
    if reach == 0, let lastRest, lastRest.timeIntervalSince(record.trip.startTime) > 60 {
      // Automotive with the engine running, and only now does it move off.
      record.trip.startTime = lastRest
    }
    anchor = fix
    lastMovement = max(lastMovement, fix.timestamp)
    reach = max(reach, Geodesic.distanceMeters(from: record.trip.startCoordinate, to: fix.coordinate))
  }

  mutating func pause(at date: Date, isAtSkipPlace: Bool) {
    pausedAt = date
    self.isAtSkipPlace = isAtSkipPlace
  }

  /// - Parameter way: the fixes since it moved again. What was walked in between is no part of the trip.
  mutating func resume(at date: Date, way: [Location]) {
    pausedAt = nil
    isAtSkipPlace = false
    lastMovement = max(lastMovement, date)
    calculator.startNewStretch()
    for fix in way { add(fix) }
  }

  /// Where it is, by the last fix that was good enough to measure from.
  var place: Coordinate { (calculator.lastLocation ?? lastFix).coordinate }

  /// When it closes if nothing happens any more.
  func closingDate(_ configuration: TripConfiguration) -> Date {
    let silence = lastMovement.addingTimeInterval(configuration.silenceSeconds)
    guard let pausedAt, !isAtSkipPlace else { return silence }
    return min(silence, pausedAt.addingTimeInterval(configuration.resumeWindowSeconds))
  }

  /// The trip as it is when it is over: at its last movement.
  func closed() -> TripRecord {
    var record = record
    record.trip.endTime = max(anchor.timestamp, record.trip.startTime)
    record.trip.endCoordinate = anchor.coordinate
    if record.route.last != anchor.coordinate { record.route.append(anchor.coordinate) }
    return record
  }

  func isTrip(_ configuration: TripConfiguration) -> Bool {
    record.trip.distanceMeters >= configuration.minimumDistanceMeters
      && reach >= configuration.minimumDistanceMeters / 2
  }
}
