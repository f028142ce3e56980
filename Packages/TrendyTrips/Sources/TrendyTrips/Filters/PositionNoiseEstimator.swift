import TrendyFoundation
import TrendyModels

/// Estimates the error that each fix has on its own, from the fixes of the last minutes.
///
/// A fix lies beside the line from the one before it to the next by its own error and by the bend of the way. Errors of their own
/// make two neighbouring deviations point to opposite sides, a bend makes them point to the same one. The scalar product of the two,
/// with its sign turned, is on average twice the variance along one axis, and less than nothing in a bend. An error that
/// changes slowly is not seen, and lengthens no way.
struct PositionNoiseEstimator: Hashable, Sendable, Codable {
  private var last: Location?
  /// Metres to the north and to the east, and seconds, from the fix before the last one to it; and the same of the hop before.
  private var hop: Hop?
  private var hopBefore: Hop?
  /// How far the fix before the last one lies beside the line between its neighbours.
  private var deviation: SIMD2<Double>?
  /// The part of the time between those neighbours at which it lies.
  private var part = 0.5
  /// The samples of this span of time, and of the last one before it that had enough of them. What a late fix changes is forgotten
  /// with them.
  private var current = Samples()
  private var previous = Samples()
  private var span = 0.0

  private struct Samples: Hashable, Codable {
    var sum = 0.0
    var count = 0.0
  }

  /// Twice the variance along one axis, square metres; below zero where the way bends more than the fixes scatter.
  private var mean: Double { (current.sum + previous.sum) / max(1, current.count + previous.count) }
  private var count: Double { current.count + previous.count }

  private struct Hop: Hashable, Codable {
    var metres: SIMD2<Double>
    var seconds: Double
  }

  /// Metres of a degree to the north and to the east, near the latitude for which they were computed.
  private var scale = SIMD2<Double>()
  private var scaleLatitude = 1000.0

  /// Standard deviation of the error along one axis; 0 while too little is known.
  var metres: Double { count >= Self.least ? (max(0, mean) / 2).squareRoot() : 0 }

  /// Whether ``metres`` are so many or more.
  func isAtLeast(_ metres: Double) -> Bool { count >= Self.least && mean >= 2 * metres * metres }

  /// Metres to the north and to the east from one place to another nearby, to a thousandth or so.
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
    // A fix that says how uncertain it is says nothing of those that are not.
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
        // A single outlier says nothing of the others.
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

  /// Seconds without a fix after which two fixes say nothing of each other.
  private static let silence: TimeInterval = 90
  /// Metres.
  private static let certain = 70.0
  /// Metres of a hop in which bends cannot be told from errors.
  private static let longest = 100.0
  /// Where a way turns at every fix, a fix lies beside the line by this part of a hop and no more.
  private static let bendPart = 0.2
  private static let least = 8.0
  private static let spanSeconds: TimeInterval = 1200
}

/// Takes several fixes of a receiver that scatters for one, their mean, where they come often enough for it.
struct FixAverager: Hashable, Sendable, Codable {
  private(set) var scatter = PositionNoiseEstimator()
  /// It scatters so much that means are taken.
  private var isWide = false
  private var first: Location?
  private var latest: Location?
  /// When the mean is complete: spans of time that do not follow from the first fix, so that after a late one they are soon the same.
  private var end = Date.distantPast
  /// Seconds between the last two fixes.
  private var interval = 0.0
  private var lastTime: Date?
  private var metres = SIMD2<Double>()
  private var seconds = 0.0
  private var speed = 0.0
  private var speeds = 0.0
  private var count = 0.0
  /// The scatter as it was known with the last fix of the mean.
  private var known = 0.0

  /// The first fix of each mean of the last minutes, the oldest first.
  private var origins: [Origin] = []

  private struct Origin: Hashable, Codable {
    /// The moment of the mean.
    var time: Date
    var first: Location
  }

  /// By what a mean, or a fix that is taken as it is, is wrong on its own.
  private(set) var error = Error()

  /// Standard deviations along one axis, metres.
  struct Error: Hashable, Sendable, Codable {
    /// Of a mean.
    var mean = 0.0
    /// Of a fix.
    var fix = 0.0
  }

  /// Whether a fix is taken as it is, as nearly all are. To be asked first.
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

  /// Takes a fix that does not pass.
  /// - Returns: the mean of those before it, if they are complete without it.
  mutating func add(_ fix: Location) -> Location? {
    let metres = scatter.metres
    // By a jump it comes elsewhere at once, and a mean of both places would be a way between them.
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

  /// The end of the shortest span in which about as many fixes come as a mean needs.
  private func spanEnd(of fix: Location, _ metres: Double) -> Date {
    let needed = (metres / Self.wanted) * (metres / Self.wanted) * 0.6
    let seconds = Self.spans.first { $0 >= needed * interval } ?? Self.longest
    let time = fix.timestamp.timeIntervalSinceReferenceDate
    return Date(timeIntervalSinceReferenceDate: ((time / seconds).rounded(.down) + 1) * seconds)
  }

  /// Whether what was taken so far is complete by a moment: nothing that comes then or later belongs to it.
  func isDue(at date: Date) -> Bool { first != nil && date >= end }

  /// What was taken so far, if it need not wait for more, or if no more can come.
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
    // In whole milliseconds, as moments are kept.
    let time = first.timestamp.timeIntervalSinceReferenceDate + seconds / count
    mean.timestamp = Date(timeIntervalSinceReferenceDate: (time * 1000).rounded() / 1000)
    mean.speed = speeds > 0 ? speed / speeds : nil
    origins.append(Origin(time: mean.timestamp, first: first))
    return mean
  }

  /// The recorded fix with which a mean began; a fix that is none is its own. A mean is what this version computes, and no name for a trip.
  func origin(of fix: Location) -> Location { origins.last { $0.time == fix.timestamp }?.first ?? fix }

  /// Seconds before a departure is noticed in which it may have begun.
  private static let memory: TimeInterval = 1200
  /// Metres of scatter from which on and down to which means are taken, and the scatter that a mean shall have.
  private static let wide = 12.0
  private static let narrow = 8.0
  private static let wanted = 8.0
  /// Standard deviations by which two fixes of one place hardly differ, and metres that a car goes in a second or two.
  private static let jump = 4.0
  private static let pace = 50.0
  /// Seconds of one mean: each a part of the next. Who goes by car is at most some hundred metres farther.
  private static let spans: [TimeInterval] = [5, 15, 30]
  private static let longest: TimeInterval = 30
}
