#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import TrendyModels

/// A trip with what its event tells beyond start, end and distance.
public struct TripRecord: Hashable, Sendable, Codable {
  public var trip: Trip
  /// Metres a second; `nil` when nothing told.
  public var topSpeed: Double?
  /// The way, thinned to a place every quarter of a minute or so; first and last place included.
  public var route: [Coordinate]

  public init(trip: Trip, topSpeed: Double? = nil, route: [Coordinate] = []) {
    self.trip = trip
    self.topSpeed = topSpeed
    self.route = route
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
