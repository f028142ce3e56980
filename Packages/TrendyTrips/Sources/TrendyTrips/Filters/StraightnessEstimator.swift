import TrendyFoundation
import TrendyModels

/// Tells going from drifting: the way in cells of half a minute, each the mean of its fixes.
///
/// Who goes somewhere covers in two cells about twice what one covers; a resting receiver's errors do not add up, so that
/// two cells are no farther apart than one. The ratio is 1 on a straight way, 0.71 where each turn is by chance and 0.5
/// for noise about one place.
struct StraightnessEstimator: Hashable, Sendable, Codable {
  struct Cell: Hashable, Sendable, Codable {
    var start: Date
    /// The mean of its fixes.
    var middle: Coordinate
    /// The variance along one axis of the error that the mean has on its own, square metres.
    var variance = 0.0
  }

  /// Metres from cell to next cell, each hop as often as one of two cells covers it; and from cell to next but one.
  struct Sums: Hashable, Sendable, Codable {
    var single = 0.0
    var double = 0.0
    var count = 0

    mutating func add(_ before: Cell, _ last: Cell, _ now: Cell) {
      single += StraightnessEstimator.metres(before, last) + StraightnessEstimator.metres(last, now)
      double += StraightnessEstimator.metres(before, now)
      count += 1
    }

    /// How straight the way is, from 0.5 to 1 or so; 1 while too little is known.
    var directness: Double { count >= StraightnessEstimator.enough && single > 0 ? double / single : 1 }

    /// Whether enough is known to say that the way is straighter than drift.
    var isStraight: Bool { count >= StraightnessEstimator.enough && directness >= StraightnessEstimator.wandering }
  }

  private(set) var sums = Sums()
  /// Those of the last minutes, the oldest first.
  private(set) var recent: [Cell] = []
  private var start: Date
  private var origin: Coordinate
  private var north = 0.0
  private var east = 0.0
  private var count = 0.0
  /// The sum of the variances of its fixes.
  private var variance = 0.0

  init(at fix: Location, error: Double) {
    start = fix.timestamp
    origin = fix.coordinate
    add(fix, error)
  }

  /// - Parameters:
  ///   - error: metres along one axis by which the fix errs on its own.
  ///   - span: seconds of cells to keep.
  /// - Returns: whether the fix began a new cell, and so completed the one before.
  mutating func add(_ fix: Location, error: Double, keeping span: TimeInterval) -> Bool {
    guard fix.timestamp.timeIntervalSince(start) >= Self.cellSeconds else {
      add(fix, error)
      return false
    }
    close()
    while recent.count > Self.most(for: span)
      || recent.count >= Self.enough && start.timeIntervalSince(recent[1].start) >= span
    {
      recent.removeFirst()
    }
    start = fix.timestamp
    origin = fix.coordinate
    (north, east, count, variance) = (0, 0, 0, 0)
    add(fix, error)
    return true
  }

  private mutating func add(_ fix: Location, _ error: Double) {
    north += fix.coordinate.latitude - origin.latitude
    // East of the first, so that the antimeridian does not part them.
    east += (fix.coordinate.longitude - origin.longitude).remainder(dividingBy: 360)
    count += 1
    variance += error * error
  }

  private mutating func close() {
    let middle = Coordinate(
      latitude: origin.latitude + north / count,
      longitude: (origin.longitude + east / count).remainder(dividingBy: 360))
    let cell = Cell(start: start, middle: middle, variance: variance / (count * count))
    if recent.count >= 2 { sums.add(recent[recent.count - 2], recent[recent.count - 1], cell) }
    recent.append(cell)
  }

  /// Whether the recent cells are those of a receiver at rest, however much it scatters: their halves have about the same
  /// middle, and they are close together or lead nowhere.
  func isResting(for seconds: TimeInterval, radius: Double) -> Bool {
    guard recent.count >= Self.enough, let first = recent.first, start.timeIntervalSince(first.start) >= seconds else {
      return false
    }
    let half = first.start.addingTimeInterval(start.timeIntervalSince(first.start) / 2)
    let early = recent.prefix { $0.start < half }.map(\.middle)
    let late = recent.dropFirst(early.count).map(\.middle)
    guard early.count >= Self.enough / 2, late.count >= Self.enough / 2 else { return false }
    let place = Coordinate.median(of: early + late)
    let spread = (early + late).map { Geodesic.shortMeters(from: place, to: $0) }.sorted()[recent.count / 2]
    guard spread <= 2 * radius,
      late.suffix(2).allSatisfy({ Geodesic.shortMeters(from: place, to: $0) <= max(radius, 2 * spread) }),
      Geodesic.shortMeters(from: .median(of: early), to: .median(of: late)) <= max(0.6 * radius, spread)
    else { return false }
    return spread <= 0.6 * radius || recentSums.directness < Self.aimless
  }

  private var recentSums: Sums {
    var sums = Sums()
    for index in recent.indices.dropFirst(2) {
      sums.add(recent[index - 2], recent[index - 1], recent[index])
    }
    return sums
  }

  /// Metres from cell to cell, less what the errors of both add: on average twice each variance to the square.
  private static func metres(_ from: Cell, _ to: Cell) -> Double {
    let hop = Geodesic.shortMeters(from: from.middle, to: to.middle)
    return max(0, hop * hop - 2 * (from.variance + to.variance)).squareRoot()
  }

  /// Below it a way leads nowhere.
  static let aimless = 0.75
  /// Below it a way that stays near its beginning is drift.
  static let wandering = 0.85
  /// Cells that tell rest from going.
  private static let enough = 8
  private static let cellSeconds: TimeInterval = 30
  /// Cells that cover a span of seconds, and some more.
  private static func most(for span: TimeInterval) -> Int { Int(span / cellSeconds) + 4 }
}

extension Coordinate {
  /// The middle of places, which a few far ones do not move; not empty.
  static func median(of places: [Coordinate]) -> Coordinate {
    let latitudes = places.map(\.latitude).sorted()
    let origin = places[0].longitude
    // East of the first, so that the antimeridian does not part them.
    let easts = places.map { ($0.longitude - origin).remainder(dividingBy: 360) }.sorted()
    return Coordinate(
      latitude: latitudes[latitudes.count / 2],
      longitude: (origin + easts[easts.count / 2]).remainder(dividingBy: 360))
  }
}
