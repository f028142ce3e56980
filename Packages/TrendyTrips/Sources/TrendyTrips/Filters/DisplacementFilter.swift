import TrendyFoundation
import TrendyModels

/// Passes over the places to which a receiver is displaced for seconds: in a street of high houses by reflections, by an
/// access point that was carried elsewhere. Such fixes claim to be as good as ever.
///
/// Nobody who goes at some pace is suddenly carried off, and back on their way a moment later. A fix that jumps is held
/// back, with those about it, for half a minute at most. They are passed over if the next fix jumps back to the way.
struct DisplacementFilter: Hashable, Sendable, Codable {
  /// The last two fixes that were passed on.
  private var before: Location?
  private var last: Location?
  /// A fix that jumped, and those about it since.
  private var held: [Location] = []

  /// Whether a fix is passed on as it is, as nearly all are. To be asked first.
  mutating func passes(_ fix: Location) -> Bool {
    guard held.isEmpty, !isJump(to: fix) else { return false }
    note(fix)
    return true
  }

  /// Takes a fix that does not pass.
  /// - Returns: the fixes that are passed on before the next one, and what was passed over.
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

  /// What is held back, if no fix that comes at a moment or later shows that the receiver was displaced.
  mutating func take(at date: Date) -> [Location] {
    guard let last = held.last, date.timeIntervalSince(last.timestamp) >= Self.silence else { return [] }
    return take()
  }

  /// What is held back, where no more can come.
  mutating func take() -> [Location] {
    defer { held = [] }
    for fix in held { note(fix) }
    return held
  }

  private mutating func note(_ fix: Location) { (before, last) = (last, fix) }

  /// Whether a fix is far from the last one, and farther than the pace up to that one leads.
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

  /// Whether the next fix jumps back to where the way would have been without those that are held back.
  private func isBack(at fix: Location) -> Bool {
    // Whoever is thrown from one place to the next comes back to none.
    guard let last, let first = held.first, let latest = held.last, !isJump(to: fix),
      fix.timestamp.timeIntervalSince(latest.timestamp) < Self.silence
    else { return false }
    let back = Geodesic.shortMeters(from: latest.coordinate, to: fix.coordinate)
    guard back > Self.jump else { return false }
    let out = Geodesic.shortMeters(from: last.coordinate, to: first.coordinate)
    return out + back > Self.detour * Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
  }

  /// Whether a fix is one of those to which the receiver is displaced.
  private func isStillAway(_ fix: Location, since first: Location) -> Bool {
    fix.timestamp.timeIntervalSince(first.timestamp) <= Self.longest
      && Geodesic.shortMeters(from: first.coordinate, to: fix.coordinate) <= Self.jump
  }

  /// Whether two places are certainly nearer than a jump, as nearly all are; it costs next to nothing. No degree is longer
  /// than 111,700 m.
  private static func isCertainlyNear(_ start: Coordinate, _ end: Coordinate) -> Bool {
    (abs(end.latitude - start.latitude) + abs(end.longitude - start.longitude)) * 111_700 <= jump
  }

  /// Metres of a jump, as for ``CellTowerFilter``.
  private static let jump = 200.0
  /// A hop so many times as fast as the one before is sudden.
  private static let sudden = 1.4
  /// The way around a corner is 1.4 times as long as the direct one.
  private static let detour = 1.6
  /// Seconds for which a receiver is displaced at most. Whoever is away for longer may have gone there.
  private static let longest: TimeInterval = 30
  /// Seconds without a fix after which it may have come anywhere.
  private static let silence: TimeInterval = 120
}

/// A receiver that was elsewhere, as its fixes have it, while nobody went there.
struct Displacement: Hashable {
  var from: Location
  var to: Location
  /// From the last fix before it to the first one after it.
  var seconds: TimeInterval
}
