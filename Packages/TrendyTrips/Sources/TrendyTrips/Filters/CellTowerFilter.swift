import TrendyFoundation
import TrendyModels

/// Removes positions of cell towers and access points from fixes that have no accuracy.
///
/// Without satellite reception, a phone reports the position of a cell tower: hundreds of metres to kilometres away,
/// with the same coordinates every time. A fix after a jump is delayed until later fixes show whether it is wrong. The
/// fix is removed if the phone repeats it but soon reports another position, or if a route through the fix would be an
/// implausible detour. A position repeated for five minutes is accepted.
struct CellTowerFilter: Hashable, Sendable, Codable {
  private var last: Location?
  /// Fix delayed after a jump.
  private var held: Location?
  /// Last fix with the same coordinates as the delayed one.
  private var repeated: Location?
  /// Targets of jumps in the last half hour, oldest first. A later jump to the same coordinates is treated as a tower
  /// position.
  private var places: [Place] = []

  private struct Place: Hashable, Codable {
    var coordinate: Coordinate
    var time: Date
  }

  var isHolding: Bool { held != nil }

  /// Returns whether a fix is accepted unchanged. If not, the caller must pass it to ``add(_:)``.
  mutating func passes(_ fix: Location) -> Bool {
    // Entries expire, so a late fix affects the result only for a limited time.
    if let oldest = places.first, fix.timestamp.timeIntervalSince(oldest.time) > Self.memory { places.removeFirst() }
    guard held == nil, fix.horizontalAccuracy >= 0 || !isJump(fix) else { return false }
    last = fix
    return true
  }

  /// Processes a fix that ``passes(_:)`` did not accept.
  /// - Returns: the fixes to pass on to the next stage now, and the removed tower positions.
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
        // A known tower position cannot show that the delayed fix was a detour.
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

  /// Releases the delayed fix if no fix at or after `date` can show that it is a tower position.
  mutating func take(at date: Date) -> Location? { isDue(at: date) ? take() : nil }

  /// Releases the delayed fix at the end of the input, unless it was repeated or is a known tower position.
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

  /// Whether the delayed fix is too old to judge the path.
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

  /// Whether a path through the second position is implausible.
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
  /// Aircraft speed in m/s.
  private static let flight = 300.0
  /// Minimum length of a jump in metres.
  private static let jump = 200.0
  /// Minimum sampling interval in seconds at which a phone uses cell towers.
  private static let seconds: TimeInterval = 12
  /// Duration of a gap in seconds after which any position is plausible.
  private static let silence: TimeInterval = 120
  /// Maximum time in seconds during which a moving phone reports the same tower.
  private static let stopSeconds: TimeInterval = 300
  private static let memory: TimeInterval = 1800
  private static let most = 16
  /// Minimum ratio of the path through the position to the direct path. A path around a corner has a ratio of 1.4.
  private static let detour = 1.6
}
