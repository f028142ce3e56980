#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Pearson's product-moment correlation of two series, and how likely one as strong is by chance.
public struct Correlation: Hashable, Sendable, Codable {
  /// -1 to 1.
  public let r: Double
  /// Two-sided, from Student's t with `count - 2` degrees of freedom; 0 to 1.
  public let p: Double
  /// Pairs of values.
  public let count: Int

  /// - Parameters:
  ///   - x: finite numbers.
  ///   - y: as many of them.
  /// - Returns: `nil` for fewer than three pairs, where one of the series does not vary, and for values too large to add up.
  public init?(_ x: some Collection<Double>, _ y: some Collection<Double>) {
    precondition(x.count == y.count, "a correlation is of pairs: \(x.count) and \(y.count) values")
    count = x.count
    // Their mean is rounded, so that distances to it are not always 0 where all values are equal: of 0.1, 0.1, 0.1 they are not.
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
  /// The values of one series against those of another `lag` places later.
  /// - Parameters:
  ///   - leader: what comes first.
  ///   - follower: a series of the same length.
  ///   - lag: places, from 0 up to fewer than there are.
  public init?(leader: [Double], follower: [Double], lag: Int) {
    precondition(leader.count == follower.count && lag >= 0, "two series of one length, and a lag of 0 or more")
    guard lag < leader.count else { return nil }
    self.init(leader.dropLast(lag), follower.dropFirst(lag))
  }
}

/// Student's t distribution.
enum StudentT {
  /// The probability of a correlation at least as strong, either way, where there is none.
  ///
  /// With `t = r √(ν / (1 - r²))` it is the regularised incomplete beta function `I_x(ν/2, 1/2)` at
  /// `x = ν / (ν + t²) = 1 - r²` (Abramowitz and Stegun, 26.7.1 and 26.5.27).
  static func twoSided(r: Double, degreesOfFreedom: Int) -> Double {
    guard degreesOfFreedom > 0 else { return 1 }
    // (1 - r)(1 + r) keeps the digits that 1 - r² loses near 1.
    return incompleteBeta(Double(degreesOfFreedom) / 2, 0.5, (1 - r) * (1 + r))
  }

  /// `I_x(a, b)`, by the continued fraction of DLMF 8.17.22, summed as Lentz does.
  static func incompleteBeta(_ a: Double, _ b: Double, _ x: Double) -> Double {
    if x <= 0 { return 0 }
    if x >= 1 { return 1 }
    let front = exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * log(x) + b * log1p(-x))
    // It converges fast on this side; on the other, I_x(a, b) = 1 - I_{1-x}(b, a).
    if x < (a + 1) / (a + b + 2) { return front * fraction(a, b, x) / a }
    return 1 - front * fraction(b, a, 1 - x) / b
  }

  /// `ln Γ(x)`, for `x` above 0. Not by C's `lgamma`, which sets the global variable `signgam`: a data race between threads.
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

/// The adjustment of p values for how many were tried.
public enum FalseDiscoveryRate: Sendable {
  /// Benjamini and Hochberg (1995): kept below `q`, of what is found at most the share `q` is there by chance, on average.
  /// - Parameter p: each 0 to 1, in any order.
  /// - Returns: the adjusted ones, in the same order.
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
