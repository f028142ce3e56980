import TrendyFoundation
import TrendyModels

/// Distinguishes a fast train from receiver errors: on a train, the speed stays high and nearly constant for minutes.
struct SustainedSpeedDetector: Hashable, Sendable, Codable {
  /// First fix of the fast section, or `nil` outside one.
  private var first: Location?
  /// Path length of the fast section in metres.
  private var metres = 0.0
  private var base: Location?
  /// Rejected fixes that imply too high a speed, each reachable from the previous fix at the speed of a train.
  private var claims: [Location] = []

  /// Whether the fixes have been fast and on a straight path for long enough.
  private(set) var isFast = false

  /// Processes an accepted fix.
  mutating func add(_ fix: Location) {
    claims = []
    guard let base else { return self.base = fix }
    let seconds = fix.timestamp.timeIntervalSince(base.timestamp)
    // Over less than a second, the computed speed is mostly noise.
    guard seconds >= 1 else { return }
    let hop = Geodesic.shortMeters(from: base.coordinate, to: fix.coordinate)
    guard hop >= (first == nil ? Self.fast : Self.stillFast) * seconds else { return stop(at: fix) }
    let first = first ?? base
    self.first = first
    self.base = fix
    metres += hop
    guard Geodesic.shortMeters(from: first.coordinate, to: fix.coordinate) >= Self.straightness * metres else {
      return stop(at: fix)
    }
    isFast = isFast || fix.timestamp.timeIntervalSince(first.timestamp) >= Self.seconds
  }

  /// Processes a fix after a section whose route is unknown. A fast section continues at this fix.
  mutating func leap(to fix: Location) {
    claims = []
    guard isFast else { return stop(at: fix) }
    first = fix
    metres = 0
    base = fix
  }

  /// Returns whether a step has the speed of a fast train. Most receiver errors are faster.
  static func isFast(from start: Location, to end: Location, maximumSpeed: Double) -> Bool {
    (fast...max(fast, maximumSpeed)).contains(pace(start, end))
  }

  private mutating func stop(at fix: Location) {
    self = SustainedSpeedDetector()
    base = fix
  }

  /// Processes a fix that implies too high a speed.
  /// - Returns: the fixes since the first one that was too fast, or `nil` until they have had a train's speed for long
  ///   enough.
  mutating func agreed(on fix: Location, maximumSpeed: Double) -> [Location]? {
    guard let before = claims.last, Self.pace(before, fix) <= maximumSpeed else {
      claims = [fix]
      return nil
    }
    claims.append(fix)
    let start = claims[0]
    guard claims.count >= Self.fixes, fix.timestamp.timeIntervalSince(start.timestamp) >= Self.seconds else {
      return nil
    }
    guard Self.agree(claims) else {
      claims.removeFirst()
      return nil
    }
    defer { claims = [] }
    return claims
  }

  /// Processes a fix that implies a speed below a train's after fixes that implied too high a speed. If the rejected
  /// fixes had a constant speed for longer than any receiver error lasts, they came from a train that has since braked.
  /// - Returns: the fixes since the first one that was too fast, including this fix, or `nil` if the rejected fixes
  ///   were errors.
  mutating func braked(on fix: Location) -> [Location]? {
    guard let first = claims.first, let last = claims.last, claims.count >= Self.fixes,
      last.timestamp.timeIntervalSince(first.timestamp) >= Self.brakeSeconds, Self.agree(claims),
      Self.pace(last, fix) < Self.fast
    else { return nil }
    defer { claims = [] }
    return claims + [fix]
  }

  /// Returns whether the mean speed is that of a train and nearly all steps have about this speed.
  private static func agree(_ fixes: [Location]) -> Bool {
    // Compare the speeds of the steps, because a moving receiver error changes its speed and direction at every fix.
    let paces = zip(fixes, fixes.dropFirst()).map { pace($0.0, $0.1) }
    let mean = pace(fixes[0], fixes[fixes.count - 1])
    return mean >= fast && paces.filter { abs($0 - mean) <= mean / 4 }.count * 5 >= paces.count * 4
  }

  private static func pace(_ from: Location, _ to: Location) -> Double {
    Geodesic.shortMeters(from: from.coordinate, to: to.coordinate)
      / max(1, to.timestamp.timeIntervalSince(from.timestamp))
  }

  /// Speeds in m/s: a fast section begins at the first speed and ends below the second.
  private static let fast = 40.0
  private static let stillFast = 30.0
  private static let straightness = 0.8
  private static let seconds: TimeInterval = 60
  /// Minimum time in seconds at constant speed for the fixes from a braking train to be accepted.
  private static let brakeSeconds: TimeInterval = 15
  private static let fixes = 4
}
