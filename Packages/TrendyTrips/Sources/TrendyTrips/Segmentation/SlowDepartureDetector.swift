import TrendyFoundation
import TrendyModels

/// Tells leaving a place at less than a stroll from the errors of a receiver at rest: somebody with a pram or a stick, on a steep path.
///
/// Somebody who stays within a circle for some minutes has come to rest; somebody who leaves circle after circle sooner than that, in
/// much the same direction, goes. Errors about one place lead back to it, however long one waits, and a receiver that is thrown
/// elsewhere gets there from one fix to the next. The way begins where its turns became small: as soon as the cosines of those since
/// sum up to less than that of 60° for each, it begins anew (a cumulative sum, Page 1954).
struct SlowDepartureDetector: Hashable, Sendable, Codable {
  /// The middle of the first circle, and the first fix outside of each, which is the middle of the next one; but for the oldest of
  /// very many.
  private var middles: [Location]
  /// The last fix before a silence in which somebody slow can have come to where the way begins.
  private(set) var origin: Location?
  /// The last fix at the very place at which the way began.
  private var left: Location
  private var last: Location
  /// Metres from circle to circle.
  private var metres = 0.0
  /// By how much the cosines of the turns exceed the least ones.
  private var excess = 0.0

  init(at fix: Location) {
    middles = [fix]
    left = fix
    last = fix
  }

  /// Takes the next fix.
  /// - Parameter radius: metres of a circle.
  /// - Returns: whether the fix is outside the circle, so that the next one begins.
  mutating func add(_ fix: Location, radius: Double) -> Bool {
    // Those seen since a place was taken for the one of rest are looked at again.
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

  /// Whether a circle was left by a way.
  var isBegun: Bool { middles.count > 1 }

  /// The fix with which the way began, and the first one outside of each circle.
  var fixes: [Location] { [left] + middles.dropFirst() }

  /// Metres from where the way began, if it leads on at less than a stroll; else `nil`.
  var metresAway: Double? {
    guard middles.count > Self.leastCircles, let last = middles.last,
      metres <= Self.stroll * last.timestamp.timeIntervalSince(left.timestamp)
    else { return nil }
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

  /// Metres a second below which somebody has come to rest: 50 m in 300 s.
  static let pace = 1.0 / 6
  /// Metres a second of a stroll: whoever goes faster departs by the rules for others.
  private static let stroll = 1.0
  /// Metres from one fix to the next: nobody slow gets farther.
  private static let longestHop = 100.0
  private static let leastCircles = 3
  private static let most = 32
}
