import TrendyFoundation
import TrendyModels

/// Tells a fast train from an error of the receiver: minutes of fixes that agree on a speed, where one bad fix claims it.
struct SustainedSpeedDetector: Hashable, Sendable, Codable {
  /// The fix with which it became fast, and the metres from fix to fix since then; `nil` while it is slow.
  private var first: Location?
  private var metres = 0.0
  /// The last fix that a hop was measured to.
  private var base: Location?
  /// Fixes too fast for the way so far, each reachable from the one before by a fast train, the oldest first.
  private var claims: [Location] = []

  /// Whether the fixes up to now have been fast and straight for long enough to be believed.
  private(set) var isFast = false

  /// Takes a fix that the way leads to.
  mutating func add(_ fix: Location) {
    claims = []
    guard let base else { return self.base = fix }
    let seconds = fix.timestamp.timeIntervalSince(base.timestamp)
    // Many fixes a second say more of the receiver's noise than of the pace.
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

  /// Takes a fix that no way leads to. What was fast before is so from there on.
  mutating func leap(to fix: Location) {
    claims = []
    guard isFast else { return stop(at: fix) }
    first = fix
    metres = 0
    base = fix
  }

  /// Whether a hop is one of a fast train: no train is as fast as an error of the receiver can be.
  static func isFast(from start: Location, to end: Location, maximumSpeed: Double) -> Bool {
    (fast...max(fast, maximumSpeed)).contains(pace(start, end))
  }

  private mutating func stop(at fix: Location) {
    self = SustainedSpeedDetector()
    base = fix
  }

  /// Takes a fix that the way so far does not lead to.
  /// - Returns: the fixes since the first that was too fast, once they agree on the speed of a train for long enough.
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

  /// Takes a fix to which neither the way so far leads nor the pace of a train: one that brakes was a train, if it had been one for long
  /// enough that no error of the receiver looks like it.
  /// - Returns: the fixes since the first that was too fast, and this one.
  mutating func braked(on fix: Location) -> [Location]? {
    guard let first = claims.first, let last = claims.last, claims.count >= Self.fixes,
      last.timestamp.timeIntervalSince(first.timestamp) >= Self.brakeSeconds, Self.agree(claims),
      Self.pace(last, fix) < Self.fast
    else { return nil }
    defer { claims = [] }
    return claims + [fix]
  }

  /// Whether nearly all hops between fixes are about as fast as the way from the first to the last, and that is fast.
  private static func agree(_ fixes: [Location]) -> Bool {
    // An error that wanders has a pace of its own at each fix, and turns.
    let paces = zip(fixes, fixes.dropFirst()).map { pace($0.0, $0.1) }
    let mean = pace(fixes[0], fixes[fixes.count - 1])
    return mean >= fast && paces.filter { abs($0 - mean) <= mean / 4 }.count * 5 >= paces.count * 4
  }

  private static func pace(_ from: Location, _ to: Location) -> Double {
    Geodesic.shortMeters(from: from.coordinate, to: to.coordinate)
      / max(1, to.timestamp.timeIntervalSince(from.timestamp))
  }

  /// Metres a second from which, and down to which, it is believed that no bad fix makes them.
  private static let fast = 40.0
  private static let stillFast = 30.0
  private static let straightness = 0.8
  private static let seconds: TimeInterval = 60
  /// Seconds of a steady pace after which a slower fix is that of a train that brakes.
  private static let brakeSeconds: TimeInterval = 15
  private static let fixes = 4
}
