import TrendyFoundation
import TrendyModels

/// Estimates the independent position error of the fixes from the last few minutes.
///
/// A fix deviates from the straight line between its neighbours because of its error and because the path bends. With
/// independent errors, consecutive deviations point in opposite directions. In a bend, they point in the same
/// direction. The negated dot product of two consecutive deviations is therefore, on average, twice the variance per
/// axis, and negative in a bend. Errors that change slowly are not detected, but they do not lengthen the path either.
struct PositionNoiseEstimator: Hashable, Sendable, Codable {
  private var last: Location?
  /// Displacement in metres to the north and to the east, and duration in seconds, of the last two steps.
  private var hop: Hop?
  private var hopBefore: Hop?
  /// Deviation of the second-to-last fix from the line between its neighbours.
  private var deviation: SIMD2<Double>?
  /// Time of the second-to-last fix as a fraction of the time between its neighbours, 0 to 1.
  private var part = 0.5
  /// Samples of the current time span, and of the last span that had enough samples. A late fix affects only its own
  /// span and the next one.
  private var current = Samples()
  private var previous = Samples()
  private var span = 0.0

  private struct Samples: Hashable, Codable {
    var sum = 0.0
    var count = 0.0
  }

  /// Twice the variance per axis in m². Negative if the bends in the path outweigh the noise.
  private var mean: Double { (current.sum + previous.sum) / max(1, current.count + previous.count) }
  private var count: Double { current.count + previous.count }

  private struct Hop: Hashable, Codable {
    var metres: SIMD2<Double>
    var seconds: Double
  }

  /// Metres per degree to the north and to the east, near the latitude for which they were computed.
  private var scale = SIMD2<Double>()
  private var scaleLatitude = 1000.0

  /// Standard deviation of the noise per axis in metres, or 0 if there are too few samples.
  var metres: Double { count >= Self.least ? (max(0, mean) / 2).squareRoot() : 0 }

  /// Returns whether the noise is known to be at least this number of metres.
  func isAtLeast(_ metres: Double) -> Bool { count >= Self.least && mean >= 2 * metres * metres }

  /// Returns the offset between two nearby positions in metres, north and east, accurate to about 0.1 %.
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
    // Skip inaccurate fixes, because they are not representative.
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
        // Limit the effect of a single outlier.
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
  /// Accuracy in metres above which a fix is not used.
  private static let certain = 70.0
  /// Maximum mean step length in metres at which bends can be distinguished from noise.
  private static let longest = 100.0
  /// Maximum deviation of a fix, as a fraction of the step length, on a path that turns at every fix.
  private static let bendPart = 0.2
  private static let least = 8.0
  private static let spanSeconds: TimeInterval = 1200
}

/// Replaces groups of fixes from a noisy receiver with their mean, if the fixes are frequent enough.
struct FixAverager: Hashable, Sendable, Codable {
  private(set) var scatter = PositionNoiseEstimator()
  private var isWide = false
  private var first: Location?
  private var latest: Location?
  /// End of the interval of the current mean. Intervals are aligned to the clock instead of the first fix, so that a
  /// late fix changes only a few means.
  private var end = Date.distantPast
  /// Seconds between the last two fixes.
  private var interval = 0.0
  private var lastTime: Date?
  private var metres = SIMD2<Double>()
  private var seconds = 0.0
  private var speed = 0.0
  private var speeds = 0.0
  private var count = 0.0
  /// Noise at the last fix of the current mean.
  private var known = 0.0

  /// First fix of each mean of the last 20 minutes, oldest first.
  private var origins: [Origin] = []

  private struct Origin: Hashable, Codable {
    var time: Date
    var first: Location
  }

  /// Independent error of the last returned mean or fix.
  private(set) var error = Error()

  /// Standard deviations per axis in metres, for a mean and for a single fix.
  struct Error: Hashable, Sendable, Codable {
    var mean = 0.0
    var fix = 0.0
  }

  /// Returns whether a fix is used unchanged. If not, the caller must pass it to ``add(_:)``.
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

  /// Adds a fix that ``passes(_:)`` did not accept.
  /// - Returns: the mean of the fixes before this one, if this fix completes it.
  mutating func add(_ fix: Location) -> Location? {
    let metres = scatter.metres
    // End the mean at a jump, because the mean would otherwise be between the two positions.
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

  /// Returns the end of the shortest interval that contains enough fixes for a mean.
  private func spanEnd(of fix: Location, _ metres: Double) -> Date {
    let needed = (metres / Self.wanted) * (metres / Self.wanted) * 0.6
    let seconds = Self.spans.first { $0 >= needed * interval } ?? Self.longest
    let time = fix.timestamp.timeIntervalSinceReferenceDate
    return Date(timeIntervalSinceReferenceDate: ((time / seconds).rounded(.down) + 1) * seconds)
  }

  func isDue(at date: Date) -> Bool { first != nil && date >= end }

  /// Returns the current mean if the noise no longer calls for averaging, or if the input has ended.
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

  /// Returns the first recorded fix of a mean, or the fix itself if it is not a mean.
  ///
  /// Ids are derived from recorded fixes, because a mean may change with the version of the algorithm.
  func origin(of fix: Location) -> Location { origins.last { $0.time == fix.timestamp }?.first ?? fix }

  /// Maximum time in seconds between the beginning of a departure and its detection.
  private static let memory: TimeInterval = 1200
  /// Noise in metres above which averaging starts, and noise below which averaging stops.
  private static let wide = 12.0
  private static let narrow = 8.0
  /// Target noise of a mean in metres.
  private static let wanted = 8.0
  /// Distance, as a multiple of the standard deviation, that two fixes at the same position rarely exceed.
  private static let jump = 4.0
  /// Distance in metres that a car travels in one or two seconds.
  private static let pace = 50.0
  /// Lengths of the averaging intervals in seconds. Each length divides the longest one, in which a car moves at most a
  /// few hundred metres.
  private static let spans: [TimeInterval] = [5, 15, 30]
  private static let longest: TimeInterval = 30
}
