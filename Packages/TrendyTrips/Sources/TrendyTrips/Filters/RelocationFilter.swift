import TrendyFoundation
import TrendyModels

/// Removes wrong positions that a stationary receiver reports for minutes.
///
/// If a phone loses the access points around it, its reported WiFi position jumps hundreds of metres away, remains
/// there, and returns in one step. A fix after a jump away from a stationary position is delayed together with the
/// fixes near it, and all these fixes are removed if the position returns. If the position moves on or remains for more
/// than 20 minutes, or if a fix has a measured speed, the delayed fixes are accepted with their original timestamps, so
/// only the notification of the trip is late.
struct RelocationFilter: Hashable, Sendable, Codable {
  /// Thinned accepted fixes from the last few minutes, oldest first. Always includes the last two.
  private var recent: [Location] = []
  private var held: [Location] = []
  /// Index in `held` of the first fix at the current position.
  private var spot = 0

  var isHolding: Bool { !held.isEmpty }

  /// Returns whether a fix is accepted unchanged. If not, the caller must pass it to ``add(_:)``.
  mutating func passes(_ fix: Location) -> Bool {
    guard held.isEmpty, !isJump(to: fix) else { return false }
    note(fix)
    return true
  }

  /// Processes a fix that ``passes(_:)`` did not accept.
  /// - Returns: the fixes to pass on to the next stage now, and the displacement that this fix ended, if any.
  mutating func add(_ fix: Location) -> (passed: [Location], relocated: Displacement?) {
    guard let first = held.first, let latest = held.last, let last = recent.last else {
      return (release(with: fix), nil)
    }
    let isSoon =
      fix.timestamp.timeIntervalSince(latest.timestamp) <= Self.silence
      && fix.timestamp.timeIntervalSince(first.timestamp) <= Self.longest
    guard isSoon, !Self.isMeasured(fix) else { return (release(with: fix), nil) }
    if Self.isNear(fix, last) {
      held = []
      note(fix)
      return (
        [fix],
        Displacement(from: last, to: first, seconds: fix.timestamp.timeIntervalSince(last.timestamp))
      )
    }
    let metres = Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
    guard metres <= Self.farthest, Self.isUncertain(fix) else { return (release(with: fix), nil) }
    if !Self.isNear(fix, held[spot]) {
      // A jumping receiver remains at each position, whereas a moving user only passes through.
      guard held.count - spot >= Self.standingFixes else { return (release(with: fix), nil) }
      spot = held.count
    }
    held.append(fix)
    return ([], nil)
  }

  /// Releases the delayed fixes if no fix at or after `date` can show that they are displaced.
  mutating func take(at date: Date) -> [Location] {
    guard let first = held.first, let latest = held.last else { return [] }
    let isOver =
      date.timeIntervalSince(latest.timestamp) > Self.silence || date.timeIntervalSince(first.timestamp) > Self.longest
    return isOver ? take() : []
  }

  mutating func take() -> [Location] {
    defer { held = [] }
    for fix in held { note(fix) }
    return held
  }

  private mutating func release(with fix: Location) -> [Location] {
    let passed = take()
    // This fix may itself be a jump.
    guard !isJump(to: fix) else {
      held = [fix]
      spot = 0
      return passed
    }
    note(fix)
    return passed + [fix]
  }

  private mutating func note(_ fix: Location) {
    // Always store the last fix, and thin the earlier fixes to one in 15 s.
    if recent.count > 1,
      fix.timestamp.timeIntervalSince(recent[recent.count - 2].timestamp) < Self.spacing
    {
      recent.removeLast()
    }
    recent.append(fix)
    while recent.count > 2, fix.timestamp.timeIntervalSince(recent[0].timestamp) > Self.memory { recent.removeFirst() }
  }

  /// Whether an inaccurate fix is far from the position of a receiver that was stationary.
  private func isJump(to fix: Location) -> Bool {
    guard let last = recent.last, Self.isUncertain(fix), !Self.isMeasured(fix),
      !Self.isCertainlyNear(last.coordinate, fix.coordinate)
    else { return false }
    let metres = Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
    return metres > Self.jump && metres <= Self.farthest
      && fix.timestamp.timeIntervalSince(last.timestamp) <= Self.silence && isStationary
  }

  private var isStationary: Bool {
    guard let last = recent.last, last.timestamp.timeIntervalSince(recent[0].timestamp) >= Self.standing else {
      return false
    }
    return recent.allSatisfy { Self.isNear($0, last) && !Self.isMeasured($0) }
  }

  private static func isNear(_ fix: Location, _ other: Location) -> Bool {
    Geodesic.shortMeters(from: fix.coordinate, to: other.coordinate) <= radius
  }

  private static func isUncertain(_ fix: Location) -> Bool { fix.horizontalAccuracy > preciseAccuracy }

  private static func isMeasured(_ fix: Location) -> Bool { fix.speed ?? 0 >= pace }

  /// Whether two positions are certainly closer together than a jump, assuming 111,700 m per degree as an upper bound.
  private static func isCertainlyNear(_ start: Coordinate, _ end: Coordinate) -> Bool {
    (abs(end.latitude - start.latitude) + abs(end.longitude - start.longitude)) * 111_700 <= jump
  }

  /// Typical accuracy in metres of satellite fixes, and of the best WiFi fixes.
  private static let preciseAccuracy = 20.0
  /// Minimum length of a jump in metres.
  private static let jump = 90.0
  /// Maximum distance in metres to a wrong WiFi position.
  private static let farthest = 1500.0
  /// Radius in metres around a stationary position.
  private static let radius = 60.0
  /// Speed in m/s above which the receiver is certainly moving.
  private static let pace = 2.0
  private static let standingFixes = 2
  /// Minimum time in seconds without movement before a receiver counts as stationary.
  private static let standing: TimeInterval = 30
  /// Duration of a gap in seconds after which any position is plausible.
  private static let silence: TimeInterval = 300
  /// Maximum duration of a displacement in seconds.
  private static let longest: TimeInterval = 1200
  private static let memory: TimeInterval = 120
  private static let spacing: TimeInterval = 15
}
