import TrendyFoundation
public import TrendyModels

/// Trip with the additional data of its event.
public struct TripRecord: Hashable, Sendable, Codable {
  /// Start, end and distance.
  public var trip: Trip
  /// Top speed in m/s; `nil` if unknown.
  public var topSpeed: Double?
  /// Route with about one point every 15 s, including start and end.
  public var route: [Coordinate]
  /// Number of fixes of the trip; an average of several counts as one.
  public var fixCount: Int
  /// Legs in chronological order; empty during the trip, and if they were not determined.
  public var legs: [TripLeg]
  /// Decisions about start, stops and end, oldest first.
  public var decisions: [TripDecision]

  /// Creates a record.
  public init(
    trip: Trip, topSpeed: Double? = nil, route: [Coordinate] = [], fixCount: Int = 0, legs: [TripLeg] = [],
    decisions: [TripDecision] = []
  ) {
    self.trip = trip
    self.topSpeed = topSpeed
    self.route = route
    self.fixCount = fixCount
    self.legs = legs
    self.decisions = decisions
  }

  /// Transport mode of most of the path; `unknown` without legs.
  public var mode: MotionState {
    var metres: [MotionState: Double] = [:]
    for leg in legs { metres[leg.mode, default: 0] += leg.distanceMeters }
    return MotionState.allCases.max { metres[$0] ?? -1 < metres[$1] ?? -1 } ?? .unknown
  }

  /// Duration in seconds; `nil` during the trip.
  public var duration: Double? { trip.endTime.map { $0.timeIntervalSince(trip.startTime) } }

  /// Average speed in m/s including stops; `nil` during the trip.
  public var averageSpeed: Double? { duration.flatMap { $0 > 0 ? trip.distanceMeters / $0 : nil } }
}

extension NaturalKey {
  /// Natural id of a trip, from device, start time and position.
  static func trip(deviceId: String, start: Location) -> String {
    id(
      for: "trip", deviceId, part(start.timestamp), part(degrees: start.coordinate.latitude),
      part(degrees: start.coordinate.longitude))
  }

  /// Coordinate in units of 1e-7 degrees, about a centimetre, which is finer than the rounding in any file format.
  private static func part(degrees: Double) -> String { String(Int64((degrees * 1e7).rounded())) }
}
