public import TrendyModels

/// What a store has to give so that findings can be made of it: counts by type, day and time of day, from its indexes where it has
/// them, and the times of a few days one by one. A source knows the person's clock.
public protocol InsightSource {
  /// When the events of each type happened: counts by day and by hour.
  /// - Parameter today: the last day that counts.
  /// - Returns: by the ids of types; of a type without an event up to then none.
  func histories(through today: CivilDate) throws -> [String: TypeHistory]

  /// Shows the events of some days, each by the id of its type and when it began, in no order.
  func forEachMoment(in days: ClosedRange<CivilDate>, _ body: (String, TypeHistory.Moment) throws -> Void) throws
}
