#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Summary statistics of a set of numbers.
public struct Distribution: Hashable, Sendable, Codable {
  public let count: Int
  public let sum: Double
  public let mean: Double
  public let minimum: Double
  /// First quartile.
  public let lowerQuartile: Double
  public let median: Double
  /// Third quartile.
  public let upperQuartile: Double
  public let maximum: Double
  /// Sample standard deviation, with denominator `count - 1`, or 0 for one number.
  public let standardDeviation: Double

  /// Summarizes numbers.
  /// - Parameter numbers: numbers in any order. Values that are not finite are ignored.
  /// - Returns: `nil` if there are no finite numbers or their sum overflows.
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

  /// Returns a quantile by linear interpolation (Hyndman and Fan 1996, type 7, which is the default in R and NumPy).
  /// - Parameters:
  ///   - share: 0 to 1.
  ///   - sorted: at least one number, in ascending order.
  public static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    let position = share * Double(sorted.count - 1)
    let below = Int(position.rounded(.down))
    guard below + 1 < sorted.count else { return sorted[sorted.count - 1] }
    return sorted[below] + (position - Double(below)) * (sorted[below + 1] - sorted[below])
  }
}

/// Distribution of events over a cycle: the days of a week or the hours of a day.
public struct CyclePattern: Hashable, Sendable, Codable {
  /// Counts per position in the cycle, 0 or more.
  public let counts: [Int]
  /// Regularity of the events: 0 for an even distribution, 1 if all events share a position.
  ///
  /// `1 - H / log₂ k` for `k` positions, with the Shannon entropy `H = -Σ p log₂ p`.
  public let consistency: Double
  /// First position with the highest count.
  public let peak: Int
  /// Share of all events at the peak, 0 to 1.
  public let peakShare: Double

  /// Computes consistency and peak of a distribution.
  /// - Parameter counts: at least two counts, none negative.
  /// - Returns: `nil` if all counts are 0.
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

  /// Returns the share of all events at a position, 0 to 1.
  public func share(_ position: Int) -> Double { Double(counts[position]) / Double(counts.reduce(0, +)) }
}

/// Least-squares line through equidistant values.
public struct LeastSquaresLine: Hashable, Sendable, Codable {
  /// Change per step.
  public let slope: Double
  /// Value of the line at the first number.
  public let intercept: Double

  /// Fits a line to numbers at the positions 0, 1, 2 and so on.
  /// - Returns: `nil` for fewer than two numbers, and if a sum overflows.
  public init?(_ numbers: [Double]) {
    guard numbers.count >= 2 else { return nil }
    let middle = Double(numbers.count - 1) / 2
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    var (squares, products) = (0.0, 0.0)
    for (index, number) in numbers.enumerated() {
      let distance = Double(index) - middle
      squares += distance * distance
      products += distance * (number - mean)
    }
    slope = products / squares
    intercept = mean - slope * middle
    guard slope.isFinite, intercept.isFinite else { return nil }
  }
}
