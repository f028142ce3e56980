import TrendyFoundation
import TrendyModels

/// Removes short displacements caused by reflections between buildings or by access points that have been moved. Such
/// fixes have a good reported accuracy.
///
/// A user does not leave the route in one step and return to it seconds later. A fix after a jump is delayed for up to
/// half a minute, together with the fixes near it. All these fixes are removed if the next one is back on the route.
struct DisplacementFilter: Hashable, Sendable, Codable {
  private var before: Location?
  private var last: Location?
  /// Fix delayed after a jump, and the fixes near it.
  private var held: [Location] = []

  var isHolding: Bool { !held.isEmpty }

  /// Returns whether a fix is accepted unchanged. If not, the caller must pass it to ``add(_:)``.
  mutating func passes(_ fix: Location) -> Bool {
    guard held.isEmpty, !isJump(to: fix) else { return false }
    note(fix)
    return true
  }

  /// Processes a fix that ``passes(_:)`` did not accept.
  /// - Returns: the fixes to pass on to the next stage now, and the displacement that this fix ended, if any.
  mutating func add(_ fix: Location) -> (passed: [Location], displaced: Displacement?) {
    var passed: [Location] = []
    var displaced: Displacement?
    if let first = held.first, let last {
      if isBack(at: fix) {
        displaced = Displacement(from: last, to: first, seconds: fix.timestamp.timeIntervalSince(last.timestamp))
        held = []
      } else if isStillAway(fix, since: first) {
        held.append(fix)
        return ([], nil)
      } else {
        passed = take()
      }
    }
    if isJump(to: fix) {
      held = [fix]
    } else {
      note(fix)
      passed.append(fix)
    }
    return (passed, displaced)
  }

  /// Releases the delayed fixes if no fix at or after `date` can show a displacement.
  mutating func take(at date: Date) -> [Location] {
    guard let last = held.last, date.timeIntervalSince(last.timestamp) >= Self.silence else { return [] }
    return take()
  }

  mutating func take() -> [Location] {
    defer { held = [] }
    for fix in held { note(fix) }
    return held
  }

  private mutating func note(_ fix: Location) { (before, last) = (last, fix) }

  /// Whether a fix is far from the last fix, and farther than the previous speed explains.
  private func isJump(to fix: Location) -> Bool {
    guard let last, !Self.isCertainlyNear(last.coordinate, fix.coordinate) else { return false }
    let metres = Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
    let seconds = fix.timestamp.timeIntervalSince(last.timestamp)
    guard metres > Self.jump, seconds < Self.silence else { return false }
    guard let before else { return true }
    let pace =
      Geodesic.shortMeters(from: before.coordinate, to: last.coordinate)
      / max(1, last.timestamp.timeIntervalSince(before.timestamp))
    return metres >= Self.sudden * pace * seconds
  }

  /// Whether a fix continues the route as if the delayed fixes did not exist.
  private func isBack(at fix: Location) -> Bool {
    // A jump to a third position is not a return to the route.
    guard let last, let first = held.first, let latest = held.last, !isJump(to: fix),
      fix.timestamp.timeIntervalSince(latest.timestamp) < Self.silence
    else { return false }
    let back = Geodesic.shortMeters(from: latest.coordinate, to: fix.coordinate)
    guard back > Self.jump else { return false }
    let out = Geodesic.shortMeters(from: last.coordinate, to: first.coordinate)
    return out + back > Self.detour * Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
  }

  private func isStillAway(_ fix: Location, since first: Location) -> Bool {
    fix.timestamp.timeIntervalSince(first.timestamp) <= Self.longest
      && Geodesic.shortMeters(from: first.coordinate, to: fix.coordinate) <= Self.jump
  }

  /// Whether two positions are certainly closer together than a jump, assuming 111,700 m per degree as an upper bound.
  private static func isCertainlyNear(_ start: Coordinate, _ end: Coordinate) -> Bool {
    (abs(end.latitude - start.latitude) + abs(end.longitude - start.longitude)) * 111_700 <= jump
  }

  /// Minimum length of a jump in metres, the same as in ``CellTowerFilter``.
  private static let jump = 200.0
  /// Minimum ratio of the speed of a step to the speed before it.
  private static let sudden = 1.4
  /// Minimum ratio of the path through the displacement to the direct path. A path around a corner has a ratio of 1.4.
  private static let detour = 1.6
  /// Maximum duration of a displacement in seconds.
  private static let longest: TimeInterval = 30
  /// Duration of a gap in seconds after which any position is plausible.
  private static let silence: TimeInterval = 120
}

/// Displacement of the reported position that is not due to movement.
struct Displacement: Hashable {
  var from: Location
  var to: Location
  /// Seconds between the last fix before the displacement and the first one after it.
  var seconds: TimeInterval
}
