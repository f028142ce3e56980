import TrendyFoundation
import TrendyModels

/// Estimates the independent error of fixes from the last minutes.
///
/// A fix deviates from the line between its neighbours because of its error and of the bend of the path. Independent
/// errors let two consecutive deviations point to opposite sides, bends to the same side. The negative scalar product
/// of the two is therefore twice the variance per axis on average, and negative in a bend. Slowly changing errors are
/// not detected; they do not lengthen the path.
struct PositionNoiseEstimator: Hashable, Sendable, Codable {
  private var last: Location?
  /// Displacement in metres to the north and to the east, and duration in seconds, of the last two steps.
  private var hop: Hop?
  private var hopBefore: Hop?
  /// Deviation of the fix before the last one from the line between its neighbours.
  private var deviation: SIMD2<Double>?
  /// Position in time of that fix between its neighbours, 0 to 1.
  private var part = 0.5
  /// Samples of the current time span and of the last one with enough samples. The effect of a late fix ends with its
  /// span.
  private var current = Samples()
  private var previous = Samples()
  private var span = 0.0

  private struct Samples: Hashable, Codable {
    var sum = 0.0
    var count = 0.0
  }

  /// Twice the variance per axis in m². Negative if the path bends more than the noise.
  private var mean: Double { (current.sum + previous.sum) / max(1, current.count + previous.count) }
  private var count: Double { current.count + previous.count }

  private struct Hop: Hashable, Codable {
    var metres: SIMD2<Double>
    var seconds: Double
  }

  /// Metres per degree to the north and to the east, near the latitude for which they were computed.
  private var scale = SIMD2<Double>()
  private var scaleLatitude = 1000.0

  /// Standard deviation of the noise per axis in metres; 0 with too few samples.
  var metres: Double { count >= Self.least ? (max(0, mean) / 2).squareRoot() : 0 }

  /// Whether the noise is at least this number of metres.
  func isAtLeast(_ metres: Double) -> Bool { count >= Self.least && mean >= 2 * metres * metres }

  /// Offset in metres to the north and to the east, for nearby positions, accurate to about 0.1 %.
  mutating func offset(from start: Coordinate, to end: Coordinate) -> SIMD2<Double> {
    if abs(end.latitude - scaleLatitude) > 0.02 {
      scaleLatitude = end.latitude
      scale = Geodesic.metresOfDegree(at: end.latitude)
    }
    var east = end.longitude - start.longitude
    if abs(east) > 180 { east = east.remainder(dividingBy: 360) }
    return scale * SIMD2(end.latitude - start.latitude, east)
  }

  mutating func add(_ fix: Location) {
    // An inaccurate fix is not representative of the others.
    guard fix.horizontalAccuracy <= Self.certain else { return }
    guard let last else { return self.last = fix }
    self.last = fix
    let next = Hop(
      metres: offset(from: last.coordinate, to: fix.coordinate),
      seconds: fix.timestamp.timeIntervalSince(last.timestamp))
    guard next.seconds <= Self.silence, let hop else {
      hopBefore = nil
      deviation = nil
      return self.hop = next.seconds <= Self.silence ? next : nil
    }
    let part = hop.seconds / (hop.seconds + next.seconds)
    let deviation = (1 - part) * hop.metres - part * next.metres
    if let before = self.deviation, let hopBefore {
      let way = hopBefore.metres + hop.metres + next.metres
      let hopSquared = (way * way).sum() / 9
      if hopSquared <= Self.longest * Self.longest {
        let bends = 2 * Self.bendPart * Self.bendPart * hopSquared
        turn(to: (fix.timestamp.timeIntervalSinceReferenceDate / Self.spanSeconds).rounded(.down))
        // Limits the effect of a single outlier.
        let limit = 50 + 4 * max(0, mean)
        let sample = -(before * deviation).sum() / (1 - part + self.part) - bends
        current.sum += min(max(sample, -limit), limit)
        current.count += 1
      }
    }
    (self.deviation, self.part) = (deviation, part)
    (self.hopBefore, self.hop) = (hop, next)
  }

  private mutating func turn(to now: Double) {
    guard now != span else { return }
    span = now
    if current.count >= Self.least { previous = current }
    current = Samples()
  }

  /// Duration of a gap in seconds after which two fixes are unrelated.
  private static let silence: TimeInterval = 90
  /// Maximum accuracy in metres of the fixes considered.
  private static let certain = 70.0
  /// Step length in metres above which bends cannot be distinguished from noise.
  private static let longest = 100.0
  /// Maximum deviation of a fix, as a share of the step length, on a path that turns at every fix.
  private static let bendPart = 0.2
  private static let least = 8.0
  private static let spanSeconds: TimeInterval = 1200
}

/// Averages several fixes of a noisy receiver, if they are frequent enough.
struct FixAverager: Hashable, Sendable, Codable {
  private(set) var scatter = PositionNoiseEstimator()
  /// Whether the noise is high enough for averaging.
  private var isWide = false
  private var first: Location?
  private var latest: Location?
  /// End of the current mean. Intervals do not depend on the first fix, so that processing soon agrees again after a
  /// late fix.
  private var end = Date.distantPast
  /// Seconds between the last two fixes.
  private var interval = 0.0
  private var lastTime: Date?
  private var metres = SIMD2<Double>()
  private var seconds = 0.0
  private var speed = 0.0
  private var speeds = 0.0
  private var count = 0.0
  /// Noise at the last fix of the mean.
  private var known = 0.0

  /// First fix of each mean of the last minutes, oldest first.
  private var origins: [Origin] = []

  private struct Origin: Hashable, Codable {
    /// Time of the mean.
    var time: Date
    var first: Location
  }

  /// Independent error of the current mean or fix.
  private(set) var error = Error()

  /// Standard deviations per axis in metres.
  struct Error: Hashable, Sendable, Codable {
    /// Standard deviation of a mean.
    var mean = 0.0
    /// Standard deviation of a fix.
    var fix = 0.0
  }

  /// Whether a fix is used unchanged, as most are. Call first.
  mutating func passes(_ fix: Location) -> Bool {
    scatter.add(fix)
    if let oldest = origins.first, fix.timestamp.timeIntervalSince(oldest.time) > Self.memory {
      origins.removeAll { fix.timestamp.timeIntervalSince($0.time) > Self.memory }
    }
    interval = lastTime.map { fix.timestamp.timeIntervalSince($0) } ?? 0
    lastTime = fix.timestamp
    let limit = isWide ? Self.narrow : Self.wide
    isWide = scatter.isAtLeast(limit)
    guard !isWide, count == 0 else { return false }
    error.fix = scatter.metres
    error.mean = error.fix
    return true
  }

  /// Adds a fix that is not used unchanged.
  /// - Returns: the completed mean of the fixes before it, if there is one.
  mutating func add(_ fix: Location) -> Location? {
    let metres = scatter.metres
    // A jump ends the mean, which would otherwise be a position between the two.
    let done = isWide && !isDue(at: fix.timestamp) && !isJump(to: fix, metres) ? nil : flush()
    known = metres
    guard let first else {
      self.first = fix
      end = spanEnd(of: fix, metres)
      count = 1
      latest = fix
      self.metres = SIMD2()
      seconds = 0
      speed = fix.speed ?? 0
      speeds = fix.speed == nil ? 0 : 1
      return done
    }
    count += 1
    latest = fix
    self.metres += scatter.offset(from: first.coordinate, to: fix.coordinate)
    seconds += fix.timestamp.timeIntervalSince(first.timestamp)
    if let told = fix.speed {
      speed += told
      speeds += 1
    }
    return done
  }

  private func isJump(to fix: Location, _ metres: Double) -> Bool {
    guard let latest else { return false }
    return Geodesic.isCertainlyBeyond(
      Self.jump * metres + Self.pace, from: latest.coordinate, to: fix.coordinate)
  }

  /// End of the shortest interval that contains enough fixes for a mean.
  private func spanEnd(of fix: Location, _ metres: Double) -> Date {
    let needed = (metres / Self.wanted) * (metres / Self.wanted) * 0.6
    let seconds = Self.spans.first { $0 >= needed * interval } ?? Self.longest
    let time = fix.timestamp.timeIntervalSinceReferenceDate
    return Date(timeIntervalSinceReferenceDate: ((time / seconds).rounded(.down) + 1) * seconds)
  }

  /// Whether the current mean is complete at `date`.
  func isDue(at date: Date) -> Bool { first != nil && date >= end }

  /// Returns the current mean if it need not wait for more fixes, or if there are none.
  mutating func take(isLast: Bool = false) -> Location? { isLast || !isWide ? flush() : nil }

  private mutating func flush() -> Location? {
    guard let first, var mean = latest else { return nil }
    error.fix = known
    error.mean = known / count.squareRoot()
    self.first = nil
    latest = nil
    defer { count = 0 }
    guard count > 1 else { return mean }
    mean.coordinate = Geodesic.place(from: first.coordinate, offset: metres / count)
    // Timestamps have a resolution of one millisecond.
    let time = first.timestamp.timeIntervalSinceReferenceDate + seconds / count
    mean.timestamp = Date(timeIntervalSinceReferenceDate: (time * 1000).rounded() / 1000)
    mean.speed = speeds > 0 ? speed / speeds : nil
    origins.append(Origin(time: mean.timestamp, first: first))
    return mean
  }

  /// Recorded fix with which a mean began, for use in ids: a mean can change with the version of the algorithm. Returns
  /// the fix itself if it is not a mean.
  func origin(of fix: Location) -> Location { origins.last { $0.time == fix.timestamp }?.first ?? fix }

  /// Maximum time in seconds between the beginning of a departure and its detection.
  private static let memory: TimeInterval = 1200
  /// Noise in metres at which averaging starts and ends.
  private static let wide = 12.0
  private static let narrow = 8.0
  /// Target noise of a mean in metres.
  private static let wanted = 8.0
  /// Multiple of the standard deviation by which fixes of one position hardly differ.
  private static let jump = 4.0
  /// Distance in metres that a car travels in one or two seconds.
  private static let pace = 50.0
  /// Lengths of averaging intervals in seconds, each a multiple of the previous one. A car moves at most a few hundred
  /// metres in one.
  private static let spans: [TimeInterval] = [5, 15, 30]
  private static let longest: TimeInterval = 30
}
