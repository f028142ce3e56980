import TrendyFoundation
public import TrendyModels

/// Trip with the additional data that its event contains.
public struct TripRecord: Hashable, Sendable, Codable {
  /// Start, end and distance.
  public var trip: Trip
  /// Top speed in m/s, or `nil` if unknown.
  public var topSpeed: Double?
  /// Route with about one point every 15 s, including both ends.
  public var route: [Coordinate]
  /// Number of fixes in the trip. The mean of several fixes counts as one fix.
  public var fixCount: Int
  /// Legs in chronological order. Empty during the trip, and if no legs were determined.
  public var legs: [TripLeg]
  /// Decisions about the start, the stops and the end, oldest first.
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

  /// Transport mode of the largest part of the path, or `unknown` without legs.
  public var mode: MotionState {
    var metres: [MotionState: Double] = [:]
    for leg in legs { metres[leg.mode, default: 0] += leg.distanceMeters }
    return MotionState.allCases.max { metres[$0] ?? -1 < metres[$1] ?? -1 } ?? .unknown
  }

  /// Duration in seconds, or `nil` during the trip.
  public var duration: Double? { trip.endTime.map { $0.timeIntervalSince(trip.startTime) } }

  /// Average speed in m/s including stops, or `nil` during the trip.
  public var averageSpeed: Double? { duration.flatMap { $0 > 0 ? trip.distanceMeters / $0 : nil } }
}

extension NaturalKey {
  /// Returns the natural id of a trip, derived from device, start time and start position.
  static func trip(deviceId: String, start: Location) -> String {
    id(
      for: "trip", deviceId, part(start.timestamp), part(degrees: start.coordinate.latitude),
      part(degrees: start.coordinate.longitude))
  }

  /// Returns a coordinate in units of 1e-7 degrees, about a centimetre. No file format rounds more finely.
  private static func part(degrees: Double) -> String { String(Int64((degrees * 1e7).rounded())) }
}
