import TrendyFoundation
import TrendyModels

/// Estimates the length of a way from the hops between fixes: what the error of each fix adds, and what of bends a hop cuts off.
struct PathLengthEstimator: Hashable, Sendable, Codable {
  /// What was estimated up to a fix, metres.
  struct Estimate: Hashable, Sendable, Codable {
    /// What hops so long and so fast usually cut off.
    var cut = 0.0
    /// What hops over two fixes cut off of those over one, and what they usually would.
    var bends = 0.0
    var usualBends = 0.0
    /// Pairs of hops from which that is known.
    var pairs = 0.0
    /// Seconds of the hops that cut something off, and their number.
    var cutSeconds: TimeInterval = 0
    var cutHops = 0.0
    /// The way by the speeds that the fixes told, where both ends of such a hop did; and those hops' own metres and usual cut.
    var told = 0.0
    var toldMetres = 0.0
    var toldCut = 0.0
    /// The error of fixes along one axis, times the metres measured between means of several.
    var error = 0.0
    /// Those metres.
    var errorMetres = 0.0

    /// Metres that were cut off, and belong to the way.
    var added: Double {
      guard cut > 0 else { return 0 }
      // A way that bends much at the fixes bends much between them too, though less than in proportion: the rest of it is chance.
      let shrink = PathLengthEstimator.doubt / max(1, pairs)
      let ratio = usualBends > 0 ? (bends / usualBends + shrink) / (1 + shrink) : 1
      let own = cut * min(PathLengthEstimator.mostBent, ratio).squareRoot()
      // Speeds are taken at the fixes as places are, and see what lies between them no better; but they do not mind bends.
      guard toldCut >= 0.9 * cut, cutHops >= PathLengthEstimator.enough else { return own }
      return (own + min(2 * cut, max(0, told - toldMetres))) / 2
    }

    /// What is worth telling of it, for a way of so many metres.
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

  /// A hop that is part of the way.
  private struct Hop: Hashable, Codable {
    var start: Coordinate
    var time: Date
    /// Seconds and metres to its end.
    var seconds: TimeInterval
    var metres: Double

    var speed: Double { metres / max(1, seconds) }
  }

  /// A fix to which the way went and from which it came back, although it went on beside it all the time.
  struct Spike: Hashable {
    var time: Date
    /// Metres away from the fix before, and seconds from the one before to the one after.
    var away: Double
    var seconds: TimeInterval
    /// Metres of the way that nobody went.
    var metres: Double
  }

  /// The last hops.
  private var last: Hop?
  private var second: Hop?
  private var third: Hop?
  private var fourth: Hop?

  /// Metres between two fixes that are really so far apart, if each errs by so much along one axis on its own.
  ///
  /// The errors of both, along two axes, add four times the variance to the square of the hop, on average.
  static func metres(_ hop: Double, error: Double) -> Double {
    (max(0, hop * hop - 4 * error * error)).squareRoot()
  }

  /// Takes a hop that is part of the way.
  /// - Returns: the fix before the last one, if by this hop it was an error.
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
      // One hop instead of those out and back.
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
    // What happened in a silence, nobody knows.
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
    // Who turns back says nothing of how the way bends.
    estimate.bends += min(Self.mostBend * both, max(0, both - direct))
    estimate.usualBends +=
      both * max(0, Self.cutPart(seconds: time, metres: both) - Self.cutPart(seconds: time / 2, metres: both / 2))
    estimate.pairs += 1
  }

  /// Whether the one or two fixes before the last hop were some to which a displaced receiver hopped and from which it came back: both hops
  /// are faster than the way before and after, and without them the pace is the same.
  private func aside(before next: Hop) -> (out: Hop, spike: Spike)? {
    guard let second, let last else { return nil }
    return third.flatMap { Self.aside(before: $0, [second, last], next) }
      ?? third.flatMap { third in fourth.flatMap { Self.aside(before: $0, [third, second, last], next) } }
  }

  private static func aside(before: Hop, _ hops: [Hop], _ next: Hop) -> (out: Hop, spike: Spike)? {
    let out = hops[0]
    let back = hops[hops.count - 1]
    guard min(out.metres, back.metres) >= leastSpike else { return nil }
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

  /// The part of a way that a hop of so many seconds and metres usually cuts off.
  ///
  /// A town's streets are an eighth longer than the straight way, however far one goes; a hop of a minute cuts off a third of that, one of
  /// twenty seconds next to nothing. Roads for higher speeds are straighter: at the same force to the side the radius of a bend
  /// grows with the square of the speed.
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
  private static let mostBend = 0.3
  private static let leastSpike = 150.0
  private static let mostBent = 4.0
  private static let enough = 8.0
  /// A hop of less than so many times the error is shortened by it by a twentieth and more.
  private static let noteworthyError = 6.0
  private static let noteworthyPart = 0.01
}
