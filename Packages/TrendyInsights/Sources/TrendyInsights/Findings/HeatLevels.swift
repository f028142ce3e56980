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

  /// Of whole numbers, such as how often something was done: where a day has four at most, each number has a level of its own, so that
  /// what is yes or no has one strong colour and not the palest.
  /// - Parameter days: all days of the type.
  /// - Returns: `nil` where no day has anything.
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

  /// 0 for nothing, else 1 to 4.
  public func level(_ value: Double) -> Int { value <= 0 ? 0 : 1 + bounds.count { value > $0 } }
}
