import TrendyFoundation
import TrendyModels

/// Distinguishes movement from the noise of a stationary receiver, even if the user moves in a small circle, such as on
/// a running track.
///
/// The path is divided into steps of 20 m. Noise stays around one position, so consecutive steps of a stationary
/// receiver point in opposite directions on average, whether its errors are independent or change slowly. A moving user
/// turns little from one step to the next. If fixes are sparse, each displacement is one step.
struct DirectionalPersistence: Hashable, Sendable, Codable {
  struct Sums: Hashable, Codable {
    var seconds: TimeInterval = 0
    var metres = 0.0
    /// Number of pairs of consecutive steps, and sum of the cosines of their turning angles.
    var pairs = 0.0
    var cosines = 0.0

    /// Whether the steps are a movement: their mean turning angle is below 60° over at least two minutes. For noise,
    /// the mean is at least 90°.
    var isKept: Bool {
      seconds >= DirectionalPersistence.minSeconds && pairs >= DirectionalPersistence.minPairs
        && cosines >= DirectionalPersistence.minCosine * pairs
    }

    /// Returns the sums over the steps that `all` includes but `others` does not.
    static func - (all: Sums, others: Sums) -> Sums {
      Sums(
        seconds: all.seconds - others.seconds, metres: all.metres - others.metres, pairs: all.pairs - others.pairs,
        cosines: all.cosines - others.cosines)
    }
  }

  private(set) var all = Sums()
  /// Sums since the last step that took too long.
  private(set) var run = Sums()
  /// First fix of the current run, and the last fix of each step. If there are too many fixes, the oldest are
  /// discarded.
  private(set) var fixes: [Location]
  private var last: Location

  init(at fix: Location) {
    fixes = [fix]
    last = fix
  }

  mutating func add(_ fix: Location) {
    let isSilent = fix.timestamp.timeIntervalSince(last.timestamp) > Self.silence
    last = fix
    let start = fixes[fixes.count - 1]
    let seconds = fix.timestamp.timeIntervalSince(start.timestamp)
    guard !isSilent, seconds >= Self.shortest else {
      if isSilent { begin(at: fix) }
      return
    }
    let metres = Geodesic.shortMeters(from: start.coordinate, to: fix.coordinate)
    // With sparse fixes, the minimum step length increases in proportion to the interval.
    guard metres >= Self.length * max(1, seconds / Self.longest) else {
      if seconds >= Self.longest { begin(at: fix) }
      return
    }
    take(seconds, metres, to: fix)
  }

  /// Continues from another position that the user reached by an unknown route.
  mutating func move(to fix: Location) {
    last = fix
    begin(at: fix)
  }

  private mutating func take(_ seconds: TimeInterval, _ metres: Double, to fix: Location) {
    let cosine = fixes.count > 1 ? Self.cosine(from: fixes[fixes.count - 2], by: fixes[fixes.count - 1], to: fix) : nil
    for sums in [\DirectionalPersistence.all, \DirectionalPersistence.run] {
      self[keyPath: sums].seconds += seconds
      self[keyPath: sums].metres += metres
      self[keyPath: sums].pairs += cosine == nil ? 0 : 1
      self[keyPath: sums].cosines += cosine ?? 0
    }
    fixes.append(fix)
    guard fixes.count > Self.most else { return }
    guard run.isKept else { return begin(at: fix) }
    // Reduce the weight of old steps.
    fixes.removeFirst(Self.most / 2)
    run = Sums(seconds: run.seconds / 2, metres: run.metres / 2, pairs: run.pairs / 2, cosines: run.cosines / 2)
  }

  /// Returns the cosine of the turning angle at the second fix, by the law of cosines.
  static func cosine(from first: Location, by second: Location, to third: Location) -> Double {
    let before = Geodesic.shortMeters(from: first.coordinate, to: second.coordinate)
    let after = Geodesic.shortMeters(from: second.coordinate, to: third.coordinate)
    let direct = Geodesic.shortMeters(from: first.coordinate, to: third.coordinate)
    return (direct * direct - before * before - after * after) / (2 * before * after)
  }

  private mutating func begin(at fix: Location) {
    fixes = [fix]
    run = Sums()
  }

  /// Step length in metres. The error of a receiver changes by less than this within a second.
  static let length = 20.0
  /// Minimum duration of a step in seconds.
  private static let shortest: TimeInterval = 5
  /// Maximum duration of a step in seconds, long enough for a slow walk around a corner.
  private static let longest: TimeInterval = 30
  /// Duration of a gap in seconds after which any position is plausible.
  private static let silence = TripDetector.StationaryState.silence
  private static let minSeconds: TimeInterval = 120
  /// Minimum number of pairs of steps. Fewer may point in one direction by chance.
  private static let minPairs = 8.0
  static let minCosine = 0.5
  private static let most = 64
}
