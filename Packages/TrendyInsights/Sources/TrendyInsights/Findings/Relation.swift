import TrendyModels

/// That days with much of one thing tend to be days with much, or little, of another.
public struct Relation: Hashable, Sendable, Codable {
  /// The ids of the two types; with a lag, the first is a day ahead.
  public let first: String
  public let second: String
  /// Days: 0 or 1.
  public let lag: Int
  public let correlation: Correlation
  /// That of the correlation, adjusted for all pairs and lags that were tried.
  public let adjustedP: Double
  /// What it rests on of the first type: the days that were looked at, and what they had.
  public let firstBasis: Basis
  /// What it rests on of the second type, over the same days.
  public let secondBasis: Basis

  public enum Strength: String, Hashable, Sendable, Codable {
    case strong, moderate, weak
  }

  public var strength: Strength {
    abs(correlation.r) > 0.7 ? .strong : abs(correlation.r) > 0.5 ? .moderate : .weak
  }

  public var confidence: Confidence {
    let r = abs(correlation.r)
    if adjustedP < 0.01, correlation.count > 30, r > 0.5 { return .high }
    return adjustedP < 0.05 && correlation.count > 14 && r > 0.3 ? .medium : .low
  }
}

extension Relation {
  /// Days that are looked at, and that there must be.
  public static let span = 90
  public static let leastDays = 14

  /// Days until relations can be looked for; 0 where they can. A relation is between two: the second longest record decides.
  /// - Parameter histories: of all types.
  public static func missingDays(among histories: some Sequence<TypeHistory>) -> Int {
    max(0, leastDays - (histories.map(\.days.count).sorted(by: >).dropFirst().first ?? 0))
  }

  /// The strongest relations between types, over the last 90 days unless told otherwise.
  ///
  /// Each pair is tried on the same day and a day apart, either way, but not two types that devices alone recorded, of where they
  /// were: whoever drives to work is at work. Kept is |r| ≥ 0.2 with p ≤ 0.10 after Benjamini and Hochberg
  /// over all that were tried; of one pair the strongest.
  /// - Parameters:
  ///   - histories: by the types' ids, all with the same `today`.
  ///   - span: so many days up to today are looked at.
  ///   - most: so many at most.
  public static func strongest(
    among histories: [String: TypeHistory], span: Int = Relation.span, most: Int = 10
  ) -> [Relation] {
    let known = histories.filter { $0.value.days.count >= leastDays }.sorted { $0.key < $1.key }
    var tried: [(first: String, second: String, lag: Int, correlation: Correlation, days: ClosedRange<CivilDate>)] = []
    for (place, one) in known.enumerated() {
      for other in known[(place + 1)...] where !(one.value.isOfPosition && other.value.isOfPosition) {
        // From the first day of the younger: before, it was not recorded.
        let today = one.value.today
        let first = max(one.value.days.first, other.value.days.first, today.advanced(by: 1 - span))
        guard first.distance(to: today) + 1 >= leastDays else { continue }
        let days = first...today
        let (x, y) = (one.value.days.over(days).values, other.value.days.over(days).values)
        if let found = Correlation(x, y) { tried.append((one.key, other.key, 0, found, days)) }
        if let found = Correlation(leader: x, follower: y, lag: 1) {
          tried.append((one.key, other.key, 1, found, days))
        }
        if let found = Correlation(leader: y, follower: x, lag: 1) {
          tried.append((other.key, one.key, 1, found, days))
        }
      }
    }
    let adjusted = FalseDiscoveryRate.adjusted(tried.map(\.correlation.p))
    var strongest: [Set<String>: Relation] = [:]
    for (found, p) in zip(tried, adjusted) where abs(found.correlation.r) >= 0.2 && p <= 0.1 {
      // A series that varies has events.
      guard let first = histories[found.first]?.basis(over: found.days),
        let second = histories[found.second]?.basis(over: found.days)
      else { continue }
      let relation = Relation(
        first: found.first, second: found.second, lag: found.lag, correlation: found.correlation, adjustedP: p,
        firstBasis: first, secondBasis: second)
      let pair: Set = [found.first, found.second]
      if let known = strongest[pair], abs(known.correlation.r) >= abs(found.correlation.r) { continue }
      strongest[pair] = relation
    }
    return Array(
      strongest.values.sorted { left, right in
        (abs(right.correlation.r), left.first, left.second) < (abs(left.correlation.r), right.first, right.second)
      }.prefix(most))
  }
}

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
