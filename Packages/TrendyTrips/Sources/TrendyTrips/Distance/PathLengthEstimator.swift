import TrendyFoundation
import TrendyModels

/// Corrects the measured path length for two errors: position noise lengthens the path, and straight steps between
/// sparse fixes cut off the bends.
struct PathLengthEstimator: Hashable, Sendable, Codable {
  /// Running sums up to a fix, in metres unless noted otherwise.
  struct Estimate: Hashable, Sendable, Codable {
    /// Estimated length lost where the steps cut off bends, given their durations and speeds.
    var cut = 0.0
    /// Detour of two consecutive steps compared with the straight line between their ends: the measured sum, and the
    /// sum expected on a typical route. Their ratio shows how winding the route is.
    var bends = 0.0
    var usualBends = 0.0
    var pairs = 0.0
    /// Total duration in seconds of the steps that contribute to `cut`, and their number.
    var cutSeconds: TimeInterval = 0
    var cutHops = 0.0
    /// For steps with measured ground speeds at both ends: length computed from the speeds, straight-line length, and
    /// expected length cut off.
    var told = 0.0
    var toldMetres = 0.0
    var toldCut = 0.0
    /// Sum of noise times step length over the steps with significant noise.
    var error = 0.0
    /// Total length of the steps with significant noise.
    var errorMetres = 0.0

    /// Estimated length cut off in bends. The caller adds it to the path length.
    var added: Double {
      guard cut > 0 else { return 0 }
      // A route that bends at the fixes also bends between them, though less than proportionally. If there are few
      // pairs, the ratio is shrunk toward 1, because few pairs are weak evidence.
      let shrink = PathLengthEstimator.doubt / max(1, pairs)
      let ratio = usualBends > 0 ? (bends / usualBends + shrink) / (1 + shrink) : 1
      let own = cut * min(PathLengthEstimator.maxBentRatio, ratio).squareRoot()
      // Ground speeds are also sampled only at the fixes, but bends do not bias them.
      guard toldCut >= 0.9 * cut, cutHops >= PathLengthEstimator.enough else { return own }
      return (own + min(2 * cut, max(0, told - toldMetres))) / 2
    }

    /// Returns the corrections to report for a path of `distance` metres.
    func decisions(at date: Date, distance: Double) -> [TripDecision] {
      var decisions: [TripDecision] = []
      if errorMetres >= distance / 4, errorMetres > 0 {
        decisions.append(TripDecision(.scattered, at: date, meters: error / errorMetres))
      }
      if added >= PathLengthEstimator.noteworthyPart * distance, cutHops > 0 {
        decisions.append(
          TripDecision(.sparse, at: date, seconds: cutSeconds / cutHops, meters: added, limit: distance))
      }
      return decisions
    }
  }

  private struct Hop: Hashable, Codable {
    var start: Coordinate
    var time: Date
    /// Duration in seconds.
    var seconds: TimeInterval
    /// Straight-line length in metres.
    var metres: Double

    var speed: Double { metres / max(1, seconds) }
  }

  /// Fix to the side of a path that otherwise continues straight.
  struct Spike: Hashable {
    var time: Date
    /// Distance to the previous fix in metres, and time in seconds between the fixes before and after the outlier.
    var away: Double
    var seconds: TimeInterval
    /// Path length in metres that the outlier added.
    var metres: Double
  }

  /// The last four steps.
  private var last: Hop?
  private var second: Hop?
  private var third: Hop?
  private var fourth: Hop?

  /// Returns the distance between two fixes, corrected for independent position noise.
  ///
  /// On average, the errors of two fixes in two axes add four times the variance to the squared distance. `error` is
  /// the standard deviation of the noise per axis, in metres.
  static func metres(_ hop: Double, error: Double) -> Double {
    (max(0, hop * hop - 4 * error * error)).squareRoot()
  }

  /// Adds a step of the path.
  /// - Returns: an outlier just before the start of the step, or `nil` if the step reveals none.
  mutating func add(
    _ way: Double, from start: Location, to end: Location, error: FixAverager.Error, to estimate: inout Estimate
  ) -> Spike? {
    if error.mean < error.fix || error.mean * PathLengthEstimator.noteworthyError >= way {
      estimate.error += error.fix * way
      estimate.errorMetres += way
    }
    let hop = Hop(
      start: start.coordinate, time: start.timestamp, seconds: end.timestamp.timeIntervalSince(start.timestamp),
      metres: way)
    estimateCut(by: hop, start.speed, to: end, error.mean, &estimate)
    let aside = aside(before: hop)
    if let aside {
      // Replace the step to the outlier and the step back with a single one.
      second = Hop(
        start: aside.out.start, time: aside.out.time, seconds: aside.spike.seconds,
        metres: Geodesic.shortMeters(from: aside.out.start, to: hop.start))
      (third, fourth) = (nil, nil)
    } else {
      (fourth, third, second) = (third, second, last)
    }
    last = hop
    return aside?.spike
  }

  private func estimateCut(
    by hop: Hop, _ speed: Double?, to end: Location, _ error: Double, _ estimate: inout Estimate
  ) {
    let part = Self.cutPart(seconds: hop.seconds, metres: hop.metres)
    // The route during a gap of more than three minutes is unknown, so no correction applies.
    guard part > 0, hop.seconds <= Self.silence else { return }
    let cut = hop.metres * part / (1 - part)
    estimate.cut += cut
    estimate.cutSeconds += hop.seconds
    estimate.cutHops += 1
    if let first = speed, let last = end.speed {
      estimate.told += (first + last) / 2 * hop.seconds
      estimate.toldMetres += hop.metres
      estimate.toldCut += cut
    }
    guard let before = last, (Self.straightSeconds...Self.silence).contains(before.seconds) else { return }
    let both = before.metres + hop.metres
    let time = before.seconds + hop.seconds
    let direct = Self.metres(Geodesic.shortMeters(from: before.start, to: end.coordinate), error: error)
    // Limit the difference, because a U-turn is not evidence of bends.
    estimate.bends += min(Self.maxBendShare * both, max(0, both - direct))
    estimate.usualBends +=
      both * max(0, Self.cutPart(seconds: time, metres: both) - Self.cutPart(seconds: time / 2, metres: both / 2))
    estimate.pairs += 1
  }

  /// Detects one or two outliers before the last step: the steps to them and back are faster than the steps before and
  /// after, and without the outliers the speed is normal.
  private func aside(before next: Hop) -> (out: Hop, spike: Spike)? {
    guard let second, let last else { return nil }
    return third.flatMap { Self.aside(before: $0, [second, last], next) }
      ?? third.flatMap { third in fourth.flatMap { Self.aside(before: $0, [third, second, last], next) } }
  }

  private static func aside(before: Hop, _ hops: [Hop], _ next: Hop) -> (out: Hop, spike: Spike)? {
    let out = hops[0]
    let back = hops[hops.count - 1]
    guard min(out.metres, back.metres) >= minSpikeMetres else { return nil }
    let usual = max(before.speed, next.speed)
    let seconds = hops.reduce(0) { $0 + $1.seconds }
    let direct = Geodesic.shortMeters(from: out.start, to: next.start)
    let pace = direct / max(1, seconds)
    guard min(out.speed, back.speed) >= 1.4 * usual, pace <= 1.3 * usual, pace >= min(before.speed, next.speed) / 2,
      hops.count == 2 || hops[1].speed <= 1.3 * usual
    else { return nil }
    return (
      out,
      Spike(
        time: hops[1].time, away: out.metres, seconds: seconds, metres: hops.reduce(0) { $0 + $1.metres } - direct)
    )
  }

  /// Returns the fraction of the path that a step of this duration and length typically cuts off.
  ///
  /// Streets in towns are about an eighth longer than the straight line. A step of one minute cuts off a third of this
  /// excess, and a step of 20 s cuts off almost nothing. Faster roads are straighter, because at constant lateral
  /// acceleration the radius of a bend grows with the square of the speed.
  private static func cutPart(seconds: TimeInterval, metres: Double) -> Double {
    guard seconds > straightSeconds else { return 0 }
    let speed = metres / seconds
    let detour = speed > townSpeed ? townDetour * (townSpeed / speed) * (townSpeed / speed) : townDetour
    return detour * (seconds - straightSeconds) / (seconds + 45)
  }

  private static let townDetour = 0.13
  private static let townSpeed = 12.0
  private static let straightSeconds: TimeInterval = 20
  private static let silence: TimeInterval = 180
  private static let doubt = 2.0
  private static let maxBendShare = 0.3
  private static let minSpikeMetres = 150.0
  private static let maxBentRatio = 4.0
  private static let enough = 8.0
  /// Ratio of step length to noise below which the noise changes the length by at least 5 %.
  private static let noteworthyError = 6.0
  private static let noteworthyPart = 0.01
}
