#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import TrendyModels

// The same day by a poorer recorder; the truth stays.
extension SimulatedDay {
  /// With no two fixes nearer to each other than so many seconds.
  public func thinned(toSeconds seconds: TimeInterval) -> SimulatedDay {
    var day = self
    var last = Date.distantPast
    day.fixes = fixes.filter {
      guard $0.timestamp.timeIntervalSince(last) >= seconds else { return false }
      last = $0.timestamp
      return true
    }
    return day
  }

  /// Without what the receiver says of its accuracy.
  public func withoutAccuracy() -> SimulatedDay {
    var day = self
    for index in fixes.indices { day.fixes[index].horizontalAccuracy = -1 }
    return day
  }

  /// With a normal error of each fix on its own, so many metres to the north and to the east, that it does not tell of.
  public func scattered(byMeters meters: Double, seed: UInt64) -> SimulatedDay {
    var day = self
    var chance = SeededGenerator(seed: seed)
    for index in fixes.indices {
      day.fixes[index].coordinate = SimulatedPerson.moved(
        fixes[index].coordinate, north: meters * chance.normal(), east: meters * chance.normal())
    }
    return day
  }

  /// Without a part of its fixes, 0 to 1, taken by chance.
  public func dropping(_ part: Double, seed: UInt64) -> SimulatedDay {
    var day = self
    var chance = SeededGenerator(seed: seed)
    day.fixes = fixes.filter { _ in !chance.happens(part) }
    return day
  }

  /// With holes of one to four minutes, three an hour on average.
  public func withHoles(seed: UInt64) -> SimulatedDay {
    var day = self
    var chance = SeededGenerator(seed: seed)
    var begin = Date.distantPast
    var end = Date.distantPast
    day.fixes = fixes.filter {
      while $0.timestamp >= end {
        begin = max(end, fixes[0].timestamp).addingTimeInterval(chance.number(in: 0...2400))
        end = begin.addingTimeInterval(chance.number(in: 60...240))
      }
      return $0.timestamp < begin
    }
    return day
  }
}
