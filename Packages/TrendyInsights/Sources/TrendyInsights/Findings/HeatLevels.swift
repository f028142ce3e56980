/// Levels of a heat map, relative to the other days of the same type.
public struct HeatLevels: Hashable, Sendable, Codable {
  /// Quartiles of the days with values: upper bounds of levels 1, 2 and 3.
  public let bounds: [Double]

  /// Creates levels from the quartiles of the non-zero days.
  /// - Parameter days: all days of the type.
  /// - Returns: `nil` if all days are 0.
  public init?(_ days: DailySeries) {
    let active = days.values.filter { $0 > 0 }.sorted()
    guard !active.isEmpty else { return nil }
    bounds = [0.25, 0.5, 0.75].map { Distribution.quantile($0, of: active) }
  }

  /// Creates levels for counts. If the maximum is four or less, each count has its own level, and types with at most
  /// one event a day have a strong colour instead of the palest one.
  /// - Parameter days: all days of the type.
  /// - Returns: `nil` if all days are 0.
  public init?(ofCounts days: DailySeries) {
    guard let most = days.values.max(), most > 0 else { return nil }
    switch most {
    case ...2: self.init(bounds: [0, 0, 1])
    case ...3: self.init(bounds: [1, 1, 2])
    case ...4: self.init(bounds: [1, 2, 3])
    default: self.init(days)
    }
  }

  private init(bounds: [Double]) { self.bounds = bounds }

  /// Returns the level of a value, 1 to 4, or 0 for a value of 0 or less.
  public func level(_ value: Double) -> Int { value <= 0 ? 0 : 1 + bounds.count { value > $0 } }
}
