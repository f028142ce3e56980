import TrendyFoundation
public import TrendyModels

/// Fixes from sample drives: accurate to 10 m, 15 s apart, starting at 2024-01-01T00:00:00Z. Consecutive fixes are less
/// than 1000 m apart.
public enum DriveScenarios: Sendable {
  /// Latitude of home, in degrees.
  public static let homeLat = 51.9270
  /// Longitude of home, in degrees.
  public static let homeLng = 4.3620
  /// Latitude of the office, in degrees.
  public static let officeLat = 51.9420
  /// Longitude of the office, in degrees.
  public static let officeLng = 4.4850
  /// Latitude of the skip place on the route, in degrees.
  public static let skipLat = 51.9350
  /// Longitude of the skip place on the route, in degrees.
  public static let skipLng = 4.4200

  /// Drive of 8.6 km in nine minutes, from home to the office.
  public static func homeToOffice() -> [Location] {
    fixes([.hold(home, hops: 0)] + [bend, skip, third, office].map { .drive($0, hops: 9) })
  }

  /// Two minutes at home.
  public static func stationaryTrip() -> [Location] {
    fixes([.hold(home, hops: 8)])
  }

  /// Drive from home to the office with a one-minute stop at the skip place.
  public static func tripWithSkipLocation() -> [Location] {
    fixes([
      .hold(home, hops: 0), .drive(bend, hops: 9), .drive(skip, hops: 9), .hold(skip, hops: 4),
      .drive(office, hops: 18),
    ])
  }
}

extension DriveScenarios {
  /// Time of the first fix, 2024-01-01T00:00:00Z.
  static let start = Date(timeIntervalSince1970: 1_704_067_200)

  private static let home = Coordinate(latitude: homeLat, longitude: homeLng)
  private static let bend = Coordinate(latitude: 51.9300, longitude: 4.3900)
  private static let skip = Coordinate(latitude: skipLat, longitude: skipLng)
  private static let third = Coordinate(latitude: 51.9380, longitude: 4.4500)
  private static let office = Coordinate(latitude: officeLat, longitude: officeLng)

  private enum Leg {
    /// One fix at the position, then `hops` more.
    case hold(Coordinate, hops: Int)
    /// `hops` evenly spaced fixes from the last position. The last fix is at the target.
    case drive(Coordinate, hops: Int)
  }

  private static func fixes(_ legs: [Leg]) -> [Location] {
    var way: [Coordinate] = []
    for leg in legs {
      switch leg {
      case .hold(let place, let hops):
        // If the previous leg ended here, its last fix is also the first fix of this leg.
        let first = way.last == place ? 0 : 1
        way += Array(repeating: place, count: hops + first)
      case .drive(let place, let hops):
        guard let from = way.last else { continue }
        way += (1...hops).map { hop in
          let part = Double(hop) / Double(hops)
          return hop == hops
            ? place
            : Coordinate(
              latitude: from.latitude + (place.latitude - from.latitude) * part,
              longitude: from.longitude + (place.longitude - from.longitude) * part)
        }
      }
    }
    return way.enumerated().map { index, place in
      Location(coordinate: place, horizontalAccuracy: 10, timestamp: start.addingTimeInterval(Double(index) * 15))
    }
  }
}
