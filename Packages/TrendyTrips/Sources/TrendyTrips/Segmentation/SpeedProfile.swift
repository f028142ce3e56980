public import TrendyFoundation
public import TrendyModels

/// Speed over time and stops of a trip, for a chart.
public struct SpeedProfile: Hashable, Sendable {
  /// Speed in one interval.
  public struct Step: Hashable, Sendable {
    /// Mean speed in m/s, or `nil` if there are no fixes.
    public var speed: Double?
    /// Position at the middle of the interval.
    public var coordinate: Coordinate
  }

  /// Period of a minute or more without movement.
  public struct Stop: Hashable, Sendable {
    /// Beginning of the stop.
    public var start: Date
    /// End of the stop.
    public var end: Date
    /// Mean position.
    public var coordinate: Coordinate
  }

  /// Start of the trip.
  public let start: Date
  /// Duration of an interval in seconds. The last interval may be shorter.
  public let stepSeconds: Double
  /// Consecutive intervals from start to end.
  public let steps: [Step]
  /// Stops during the trip, in order. Time before the departure and after the arrival is not included.
  public let stops: [Stop]

  /// Highest speed of an interval in m/s.
  public var topSpeed: Double { steps.compactMap(\.speed).max() ?? 0 }
  /// Total duration of the stops in seconds.
  public var standingSeconds: Double { stops.reduce(0) { $0 + $1.end.timeIntervalSince($1.start) } }

  private static let maxSteps = 240.0
  private static let shortestStep = 5.0
  /// Duration of a gap in seconds after which the speed between two fixes is unknown.
  private static let silence = 120.0
  /// Maximum distance in metres between the ends of a gap during which the user was stationary.
  private static let nearby = 50.0
  /// Speed in m/s below which the user is stationary: slower than walking, faster than the noise of a good receiver.
  private static let standing = 0.7
  private static let shortestStop = 60.0
  /// Accuracy in metres above which a fix is ignored.
  private static let worstAccuracy = 100.0
  /// Speed in m/s above which a step is a receiver error.
  private static let fastest = 100.0

  /// Creates a profile, or returns `nil` if there are too few fixes. Fixes must be in chronological order. Fixes
  /// outside the span are ignored.
  public init?(_ fixes: [Location], during span: ClosedRange<Date>) {
    let fixes = fixes.filter { span.contains($0.timestamp) && $0.horizontalAccuracy <= Self.worstAccuracy }
    let seconds = span.upperBound.timeIntervalSince(span.lowerBound)
    let hops = zip(fixes, fixes.dropFirst()).compactMap { Hop($0, $1, since: span.lowerBound) }
    guard hops.count > 1, seconds > 0 else { return nil }
    start = span.lowerBound
    stepSeconds = max(Self.shortestStep, (seconds / Self.maxSteps).rounded(.up))
    var steps: [Step] = []
    var first = 0
    for index in 0..<Int((seconds / stepSeconds).rounded(.up)) {
      let from = Double(index) * stepSeconds
      let to = min(seconds, from + stepSeconds)
      while first < hops.count - 1, hops[first].end <= from { first += 1 }
      steps.append(Self.step(from, to, hops[first...]))
    }
    self.steps = steps
    stops = Self.stops(hops, since: span.lowerBound)
  }

  private struct Hop {
    /// Times in seconds since the start of the trip.
    let begin: Double
    let end: Double
    let from: Coordinate
    let to: Coordinate
    /// Speed in m/s, or `nil` if a gap or an error makes the speed unknown.
    let speed: Double?

    init?(_ one: Location, _ next: Location, since start: Date) {
      begin = one.timestamp.timeIntervalSince(start)
      end = next.timestamp.timeIntervalSince(start)
      guard end > begin else { return nil }
      (from, to) = (one.coordinate, next.coordinate)
      let metres = Geodesic.shortMeters(from: from, to: to)
      if end - begin > SpeedProfile.silence {
        speed = metres < SpeedProfile.nearby ? 0 : nil
      } else {
        let reported = one.speed.flatMap { one in next.speed.map { (one + $0) / 2 } }
        let measured = reported ?? metres / (end - begin)
        speed = measured < SpeedProfile.fastest ? max(0, measured) : nil
      }
    }

    func coordinate(at seconds: Double) -> Coordinate {
      let part = min(1, max(0, (seconds - begin) / (end - begin)))
      return Coordinate(
        latitude: from.latitude + part * (to.latitude - from.latitude),
        longitude: from.longitude + part * (to.longitude - from.longitude))
    }
  }

  private static func step(_ from: Double, _ to: Double, _ hops: ArraySlice<Hop>) -> Step {
    let middle = (from + to) / 2
    var (sum, known) = (0.0, 0.0)
    var at = hops[hops.startIndex]
    for hop in hops {
      guard hop.begin < to else { break }
      if hop.begin <= middle { at = hop }
      let shared = min(to, hop.end) - max(from, hop.begin)
      guard shared > 0, let speed = hop.speed else { continue }
      sum += speed * shared
      known += shared
    }
    return Step(speed: known >= (to - from) / 2 ? sum / known : nil, coordinate: at.coordinate(at: middle))
  }

  private static func stops(_ hops: [Hop], since start: Date) -> [Stop] {
    var stops: [Stop] = []
    var place = 0
    while place < hops.count {
      var end = place
      while end < hops.count, let speed = hops[end].speed, speed < standing { end += 1 }
      let run = hops[place..<end]
      if let first = run.first, let last = run.last, place > 0, end < hops.count, last.end - first.begin >= shortestStop
      {
        // Weight the fixes by time, because most of them may be from the beginning of the stop.
        let seconds = last.end - first.begin
        func mean(_ value: (Coordinate) -> Double) -> Double {
          run.reduce(0) { $0 + (value($1.from) + value($1.to)) / 2 * ($1.end - $1.begin) } / seconds
        }
        stops.append(
          Stop(
            start: start.addingTimeInterval(first.begin), end: start.addingTimeInterval(last.end),
            coordinate: Coordinate(latitude: mean(\.latitude), longitude: mean(\.longitude))))
      }
      place = max(end, place + 1)
    }
    return stops
  }
}
