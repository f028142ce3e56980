import TrendyFoundation
public import TrendyModels

/// Drives as lists of fixes: accuracy 10 m, one every 15 s from 2024-01-01T00:00:00Z on, every hop well under 1000 m.
public enum DriveScenarios: Sendable {
  public static let homeLat = 51.9270
  public static let homeLng = 4.3620
  public static let officeLat = 51.9420
  public static let officeLng = 4.4850
  public static let skipLat = 51.9350
  public static let skipLng = 4.4200

  /// 8.6 km in nine minutes, from home to the office.
  public static func homeToOffice() -> [Location] {
    fixes([.hold(home, hops: 0)] + [bend, skip, third, office].map { .drive($0, hops: 9) })
  }

  /// Two minutes at home.
  public static func stationaryTrip() -> [Location] {
    fixes([.hold(home, hops: 8)])
  }

  /// From home to the office with a minute's stop at the skip place.
  public static func tripWithSkipLocation() -> [Location] {
    fixes([
      .hold(home, hops: 0), .drive(bend, hops: 9), .drive(skip, hops: 9), .hold(skip, hops: 4),
      .drive(office, hops: 18),
    ])
  }
}

extension DriveScenarios {
  /// 2024-01-01T00:00:00Z.
  static let start = Date(timeIntervalSince1970: 1_704_067_200)

  private static let home = Coordinate(latitude: homeLat, longitude: homeLng)
  private static let bend = Coordinate(latitude: 51.9300, longitude: 4.3900)
  private static let skip = Coordinate(latitude: skipLat, longitude: skipLng)
  private static let third = Coordinate(latitude: 51.9380, longitude: 4.4500)
  private static let office = Coordinate(latitude: officeLat, longitude: officeLng)

  private enum Leg {
    /// The fix itself, then `hops` more of the same place.
    case hold(Coordinate, hops: Int)
    /// `hops` fixes, evenly on the way from the last place, the last one exactly there.
    case drive(Coordinate, hops: Int)
  }

  private static func fixes(_ legs: [Leg]) -> [Location] {
    var way: [Coordinate] = []
    for leg in legs {
      switch leg {
      case .hold(let place, let hops):
        // A place that was just reached has its first fix already.
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
