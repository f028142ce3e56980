public import TrendyFoundation
import TrendyModels

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

// MARK: The same trips with a poorer receiver
extension SimulatedDay {
  /// Removes fixes so that consecutive fixes are at least this many seconds apart.
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

  /// Removes the accuracy of all fixes.
  public func withoutAccuracy() -> SimulatedDay {
    var day = self
    for index in fixes.indices { day.fixes[index].horizontalAccuracy = -1 }
    return day
  }

  /// Adds an independent normal error to each fix, with this standard deviation in metres to the north and to the east.
  /// The accuracy does not change.
  public func scattered(byMeters meters: Double, seed: UInt64) -> SimulatedDay {
    var day = self
    var random = SeededGenerator(seed: seed)
    for index in fixes.indices {
      day.fixes[index].coordinate = SimulatedTraveller.moved(
        fixes[index].coordinate, north: meters * random.normal(), east: meters * random.normal())
    }
    return day
  }

  /// Removes a random share (0 to 1) of the fixes.
  public func dropping(_ part: Double, seed: UInt64) -> SimulatedDay {
    var day = self
    var random = SeededGenerator(seed: seed)
    day.fixes = fixes.filter { _ in !random.happens(part) }
    return day
  }

  /// Adds gaps of one to four minutes, about three per hour.
  public func withHoles(seed: UInt64) -> SimulatedDay {
    var day = self
    var random = SeededGenerator(seed: seed)
    var begin = Date.distantPast
    var end = Date.distantPast
    day.fixes = fixes.filter {
      while $0.timestamp >= end {
        begin = max(end, fixes[0].timestamp).addingTimeInterval(random.number(in: 0...2400))
        end = begin.addingTimeInterval(random.number(in: 60...240))
      }
      return $0.timestamp < begin
    }
    return day
  }

  /// Replaces a share (0 to 1) of the fixes with cell-tower positions, some of them consecutive.
  ///
  /// The tower is the nearest tower or its neighbour, about a kilometre away, with an accuracy of 400 m to 1.7 km. The
  /// coordinates of a tower never change. A fix less than ten seconds after the previous fix is kept.
  public func askingCells(_ part: Double, seed: UInt64) -> SimulatedDay {
    var day = self
    var random = SeededGenerator(seed: seed)
    var left = 0
    for index in fixes.indices.dropFirst()
    where fixes[index].timestamp.timeIntervalSince(fixes[index - 1].timestamp) >= 10 {
      if left == 0, random.happens(part / 3) { left = Int(random.number(in: 1...6)) }
      guard left > 0 else { continue }
      left -= 1
      let north = random.happens(0.3) ? 1 : 0
      day.fixes[index].coordinate = Self.mast(near: fixes[index].coordinate, cellsNorth: north, seed: seed)
      day.fixes[index].horizontalAccuracy = random.number(in: 400...1700).rounded()
      day.fixes[index].speed = nil
    }
    return day
  }

  /// Inserts fixes from WiFi access points, as phones record them.
  ///
  /// A share (0 to 1) of the fixes with an accuracy of up to 20 m is followed by a fix that is up to 200 m off and
  /// reports an accuracy of 20 to 50 m. For minutes at a time, the inserted fixes stay at an access point that the user
  /// has already passed. No fixes are inserted between fixes less than eight seconds apart.
  public func askingAccessPoints(_ part: Double, seed: UInt64) -> SimulatedDay {
    var day = self
    var random = SeededGenerator(seed: seed)
    var row: [Location] = []
    var stale = (place: Coordinate(latitude: 0, longitude: 0), until: Date.distantPast)
    for (fix, next) in zip(fixes, fixes.dropFirst()) {
      row.append(fix)
      let seconds = next.timestamp.timeIntervalSince(fix.timestamp)
      guard (8...120).contains(seconds), (0...20).contains(fix.horizontalAccuracy), random.happens(part) else {
        continue
      }
      let (north, east) = SimulatedTraveller.offset(from: fix.coordinate, to: next.coordinate)
      let middle = SimulatedTraveller.moved(fix.coordinate, north: north / 2, east: east / 2)
      let place = Self.mast(near: middle, squaresOfDegree: 500, seed: seed)
      if fix.timestamp >= stale.until, random.happens(0.05) {
        stale = (place, fix.timestamp.addingTimeInterval(random.number(in: 60...400)))
      }
      row.append(
        Location(
          coordinate: fix.timestamp < stale.until ? stale.place : place,
          horizontalAccuracy: random.number(in: 20...50).rounded(),
          timestamp: fix.timestamp.addingTimeInterval((seconds / 2).rounded())))
    }
    day.fixes = row + fixes.suffix(1)
    return day
  }

  /// Removes the first one to five minutes of fixes after each gap of ten minutes or more, like a phone that wakes up
  /// late.
  public func wakingLate(seed: UInt64) -> SimulatedDay {
    var day = self
    var random = SeededGenerator(seed: seed)
    var last = Date.distantPast
    var awake = Date.distantPast
    day.fixes = fixes.filter {
      if $0.timestamp.timeIntervalSince(last) >= 600, last > .distantPast {
        awake = $0.timestamp.addingTimeInterval(random.number(in: 60...300))
      }
      last = $0.timestamp
      return $0.timestamp >= awake
    }
    return day
  }

  /// Returns the position of the cell tower in a square of the map, determined by the seed. The sides of a square are
  /// 1/`squaresOfDegree` of a degree of latitude long.
  private static func mast(
    near place: Coordinate, cellsNorth: Int = 0, squaresOfDegree: Double = 100, seed: UInt64
  ) -> Coordinate {
    let row = Int((place.latitude * squaresOfDegree).rounded(.down)) + cellsNorth
    let width = 1 / squaresOfDegree / cos((Double(row) / squaresOfDegree) * .pi / 180)
    let column = Int((place.longitude / width).rounded(.down))
    var random = SeededGenerator(seed: seed &+ UInt64(bitPattern: Int64(row &* 1_000_003 &+ column)))
    return Coordinate(
      latitude: (Double(row) + random.number(in: 0...1)) / squaresOfDegree,
      longitude: (Double(column) + random.number(in: 0...1)) * width)
  }
}
