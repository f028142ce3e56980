import TrendyFoundation
import TrendyModels

/// Detects departures below walking speed, for example with a pram or a walking stick.
///
/// A user who stays in a circle for several minutes is stationary. A user who leaves one circle after another sooner
/// than that, in about the same direction, is moving. Noise returns to its centre, and a displaced receiver moves from
/// one fix to the next. The path begins where the turning angles became small: it restarts when the sum of their
/// cosines falls below that of 60° for each (cumulative sum, Page 1954).
struct SlowDepartureDetector: Hashable, Sendable, Codable {
  /// Centre of the first circle, then the first fix outside each circle, which is the centre of the next one. Of
  /// very many, the oldest are removed.
  private var middles: [Location]
  /// Last fix before a gap in which a slow user can have reached the beginning of the path.
  private(set) var origin: Location?
  /// Last fix at the beginning of the path.
  private var left: Location
  private var last: Location
  /// Sum of the distances between circles in metres.
  private var metres = 0.0
  /// Cumulative sum of the cosines of the turning angles, less the smallest accepted cosine each. A negative sum restarts
  /// the path.
  private var excess = 0.0

  init(at fix: Location) {
    middles = [fix]
    left = fix
    last = fix
  }

  /// Processes the next fix.
  /// - Parameter radius: radius of a circle in metres.
  /// - Returns: whether the fix is outside the circle, so that the next one begins.
  mutating func add(_ fix: Location, radius: Double) -> Bool {
    // Fixes are processed again after the stay point has changed.
    guard fix.timestamp > last.timestamp else { return false }
    let hop = Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
    let before = last
    last = fix
    let middle = middles[middles.count - 1]
    let seconds = fix.timestamp.timeIntervalSince(isBegun ? middle.timestamp : left.timestamp)
    guard hop <= Self.longestHop, Self.pace * seconds <= radius else {
      begin(with: [fix])
      let silence = fix.timestamp.timeIntervalSince(before.timestamp)
      if silence > TripDetector.StationaryState.silence, hop > radius, hop <= Self.stroll * silence { origin = before }
      return false
    }
    let away = Geodesic.shortMeters(from: middle.coordinate, to: fix.coordinate)
    if !isBegun, away <= TripDetector.StationaryState.scatter { left = fix }
    guard away > radius else { return false }
    leave(away, to: fix)
    return true
  }

  private mutating func leave(_ away: Double, to fix: Location) {
    let middle = middles[middles.count - 1]
    if isBegun {
      excess +=
        DirectionalPersistence.cosine(from: middles[middles.count - 2], by: middle, to: fix)
        - DirectionalPersistence.leastCosine
    }
    guard excess >= 0 else { return begin(with: [middle, fix]) }
    middles.append(fix)
    metres += away
    if middles.count > Self.most { begin(with: Array(middles.suffix(Self.most / 2))) }
  }

  /// Whether at least one circle was left.
  var isBegun: Bool { middles.count > 1 }

  /// First fix of the path, and first fix outside each circle.
  var fixes: [Location] { [left] + middles.dropFirst() }

  /// Distance from the beginning of the path in metres, if it continues below walking speed; otherwise `nil`.
  var metresAway: Double? {
    guard middles.count > Self.leastCircles, let last = middles.last,
      metres <= Self.stroll * last.timestamp.timeIntervalSince(left.timestamp)
    else { return nil }
    // The first circle may include the rest between two reports of a parked car.
    let first = Geodesic.shortMeters(from: middles[0].coordinate, to: middles[1].coordinate)
    guard metres - first <= Self.ride * last.timestamp.timeIntervalSince(middles[1].timestamp) else { return nil }
    let away = Geodesic.shortMeters(from: middles[0].coordinate, to: last.coordinate)
    return metres <= 2 * away ? away : nil
  }

  private mutating func begin(with middles: [Location]) {
    self.middles = middles
    origin = nil
    left = middles[0]
    excess = 0
    metres = zip(middles, middles.dropFirst()).reduce(0) {
      $0 + Geodesic.shortMeters(from: $1.0.coordinate, to: $1.1.coordinate)
    }
  }

  /// Speed in m/s below which a user is stationary: 50 m in 300 s.
  static let pace = 1.0 / 6
  /// Slow walking speed in m/s. Faster departures are detected by other rules.
  private static let stroll = 1.0
  /// Speed in m/s of a ride, faster than walking with the noise of a good receiver.
  private static let ride = 3.0
  /// Maximum distance in metres between two fixes of a slow user.
  private static let longestHop = 100.0
  private static let leastCircles = 3
  private static let most = 32
}
