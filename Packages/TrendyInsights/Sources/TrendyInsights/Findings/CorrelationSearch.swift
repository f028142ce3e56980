import TrendyModels

/// Correlations found among event types, with the number of pairs tested.
public struct CorrelationSearch: Hashable, Sendable, Codable {
  /// Number of days up to today that are compared.
  public static let span = 90
  /// Minimum age of a type in days.
  public static let minDays = 14
  /// Minimum number of days with events in the compared range. With fewer such days, coincidences are more frequent
  /// than p indicates.
  public static let minActiveDays = 5
  /// Maximum number of correlations returned.
  public static let most = 10

  /// Correlations, strongest first. Contains only the strongest correlation of each pair of types.
  public let strongest: [CorrelationFinding]
  /// Number of pairs of types compared.
  public let pairs: Int
  /// Days until a type is old enough to be compared, by type id. Contains only types that are too young.
  public let missingDays: [String: Int]
  /// Days until two types are old enough to be compared, or 0 if two types already are.
  public let daysUntilFirst: Int

  /// Correlates each pair of types on the same day and with a lag of one day in both directions.
  ///
  /// Keeps correlations with |r| ≥ 0.2 and p ≤ 0.10 after the Benjamini–Hochberg adjustment over all comparisons. Skips
  /// meter readings. Also skips pairs of types that are both recorded automatically from positions, because a drive to
  /// work and a visit at work always correlate. All histories must have the same `today`.
  public init(among histories: [String: TypeHistory], span: Int = Self.span, most: Int = Self.most) {
    let histories = histories.filter { !$0.value.isOfReadings }
    missingDays = histories.mapValues { Self.minDays - $0.days.count }.filter { $0.value > 0 }
    // A correlation needs two types, so the second-longest history decides.
    let second = histories.values.map(\.days.count).sorted(by: >).dropFirst().first ?? 0
    daysUntilFirst = max(0, Self.minDays - second)
    let comparisons = Self.comparisons(histories, span: span)
    pairs = comparisons.count { $0.lag == 0 }
    let adjusted = FalseDiscoveryRate.adjusted(comparisons.map(\.correlation.p))
    var strongest: [Set<String>: CorrelationFinding] = [:]
    for (found, p) in zip(comparisons, adjusted) where abs(found.correlation.r) >= 0.2 && p <= 0.1 {
      // Never `nil`, because a series that varies has at least one event.
      guard let first = histories[found.first]?.basis(over: found.days),
        let second = histories[found.second]?.basis(over: found.days)
      else { continue }
      let relation = CorrelationFinding(
        first: found.first, second: found.second, lag: found.lag, correlation: found.correlation, adjustedP: p,
        firstBasis: first, secondBasis: second)
      let pair: Set = [found.first, found.second]
      if let known = strongest[pair], abs(known.correlation.r) >= abs(found.correlation.r) { continue }
      strongest[pair] = relation
    }
    self.strongest = Array(
      strongest.values.sorted { left, right in
        (abs(right.correlation.r), left.first, left.second) < (abs(left.correlation.r), right.first, right.second)
      }.prefix(most))
  }

  private struct Comparison {
    let first: String
    let second: String
    let lag: Int
    let correlation: Correlation
    let days: ClosedRange<CivilDate>
  }

  private static func comparisons(_ histories: [String: TypeHistory], span: Int) -> [Comparison] {
    let known = histories.filter { $0.value.days.count >= minDays }.sorted { $0.key < $1.key }
    var tried: [Comparison] = []
    for (index, one) in known.enumerated() {
      for other in known[(index + 1)...] where !(one.value.isOfPosition && other.value.isOfPosition) {
        // Start at the first day of the newer type, which was not recorded on earlier days.
        let today = one.value.today
        let first = max(one.value.days.first, other.value.days.first, today.advanced(by: 1 - span))
        guard first.distance(to: today) + 1 >= minDays else { continue }
        let days = first...today
        let (x, y) = (one.value.days.over(days).values, other.value.days.over(days).values)
        guard min(x.count { $0 > 0 }, y.count { $0 > 0 }) >= minActiveDays else { continue }
        guard let sameDay = Correlation(x, y) else { continue }
        tried.append(Comparison(first: one.key, second: other.key, lag: 0, correlation: sameDay, days: days))
        if let found = Correlation(leader: x, follower: y, lag: 1) {
          tried.append(Comparison(first: one.key, second: other.key, lag: 1, correlation: found, days: days))
        }
        if let found = Correlation(leader: y, follower: x, lag: 1) {
          tried.append(Comparison(first: other.key, second: one.key, lag: 1, correlation: found, days: days))
        }
      }
    }
    return tried
  }
}
