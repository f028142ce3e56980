import TrendyFoundation
import TrendyModels

/// Removes positions of cell towers and access points from fixes without accuracy.
///
/// Without reception, a phone reports the position of a cell tower, hundreds of metres to kilometres away and with
/// identical coordinates each time. A fix that jumps is delayed until the next one. It is a tower if it is repeated and
/// left again soon, or if passing it would be a detour. A position repeated for the duration of a stop is a stay of the
/// phone.
struct CellTowerFilter: Hashable, Sendable, Codable {
  /// Last accepted fix.
  private var last: Location?
  /// Delayed fix after a jump.
  private var held: Location?
  /// Last repetition of the delayed fix.
  private var repeated: Location?
  /// Targets of jumps in the last half hour, oldest first. A later fix with identical coordinates is a tower.
  private var places: [Place] = []

  private struct Place: Hashable, Codable {
    var coordinate: Coordinate
    var time: Date
  }

  var isHolding: Bool { held != nil }

  /// Whether a fix is accepted unchanged, as most are. Call first.
  mutating func passes(_ fix: Location) -> Bool {
    // Old entries are removed, so that the effect of a late fix is limited in time.
    if let oldest = places.first, fix.timestamp.timeIntervalSince(oldest.time) > Self.memory { places.removeFirst() }
    guard held == nil, fix.horizontalAccuracy >= 0 || !isJump(fix) else { return false }
    last = fix
    return true
  }

  /// Processes a fix that was not accepted.
  /// - Returns: fixes to process before the next one, and removed fixes.
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
        // A position known to be a tower is not evidence of a detour.
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

  /// Returns the delayed fix if no fix from `date` on can show that it is a tower.
  mutating func take(at date: Date) -> Location? { isDue(at: date) ? take() : nil }

  /// Returns the delayed fix at the end of the input, unless it is known as a tower.
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

  /// Whether the gap since the delayed fix is too long for conclusions about the path.
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

  /// Whether passing the second position on the way from the first to the third is implausible.
  private static func isDetour(_ first: Location, _ second: Location, _ third: Location) -> Bool {
    let direct = Geodesic.shortMeters(from: first.coordinate, to: third.coordinate)
    let out = Geodesic.shortMeters(from: first.coordinate, to: second.coordinate)
    let back = Geodesic.shortMeters(from: second.coordinate, to: third.coordinate)
    let seconds = third.timestamp.timeIntervalSince(second.timestamp)
    let isStale = back > fastest * seconds && direct <= flight * third.timestamp.timeIntervalSince(first.timestamp)
    return isStale || back > jump && out + back > detour * direct
  }

  /// Speed in m/s of the fastest train.
  private static let fastest = 100.0
  /// Speed in m/s of an aircraft, in which there are no fixes.
  private static let flight = 300.0
  /// Minimum length of a jump in metres.
  private static let jump = 200.0
  /// Minimum sampling interval in seconds at which a phone uses cell towers. More frequent fixes come from an active
  /// receiver.
  private static let seconds: TimeInterval = 12
  /// Duration of a gap in seconds after which any position is plausible.
  private static let silence: TimeInterval = 120
  /// Maximum time in seconds for which a moving phone reports the same tower.
  private static let stopSeconds: TimeInterval = 300
  private static let memory: TimeInterval = 1800
  private static let most = 16
  /// Ratio of the path via the position to the direct one. Around a corner it is 1.4.
  private static let detour = 1.6
}
