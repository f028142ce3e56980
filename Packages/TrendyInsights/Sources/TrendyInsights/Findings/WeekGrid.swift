import TrendyModels

/// Number of events per weekday and hour of the start.
public struct WeekGrid: Hashable, Sendable, Codable {
  /// Seven rows, Sunday first, with 24 hours of local time each. If the user's day begins at 04:00, an event at 01:00
  /// on Saturday is in the Friday row.
  public let counts: [[Int]]

  /// Counts start times by weekday and hour.
  /// - Parameter moments: start times of the events of one type. All-day events are ignored.
  public init(moments: some Sequence<TypeHistory.Moment>) {
    var counts = [[Int]](repeating: [Int](repeating: 0, count: 24), count: 7)
    for moment in moments {
      if let minute = moment.minute { counts[moment.day.weekday][minute / 60] += 1 }
    }
    self.counts = counts
  }
}
