#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Vertical scale of a chart: a range of values with labels at round numbers.
public struct ChartScale: Hashable, Sendable {
  /// Lower end of the scale, less than ``high``. Both ends are finite, but their difference may overflow.
  public let low: Double
  public let high: Double
  /// Lowest and highest round number on the scale, for labels, or an empty array if there is none.
  public let marks: [Double]

  /// Creates a scale that includes all values, which must be finite. Returns `nil` if `values` is empty.
  ///
  /// `fromZero` includes 0 in the scale, as bars and counts require. Multiples of `units` are round numbers. Units are
  /// in ascending order, such as 1, 60 and 3600 for seconds.
  public init?(_ values: [Double], fromZero: Bool, units: [Double] = [0]) {
    guard var low = values.min(), var high = values.max(), low.isFinite, high.isFinite else { return nil }
    if fromZero { (low, high) = (min(low, 0), max(high, 0)) }
    if low == high {
      let most = Double.greatestFiniteMagnitude
      (low, high) = low == 0 ? (0, 1) : (max(low - abs(low) / 10, -most), min(high + abs(high) / 10, most))
    }
    self.low = low
    self.high = high
    // Use half the difference, because the difference itself may overflow.
    marks = Self.marks(low, high, step: Self.roundStep(atMost: high / 2 - low / 2, units))
  }

  /// Returns the largest round step up to a limit: 1, 2 or 5 times a power of ten times a unit.
  private static func roundStep(atMost limit: Double, _ units: [Double]) -> Double {
    let unit = units.last { $0 <= limit } ?? units.first ?? 0
    let scale = unit > 0 ? unit : 1
    let power = pow(10, (log10(limit / scale)).rounded(.down))
    let step = [5, 2, 1].map { $0 * power * scale }.first { $0 <= limit } ?? power * scale
    // The step is at least one unit, because values with a unit, such as counts, are integral.
    return unit > 0 ? max(step, unit) : step
  }

  private static func marks(_ low: Double, _ high: Double, step: Double) -> [Double] {
    guard step > 0, step.isFinite else { return [] }
    let (first, last) = ((low / step).rounded(.up), (high / step).rounded(.down))
    guard abs(first) < 1e15, abs(last) < 1e15, first <= last else { return [] }
    return Array([first * step, last * step].prefix(first == last ? 1 : 2)).filter(\.isFinite)
  }

  /// Returns the position of a value on the scale, from 0 at the lower end to 1 at the upper end.
  public func height(_ value: Double) -> Double {
    let distance = high / 2 - low / 2
    // The difference rounds to 0 only for the smallest subnormal numbers.
    guard distance > 0 else { return value > low ? 1 : 0 }
    return min(max((value / 2 - low / 2) / distance, 0), 1)
  }
}
