/// Something that can be said of a record: findings, and the names of what they are about. The words are an ``InsightNarrator``'s.
public enum InsightStatement: Hashable, Sendable, Codable {
  case trend(Trend, type: String)
  case relation(Relation, first: String, second: String)
  case gap(Gap, type: String)
  /// Names of types that there is more of than in the week, month or year before, less of, and that were not there before; those that
  /// changed most first.
  case changes(more: [String], less: [String], new: [String])
  /// What a property comes to lately; `what` is `km of run`.
  case amount(AmountTrend, AmountSummary, what: String)
  /// The day, week or month of a series with most, and what is usual, as they are to be read.
  case peak(value: String, when: String, usual: String, what: String)
  /// So many more days until something can be said of `what`.
  case needsDays(Int, what: String)
}

extension InsightStatement {
  /// What changed from one week, month or year to the next.
  /// - Parameters:
  ///   - changes: of types, by their names, in any order.
  ///   - most: so many names at most of each kind.
  public static func changes(_ changes: [(name: String, change: PeriodChange)], most: Int = 3) -> InsightStatement {
    let sorted = changes.sorted { left, right in
      let (one, other) = (abs(left.change.now - left.change.before), abs(right.change.now - right.change.before))
      return one == other ? left.name < right.name : one > other
    }
    func names(_ direction: Trend.Direction) -> [String] {
      Array(sorted.lazy.filter { $0.change.direction == direction }.map(\.name).prefix(most))
    }
    return .changes(more: names(.up), less: names(.down), new: names(.new))
  }
}
