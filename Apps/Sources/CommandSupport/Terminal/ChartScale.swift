#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The heights of a chart: from its least number to its greatest, with round ones in between.
public struct ChartScale: Hashable, Sendable {
  /// Below ``high``; both are finite, though their distance need not be.
  public let low: Double
  public let high: Double
  /// The lowest and the highest round number in between; fewer where there is no such number.
  public let marks: [Double]

  /// - Parameters:
  ///   - values: finite.
  ///   - fromZero: whether 0 is among them: bars and counts begin there.
  ///   - units: of which round numbers are multiples, the smallest first: of seconds 1, 60 and 3600.
  /// - Returns: `nil` for no values.
  public init?(_ values: [Double], fromZero: Bool, units: [Double] = [0]) {
    guard var low = values.min(), var high = values.max(), low.isFinite, high.isFinite else { return nil }
    if fromZero { (low, high) = (min(low, 0), max(high, 0)) }
    if low == high {
      let most = Double.greatestFiniteMagnitude
      (low, high) = low == 0 ? (0, 1) : (max(low - abs(low) / 10, -most), min(high + abs(high) / 10, most))
    }
    self.low = low
    self.high = high
    // Half the distance, which is a number where the whole is none.
    marks = Self.marks(low, high, step: Self.roundStep(atMost: high / 2 - low / 2, units))
  }

  /// 1, 2 or 5 times a power of ten and a unit.
  private static func roundStep(atMost limit: Double, _ units: [Double]) -> Double {
    let unit = units.last { $0 <= limit } ?? units.first ?? 0
    let scale = unit > 0 ? unit : 1
    let power = pow(10, (log10(limit / scale)).rounded(.down))
    let step = [5, 2, 1].map { $0 * power * scale }.first { $0 <= limit } ?? power * scale
    // A number of events has no parts.
    return unit > 0 ? max(step, unit) : step
  }

  private static func marks(_ low: Double, _ high: Double, step: Double) -> [Double] {
    guard step > 0, step.isFinite else { return [] }
    let (first, last) = ((low / step).rounded(.up), (high / step).rounded(.down))
    guard abs(first) < 1e15, abs(last) < 1e15, first <= last else { return [] }
    return Array([first * step, last * step].prefix(first == last ? 1 : 2)).filter(\.isFinite)
  }

  /// 0 for the lowest, 1 for the highest.
  public func height(_ value: Double) -> Double {
    let distance = high / 2 - low / 2
    // Two of the smallest numbers there are lie that near.
    guard distance > 0 else { return value > low ? 1 : 0 }
    return min(max((value / 2 - low / 2) / distance, 0), 1)
  }
}
