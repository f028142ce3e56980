import TrendyFoundation
import TrendyModels

/// State of the trip in progress in ``TripTracker``.
struct TripJourney: Hashable, Sendable, Codable {
  private(set) var record: TripRecord
  let startLocation: Location
  private(set) var calculator: DistanceCalculator
  /// Position and time of the last movement. A fix within the position noise is not a movement.
  private(set) var anchor: Location
  private(set) var lastMovement: Date
  /// Last fix of the trip. Walking during a pause is not included.
  private(set) var lastFix: Location
  /// Maximum distance from the start in metres. Unlike the path length, it does not grow with noise.
  private(set) var reach = 0.0
  var lastPing: Date
  /// Time when driving stopped, or `nil` while driving.
  private(set) var pausedAt: Date?
  private(set) var isAtSkipPlace = false
  /// Whether the start position may be outdated, because the last fix was older than the start.
  private var isStartStale: Bool
  private var lastRest: Date?
  private var lastRoutePoint: Date

  /// Creates the state of a trip. `way` contains the fixes since the first movement in chronological order, or only the
  /// last fix. `way` must not be empty.
  init(way: [Location], startTime: Date, configuration: TripConfiguration) {
    let first = way[0]
    record = TripRecord(
      trip: Trip(
        id: NaturalKey.trip(
          deviceId: configuration.deviceId,
          start: Location(coordinate: first.coordinate, horizontalAccuracy: -1, timestamp: startTime)),
        startTime: startTime, startCoordinate: first.coordinate),
      route: [first.coordinate], fixCount: 1)
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
    record.fixCount += 1
    let previous = lastFix
    lastFix = fix
    if isStartStale {
      isStartStale = false
      // Move the start to this fix if the device moved without recording fixes.
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
    // Compute the speed only over at least five seconds, because over a shorter time it is mostly noise.
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
      // Driving was detected while the car was stationary with its engine running.
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

  /// Resumes a paused trip. The path during the pause is not part of the trip.
  /// - Parameter way: fixes since the movement resumed.
  mutating func resume(at date: Date, way: [Location]) {
    pausedAt = nil
    isAtSkipPlace = false
    lastMovement = max(lastMovement, date)
    calculator.startNewStretch()
    for fix in way { add(fix) }
  }

  /// Current position, from the last accurate fix if there is one.
  var place: Coordinate { (calculator.lastLocation ?? lastFix).coordinate }

  /// Returns the time when the trip ends if no further readings arrive.
  func closingDate(_ configuration: TripConfiguration) -> Date {
    let silence = lastMovement.addingTimeInterval(configuration.silenceSeconds)
    guard let pausedAt, !isAtSkipPlace else { return silence }
    return min(silence, pausedAt.addingTimeInterval(configuration.resumeWindowSeconds))
  }

  /// Returns the finished trip, which ends at its last movement.
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
