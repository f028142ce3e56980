#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Pearson correlation of two series, with its p value.
public struct Correlation: Hashable, Sendable, Codable {
  /// Correlation coefficient, −1 to 1.
  public let r: Double
  /// Two-sided p value from Student's t distribution with `count - 2` degrees of freedom, 0 to 1.
  public let p: Double
  /// Number of pairs of values.
  public let count: Int

  /// Correlates two series.
  /// - Parameters:
  ///   - x: finite values.
  ///   - y: finite values, as many as `x`.
  /// - Returns: The correlation, or `nil` for fewer than three pairs, for a constant series, and if a sum overflows.
  public init?(_ x: some Collection<Double>, _ y: some Collection<Double>) {
    precondition(x.count == y.count, "a correlation needs pairs, not \(x.count) and \(y.count) values")
    count = x.count
    // Check for constant series explicitly: the mean is rounded, so the deviations of a series such as 0.1, 0.1, 0.1
    // are not exactly 0.
    guard count >= 3, Self.varies(x), Self.varies(y) else { return nil }
    let (meanX, meanY) = (x.reduce(0, +) / Double(count), y.reduce(0, +) / Double(count))
    var (xx, yy, xy) = (0.0, 0.0, 0.0)
    for (x, y) in zip(x, y) {
      let (dx, dy) = (x - meanX, y - meanY)
      xx += dx * dx
      yy += dy * dy
      xy += dx * dy
    }
    guard xx > 0, yy > 0, xx.isFinite, yy.isFinite, xy.isFinite else { return nil }
    r = max(-1, min(1, xy / (xx.squareRoot() * yy.squareRoot())))
    guard r.isFinite else { return nil }
    p = StudentT.twoSided(r: r, degreesOfFreedom: count - 2)
  }

  private static func varies(_ values: some Collection<Double>) -> Bool { values.contains { $0 != values.first } }
}

extension Correlation {
  /// Correlates one series with another that is shifted by `lag`.
  /// - Parameters:
  ///   - leader: series that comes first in time.
  ///   - follower: series of the same length, read `lag` values later.
  ///   - lag: 0 or more. The result is `nil` if the lag is not below the length.
  public init?(leader: [Double], follower: [Double], lag: Int) {
    precondition(leader.count == follower.count && lag >= 0, "needs two series of equal length and a lag of 0 or more")
    guard lag < leader.count else { return nil }
    self.init(leader.dropLast(lag), follower.dropFirst(lag))
  }
}

/// Student's t distribution.
enum StudentT {
  /// Returns the two-sided p value of a correlation coefficient.
  ///
  /// With `t = r √(ν / (1 - r²))`, the p value is the regularised incomplete beta function `I_x(ν/2, 1/2)` at
  /// `x = ν / (ν + t²) = 1 - r²` (Abramowitz and Stegun, 26.7.1 and 26.5.27).
  static func twoSided(r: Double, degreesOfFreedom: Int) -> Double {
    guard degreesOfFreedom > 0 else { return 1 }
    // (1 - r)(1 + r) is more precise than 1 - r² if |r| is near 1.
    return incompleteBeta(Double(degreesOfFreedom) / 2, 0.5, (1 - r) * (1 + r))
  }

  /// Returns the regularised incomplete beta function `I_x(a, b)`, computed with the continued fraction of DLMF 8.17.22
  /// and Lentz's method.
  static func incompleteBeta(_ a: Double, _ b: Double, _ x: Double) -> Double {
    if x <= 0 { return 0 }
    if x >= 1 { return 1 }
    let front = exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * log(x) + b * log1p(-x))
    // The fraction converges fast on this side. The other side uses I_x(a, b) = 1 - I_{1-x}(b, a).
    if x < (a + 1) / (a + b + 2) { return front * fraction(a, b, x) / a }
    return 1 - front * fraction(b, a, 1 - x) / b
  }

  /// Returns `ln Γ(x)` for positive `x`. C's `lgamma` would set the global variable `signgam`, a data race between
  /// threads.
  private static func logGamma(_ x: Double) -> Double {
    var sign: Int32 = 0
    return lgamma_r(x, &sign)
  }

  private static func fraction(_ a: Double, _ b: Double, _ x: Double) -> Double {
    let least = 1e-300
    func away(_ value: Double) -> Double { abs(value) < least ? least : value }
    var c = 1.0
    var d = 1 / away(1 - (a + b) * x / (a + 1))
    var sum = d
    for step in 1...500 {
      let m = Double(step)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / away(1 + even * d)
      c = away(1 + even / c)
      sum *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / away(1 + odd * d)
      c = away(1 + odd / c)
      let change = d * c
      sum *= change
      if abs(change - 1) < 1e-15 { break }
    }
    return sum
  }
}

/// Adjustment of p values for multiple comparisons.
public enum FalseDiscoveryRate: Sendable {
  /// Applies the Benjamini–Hochberg adjustment (1995). Among results with an adjusted p below `q`, the expected share
  /// of false discoveries is at most `q`.
  /// - Parameter p: p values, 0 to 1, in any order.
  /// - Returns: adjusted values in the same order.
  public static func adjusted(_ p: [Double]) -> [Double] {
    var result = p
    var least = 1.0
    for (rank, index) in p.indices.sorted(by: { p[$0] > p[$1] }).enumerated() {
      least = min(least, p[index] * Double(p.count) / Double(p.count - rank))
      result[index] = least
    }
    return result
  }
}
