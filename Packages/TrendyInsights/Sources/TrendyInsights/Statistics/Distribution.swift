#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How numbers lie.
public struct Distribution: Hashable, Sendable, Codable {
  public let count: Int
  public let sum: Double
  public let mean: Double
  public let minimum: Double
  /// A quarter of the numbers lie below.
  public let lowerQuartile: Double
  public let median: Double
  /// A quarter of the numbers lie above.
  public let upperQuartile: Double
  public let maximum: Double
  /// The square root of the mean squared distance to the mean, over `count - 1`; 0 for one number.
  public let standardDeviation: Double

  /// - Parameter numbers: any; those that are not finite are left out.
  /// - Returns: `nil` where there are none, or where they are too large to add up.
  public init?(_ numbers: some Sequence<Double>) {
    let sorted = numbers.filter(\.isFinite).sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    count = sorted.count
    sum = sorted.reduce(0, +)
    guard sum.isFinite else { return nil }
    let mean = sum / Double(sorted.count)
    let squares = sorted.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    guard squares.isFinite else { return nil }
    self.mean = mean
    minimum = first
    maximum = last
    lowerQuartile = Self.quantile(0.25, of: sorted)
    median = Self.quantile(0.5, of: sorted)
    upperQuartile = Self.quantile(0.75, of: sorted)
    standardDeviation = sorted.count > 1 ? (squares / Double(sorted.count - 1)).squareRoot() : 0
  }

  /// The number below which a share lies, by linear interpolation (Hyndman and Fan, 1996, type 7; R's and NumPy's default).
  /// - Parameters:
  ///   - share: 0 to 1.
  ///   - sorted: one number at least, the smallest first.
  public static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    let place = share * Double(sorted.count - 1)
    let below = Int(place.rounded(.down))
    guard below + 1 < sorted.count else { return sorted[sorted.count - 1] }
    return sorted[below] + (place - Double(below)) * (sorted[below + 1] - sorted[below])
  }
}

/// How evenly counts lie on the places of a cycle: the days of a week, the hours of a day.
public struct CyclePattern: Hashable, Sendable, Codable {
  /// One for each place; 0 or more.
  public let counts: [Int]
  /// 0 where all places have as many, 1 where one has all: `1 - H / log₂ k`, with Shannon's entropy `H = -Σ p log₂ p`.
  public let consistency: Double
  /// The first place with the most.
  public let peak: Int
  /// The part of all that lies there, 0 to 1.
  public let peakShare: Double

  /// - Parameter counts: at least two, none negative.
  /// - Returns: `nil` where all are 0.
  public init?(counts: [Int]) {
    let total = counts.reduce(0, +)
    guard counts.count > 1, total > 0, let most = counts.max(), let peak = counts.firstIndex(of: most) else {
      return nil
    }
    self.counts = counts
    self.peak = peak
    peakShare = Double(most) / Double(total)
    let entropy = counts.filter { $0 > 0 }.reduce(0.0) { sum, count in
      let share = Double(count) / Double(total)
      return sum - share * log2(share)
    }
    consistency = max(0, 1 - entropy / log2(Double(counts.count)))
  }

  /// The part of all that lies at a place, 0 to 1.
  public func share(_ place: Int) -> Double { Double(counts[place]) / Double(counts.reduce(0, +)) }
}

/// The line that fits numbers at equal distances best.
public struct LeastSquaresLine: Hashable, Sendable, Codable {
  /// Change from one number to the next.
  public let slope: Double
  /// Its height at the first number.
  public let intercept: Double

  /// - Returns: `nil` for fewer than two numbers, and for some too large to add up.
  public init?(_ numbers: [Double]) {
    guard numbers.count >= 2 else { return nil }
    let middle = Double(numbers.count - 1) / 2
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    var (squares, products) = (0.0, 0.0)
    for (place, number) in numbers.enumerated() {
      let distance = Double(place) - middle
      squares += distance * distance
      products += distance * (number - mean)
    }
    slope = products / squares
    intercept = mean - slope * middle
    guard slope.isFinite, intercept.isFinite else { return nil }
  }
}
