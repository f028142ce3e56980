/// The levels of a heat map: how much a day has, by the type's own days.
public struct HeatLevels: Hashable, Sendable, Codable {
  /// The quarters of the days that have something begin here.
  public let bounds: [Double]

  /// - Parameter days: all days of the type.
  /// - Returns: `nil` where no day has anything.
  public init?(_ days: DailySeries) {
    let active = days.values.filter { $0 > 0 }.sorted()
    guard !active.isEmpty else { return nil }
    bounds = [0.25, 0.5, 0.75].map { Distribution.quantile($0, of: active) }
  }

  /// 0 for nothing, else 1 to 4.
  public func level(_ value: Double) -> Int { value <= 0 ? 0 : 1 + bounds.count { value > $0 } }
}
