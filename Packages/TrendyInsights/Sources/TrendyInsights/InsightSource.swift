public import TrendyModels

/// Source of the event counts and start times from which findings are computed, converted to the user's local time.
public protocol InsightSource {
  /// Returns the history of each type: counts per day and per hour.
  /// - Parameter today: last day to include.
  /// - Returns: histories by type id, only for types with events up to `today`.
  func histories(through today: CivilDate) throws -> [String: TypeHistory]

  /// Calls `body` with the type id and start time of each event in a range, in no particular order.
  func forEachMoment(in days: ClosedRange<CivilDate>, _ body: (String, TypeHistory.Moment) throws -> Void) throws
}
