import TrendyModels

/// What goes together among types of events, and how much was looked at for it.
public struct CorrelationSearch: Hashable, Sendable, Codable {
  /// Days up to today that are looked at.
  public static let span = 90
  /// Days that a type must have been recorded for.
  public static let leastDays = 14
  /// Days in the span that must have an event of the type: fewer fall on the same days by chance more often than p says.
  public static let leastActiveDays = 5
  /// Relations that are kept.
  public static let most = 10

  /// The strongest first; of one pair of types the strongest alone.
  public let strongest: [CorrelationFinding]
  /// Pairs of types that were held against each other.
  public let pairs: Int
  /// Days until a type can be held against others, by the ids of those that are too young.
  public let missingDays: [String: Int]
  /// Days until any two types can; 0 where they can.
  public let daysUntilFirst: Int

  /// Each pair is tried on the same day and a day apart, either way, but not two types that devices alone recorded, of where they
  /// were: whoever drives to work is at work; and readings of a meter with nothing. Kept is |r| ≥ 0.2 with p ≤ 0.10 after Benjamini and Hochberg over all that were tried.
  /// - Parameters:
  ///   - histories: by the types' ids, all with the same `today`.
  ///   - span: so many days up to today are looked at.
  ///   - most: so many relations at most.
  public init(among histories: [String: TypeHistory], span: Int = Self.span, most: Int = Self.most) {
    let histories = histories.filter { !$0.value.isOfReadings }
    missingDays = histories.mapValues { Self.leastDays - $0.days.count }.filter { $0.value > 0 }
    // A relation is between two: the second longest record decides.
    let second = histories.values.map(\.days.count).sorted(by: >).dropFirst().first ?? 0
    daysUntilFirst = max(0, Self.leastDays - second)
    let comparisons = Self.comparisons(histories, span: span)
    pairs = comparisons.count { $0.lag == 0 }
    let adjusted = FalseDiscoveryRate.adjusted(comparisons.map(\.correlation.p))
    var strongest: [Set<String>: CorrelationFinding] = [:]
    for (found, p) in zip(comparisons, adjusted) where abs(found.correlation.r) >= 0.2 && p <= 0.1 {
      // A series that varies has events.
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
    let known = histories.filter { $0.value.days.count >= leastDays }.sorted { $0.key < $1.key }
    var tried: [Comparison] = []
    for (place, one) in known.enumerated() {
      for other in known[(place + 1)...] where !(one.value.isOfPosition && other.value.isOfPosition) {
        // From the first day of the younger: before, it was not recorded.
        let today = one.value.today
        let first = max(one.value.days.first, other.value.days.first, today.advanced(by: 1 - span))
        guard first.distance(to: today) + 1 >= leastDays else { continue }
        let days = first...today
        let (x, y) = (one.value.days.over(days).values, other.value.days.over(days).values)
        guard min(x.count { $0 > 0 }, y.count { $0 > 0 }) >= leastActiveDays else { continue }
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
