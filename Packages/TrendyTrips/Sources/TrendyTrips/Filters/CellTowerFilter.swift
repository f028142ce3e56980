import TrendyFoundation
import TrendyModels

/// Passes over the places of radio cells and access points in fixes that say nothing of their accuracy.
///
/// A phone without reception asks the cells, and tells where a mast stands: hundreds of metres to kilometres off, and with the very
/// coordinates each time, which no receiver measures twice. A fix that jumps is held back until the next one: it is a mast if it is told again
/// and left again soon, or if the way over it is a detour. A place that is told for as long as a stop takes is where the phone rests.
struct CellTowerFilter: Hashable, Sendable, Codable {
  /// The last fix that was passed on.
  private var last: Location?
  /// A fix that jumped, and the last one with the same coordinates.
  private var held: Location?
  private var repeated: Location?
  /// Places that were jumped to in the last half hour, the oldest first. Who is there again, to the coordinate, is at none of them.
  private var places: [Place] = []

  private struct Place: Hashable, Codable {
    var coordinate: Coordinate
    var time: Date
  }

  /// Whether a fix is passed on as it is, as nearly all are. To be asked first.
  mutating func passes(_ fix: Location) -> Bool {
    // What a late fix changes is to be forgotten.
    if let oldest = places.first, fix.timestamp.timeIntervalSince(oldest.time) > Self.memory { places.removeFirst() }
    guard held == nil, fix.horizontalAccuracy >= 0 || !isJump(fix) else { return false }
    last = fix
    return true
  }

  /// Takes a fix that does not pass.
  /// - Returns: the fixes that are passed on before the next one, and those that were passed over.
  mutating func add(_ fix: Location) -> (passed: [Location], masts: [Location]) {
    var passed: [Location] = []
    var masts: [Location] = []
    if let held, let last {
      if fix.coordinate == held.coordinate, fix.horizontalAccuracy < 0 {
        guard fix.timestamp.timeIntervalSince(held.timestamp) >= Self.stopSeconds else {
          repeated = fix
          return ([], [])
        }
        release()
        return ([held, fix], [])
      }
      let isMast: Bool
      if let repeated {
        let away = Geodesic.shortMeters(from: held.coordinate, to: fix.coordinate)
        isMast = away > Self.jump || away > Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
        if !isMast { passed = [held, repeated] }
      } else {
        // The way to a mast says nothing of the way.
        let isDetour = !isDue(at: fix.timestamp) && !isKnown(fix) && Self.isDetour(last, held, fix)
        isMast = isKnown(held) || isDetour
        if !isMast { passed = [held] }
      }
      note(held)
      if isMast { masts = [held] }
      release()
      self.last = passed.last ?? last
    }
    if fix.horizontalAccuracy < 0, isJump(fix) {
      held = fix
    } else {
      passed.append(fix)
      last = fix
    }
    return (passed, masts)
  }

  /// What is held back, if nothing that comes at a moment or later can show that it is a mast.
  mutating func take(at date: Date) -> Location? { isDue(at: date) ? take() : nil }

  /// What is held back, if it is not known to be a mast, where no more can come.
  mutating func take() -> Location? {
    guard let held, repeated == nil, !isKnown(held) else { return nil }
    note(held)
    release()
    last = held
    return held
  }

  private mutating func release() { (held, repeated) = (nil, nil) }

  private func isJump(_ fix: Location) -> Bool {
    guard let last else { return false }
    return fix.timestamp.timeIntervalSince(last.timestamp) >= Self.seconds
      && Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate) > Self.jump
  }

  /// Whether so much time has passed since it was held back that the next fix says nothing of the way to it.
  private func isDue(at date: Date) -> Bool {
    held.map { date.timeIntervalSince($0.timestamp) >= Self.silence } ?? false
  }

  private func isKnown(_ fix: Location) -> Bool {
    places.contains {
      $0.coordinate == fix.coordinate && fix.timestamp.timeIntervalSince($0.time) <= Self.memory
    }
  }

  private mutating func note(_ fix: Location) {
    places.removeAll { $0.coordinate == fix.coordinate }
    places.append(Place(coordinate: fix.coordinate, time: fix.timestamp))
    if places.count > Self.most { places.removeFirst() }
  }

  /// Whether nobody goes over the second place from the first to the third.
  private static func isDetour(_ first: Location, _ second: Location, _ third: Location) -> Bool {
    let direct = Geodesic.shortMeters(from: first.coordinate, to: third.coordinate)
    let out = Geodesic.shortMeters(from: first.coordinate, to: second.coordinate)
    let back = Geodesic.shortMeters(from: second.coordinate, to: third.coordinate)
    let seconds = third.timestamp.timeIntervalSince(second.timestamp)
    let isStale = back > fastest * seconds && direct <= flight * third.timestamp.timeIntervalSince(first.timestamp)
    return isStale || back > jump && out + back > detour * direct
  }

  /// Metres a second of the fastest train, and of an aeroplane in which nothing is heard.
  private static let fastest = 100.0
  private static let flight = 300.0
  /// Metres of a jump.
  private static let jump = 200.0
  /// Seconds between the fixes of a recorder that may ask the cells: one that writes more often has a receiver that is on.
  private static let seconds: TimeInterval = 12
  /// Seconds without a fix after which it may have come anywhere.
  private static let silence: TimeInterval = 120
  /// Seconds that a phone stays with one mast at most, if it does not rest.
  private static let stopSeconds: TimeInterval = 300
  private static let memory: TimeInterval = 1800
  private static let most = 16
  /// The way around a corner is 1.4 times as long as the direct one.
  private static let detour = 1.6
}
