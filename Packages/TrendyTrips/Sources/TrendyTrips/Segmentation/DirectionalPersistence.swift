import TrendyFoundation
import TrendyModels

/// Tells going from the errors of a receiver at rest, however small the circle is in which somebody goes: laps of a running track, a walk
/// around the block.
///
/// The way is taken in steps of 20 m. Errors about one place come back, so that on average the next step of a resting receiver points away
/// from the last one, whether each error is its own or they change slowly. Who goes turns little from most steps to the next. Of a
/// recorder that writes less often than a step takes, each hop is one.
struct DirectionalPersistence: Hashable, Sendable, Codable {
  /// Steps one after the other.
  struct Sums: Hashable, Codable {
    var seconds: TimeInterval = 0
    var metres = 0.0
    /// Pairs of steps, and the sum of the cosines of the turns from the first to the second.
    var pairs = 0.0
    var cosines = 0.0

    /// Whether it is somebody's way: in two minutes the turns are less than 60° on average, where those by chance are 90°.
    var isKept: Bool {
      seconds >= DirectionalPersistence.leastSeconds && pairs >= DirectionalPersistence.leastPairs
        && cosines >= DirectionalPersistence.leastCosine * pairs
    }

    /// Those that came after others.
    static func - (all: Sums, others: Sums) -> Sums {
      Sums(
        seconds: all.seconds - others.seconds, metres: all.metres - others.metres, pairs: all.pairs - others.pairs,
        cosines: all.cosines - others.cosines)
    }
  }

  /// All steps, those to and fro too.
  private(set) var all = Sums()
  /// The steps since one took too long.
  private(set) var run = Sums()
  /// The fix at which the run began, and the one at the end of each of its steps, but for the oldest of very many.
  private(set) var fixes: [Location]
  private var last: Location

  init(at fix: Location) {
    fixes = [fix]
    last = fix
  }

  /// Takes the next fix.
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
    // Of a recorder that writes less often than it takes, a step is as much longer.
    guard metres >= Self.length * max(1, seconds / Self.longest) else {
      if seconds >= Self.longest { begin(at: fix) }
      return
    }
    take(seconds, metres, to: fix)
  }

  /// Goes on from another place. Nobody went there.
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
    // What it did long ago says nothing of now.
    fixes.removeFirst(Self.most / 2)
    run = Sums(seconds: run.seconds / 2, metres: run.metres / 2, pairs: run.pairs / 2, cosines: run.cosines / 2)
  }

  /// The cosine of the turn between the step to a fix and the one from it, by the law of cosines.
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

  /// Metres of a step: more than a receiver errs from one second to the next.
  static let length = 20.0
  /// Seconds of a step: long enough for a stroll around a corner.
  private static let shortest: TimeInterval = 5
  private static let longest: TimeInterval = 30
  /// Seconds between two fixes after which it may have been anywhere.
  private static let silence = TripDetector.StationaryState.silence
  private static let leastSeconds: TimeInterval = 120
  /// Pairs of steps: a few point in one direction by chance.
  private static let leastPairs = 8.0
  static let leastCosine = 0.5
  private static let most = 64
}
