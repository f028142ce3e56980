import TrendyFoundation
import TrendyModels

/// Detects departures below walking speed, for example with a pram or a walking stick.
///
/// A user who stays within a circle for several minutes is stationary. A user who leaves several circles in succession
/// in less time, in about the same direction, is moving. Noise returns to its centre, and a displacement of the
/// receiver takes place from one fix to the next. The path begins where the turning angles became small: whenever the
/// sum of the cosines of these angles falls below the sum for angles of 60°, the path restarts (cumulative sum, Page
/// 1954).
struct SlowDepartureDetector: Hashable, Sendable, Codable {
  /// Centre of the first circle, then the first fix outside each circle, which is the centre of the next circle. If
  /// there are too many fixes, the oldest are discarded.
  private var middles: [Location]
  /// Last fix before a gap, if a slow user could have walked from there to the beginning of the path.
  private(set) var origin: Location?
  /// Last fix close to the centre of the first circle, where the path begins.
  private var left: Location
  private var last: Location
  /// Sum of the distances between circles in metres.
  private var metres = 0.0
  /// Cumulative sum of the cosines of the turning angles minus the smallest accepted cosine. The path restarts when the
  /// sum becomes negative.
  private var excess = 0.0

  init(at fix: Location) {
    middles = [fix]
    left = fix
    last = fix
  }

  /// Processes the next fix, and returns whether the fix is outside the circle and begins the next circle.
  mutating func add(_ fix: Location, radius: Double) -> Bool {
    // Fixes are processed again if the stay point has changed.
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
        - DirectionalPersistence.minCosine
    }
    guard excess >= 0 else { return begin(with: [middle, fix]) }
    middles.append(fix)
    metres += away
    if middles.count > Self.most { begin(with: Array(middles.suffix(Self.most / 2))) }
  }

  /// Whether at least one circle has been left.
  var isBegun: Bool { middles.count > 1 }

  /// Last fix at the beginning of the path, and the first fix outside each circle.
  var fixes: [Location] { [left] + middles.dropFirst() }

  /// Distance from the beginning of the path in metres, or `nil` if the path is not below walking speed or not fairly
  /// straight.
  var metresAway: Double? {
    guard middles.count > Self.minCircles, let last = middles.last,
      metres <= Self.stroll * last.timestamp.timeIntervalSince(left.timestamp)
    else { return nil }
    // The time in the first circle may include a standstill between two reports from a parked car.
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
  /// Slow walking speed in m/s. Other rules detect faster departures.
  private static let stroll = 1.0
  /// Minimum speed of a ride in m/s, faster than walking plus the noise of a good receiver.
  private static let ride = 3.0
  /// Maximum distance in metres between two fixes of a slow user.
  private static let longestHop = 100.0
  private static let minCircles = 3
  private static let most = 32
}
