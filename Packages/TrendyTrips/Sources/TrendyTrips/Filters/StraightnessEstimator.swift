import TrendyFoundation
import TrendyModels

/// Distinguishes movement from noise by the straightness of the path between the mean positions of 30 s cells.
///
/// A moving user travels about twice as far in two cells as in one. The errors of a stationary receiver do not
/// accumulate, so its mean positions are no farther apart after two cells than after one. The ratio is 1 on a straight
/// path, 0.71 for a random walk and 0.5 for noise around one position.
struct StraightnessEstimator: Hashable, Sendable, Codable {
  struct Cell: Hashable, Sendable, Codable {
    var start: Date
    var middle: Coordinate
    /// Variance per axis of the mean position in m², due to the independent errors of the fixes.
    var variance = 0.0
  }

  /// Total distances in metres between consecutive cells, and between cells two apart.
  struct Sums: Hashable, Sendable, Codable {
    var single = 0.0
    var double = 0.0
    var count = 0

    mutating func add(_ before: Cell, _ last: Cell, _ now: Cell) {
      single += StraightnessEstimator.metres(before, last) + StraightnessEstimator.metres(last, now)
      double += StraightnessEstimator.metres(before, now)
      count += 1
    }

    /// Straightness, about 0.5 to 1, or 1 if there are too few cells.
    var directness: Double { count >= StraightnessEstimator.enough && single > 0 ? double / single : 1 }

    /// Whether the path is too straight for noise. `false` if there are too few cells.
    var isStraight: Bool { count >= StraightnessEstimator.enough && directness >= StraightnessEstimator.wandering }
  }

  private(set) var sums = Sums()
  /// Most recent cells, oldest first.
  private(set) var recent: [Cell] = []
  private var start: Date
  private var origin: Coordinate
  private var north = 0.0
  private var east = 0.0
  private var count = 0.0
  /// Sum of the variances of the fixes in the current cell.
  private var variance = 0.0

  init(at fix: Location, error: Double) {
    start = fix.timestamp
    origin = fix.coordinate
    add(fix, error)
  }

  /// Adds a fix, and returns whether it began a new cell.
  ///
  /// `error` is the standard deviation of the position noise per axis in metres. Cells are retained for `span` seconds.
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
    // Use longitudes relative to the first fix, so that the mean is correct across the antimeridian.
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

  /// Returns whether the recent cells look like the cells of a stationary receiver: both halves have about the same
  /// centre, and the cells either are close together or do not form a straight path.
  ///
  /// The cells must cover at least `seconds`. `radius` is the radius of a stay point in metres.
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

  /// Returns the distance between two cells in metres, corrected for the errors of the cells. On average, the error of
  /// each cell adds twice its variance to the squared distance.
  private static func metres(_ from: Cell, _ to: Cell) -> Double {
    let hop = Geodesic.shortMeters(from: from.middle, to: to.middle)
    return max(0, hop * hop - 2 * (from.variance + to.variance)).squareRoot()
  }

  /// Straightness below which a path is a random walk or noise.
  static let aimless = 0.75
  /// Straightness below which a path is noise, shortly after a departure.
  static let wandering = 0.85
  /// Minimum number of cells for a decision.
  private static let enough = 8
  private static let cellSeconds: TimeInterval = 30
  /// Returns the maximum number of cells retained for this span in seconds, with a reserve.
  private static func most(for span: TimeInterval) -> Int { Int(span / cellSeconds) + 4 }
}

extension Coordinate {
  /// Returns the median of several positions, which is insensitive to outliers. Requires at least one position.
  static func median(of places: [Coordinate]) -> Coordinate {
    let latitudes = places.map(\.latitude).sorted()
    let origin = places[0].longitude
    // Use longitudes relative to the first position, so that the median is correct across the antimeridian.
    let easts = places.map { ($0.longitude - origin).remainder(dividingBy: 360) }.sorted()
    return Coordinate(
      latitude: latitudes[latitudes.count / 2],
      longitude: (origin + easts[easts.count / 2]).remainder(dividingBy: 360))
  }
}
