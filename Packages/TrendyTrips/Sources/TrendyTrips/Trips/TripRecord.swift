import TrendyFoundation
public import TrendyModels

/// A trip with what its event tells beyond start, end and distance.
public struct TripRecord: Hashable, Sendable, Codable {
  public var trip: Trip
  /// Metres a second; `nil` when nothing told.
  public var topSpeed: Double?
  /// The way, thinned to a place every quarter of a minute or so; first and last place included.
  public var route: [Coordinate]
  /// In which way it was gone, part after part; empty while it goes on, and where nobody asked.
  public var legs: [TripLeg]
  /// What was decided about it, the oldest first: why it began there, what did not end it, what did.
  public var decisions: [TripDecision]

  public init(
    trip: Trip, topSpeed: Double? = nil, route: [Coordinate] = [], legs: [TripLeg] = [], decisions: [TripDecision] = []
  ) {
    self.trip = trip
    self.topSpeed = topSpeed
    self.route = route
    self.legs = legs
    self.decisions = decisions
  }

  private enum CodingKeys: String, CodingKey {
    case trip, topSpeed, route, legs, decisions
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    trip = try values.decode(Trip.self, forKey: .trip)
    topSpeed = try values.decodeIfPresent(Double.self, forKey: .topSpeed)
    route = try values.decode([Coordinate].self, forKey: .route)
    // A drive that was saved before there were legs goes on.
    legs = try values.decodeIfPresent([TripLeg].self, forKey: .legs) ?? []
    decisions = try values.decodeIfPresent([TripDecision].self, forKey: .decisions) ?? []
  }

  /// The mode in which most of the way was gone; `unknown` without legs.
  public var mode: MotionState {
    var metres: [MotionState: Double] = [:]
    for leg in legs { metres[leg.mode, default: 0] += leg.distanceMeters }
    return MotionState.allCases.max { metres[$0] ?? -1 < metres[$1] ?? -1 } ?? .unknown
  }

  /// Seconds from start to end; `nil` while the trip goes on.
  public var duration: Double? { trip.endTime.map { $0.timeIntervalSince(trip.startTime) } }

  /// Metres a second from start to end, stops included; `nil` while the trip goes on.
  public var averageSpeed: Double? { duration.flatMap { $0 > 0 ? trip.distanceMeters / $0 : nil } }
}

extension NaturalKey {
  /// The id of the trip that this device began at this moment and place.
  static func trip(deviceId: String, start: Location) -> String {
    id(
      for: "trip", deviceId, part(start.timestamp), part(degrees: start.coordinate.latitude),
      part(degrees: start.coordinate.longitude))
  }

  /// Ten-millionths of a degree: a centimetre, finer than any file's rounding.
  private static func part(degrees: Double) -> String { String(Int64((degrees * 1e7).rounded())) }
}
