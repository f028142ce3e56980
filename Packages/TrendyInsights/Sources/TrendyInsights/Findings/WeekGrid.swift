import TrendyModels

/// How many events began in each hour of each weekday.
public struct WeekGrid: Hashable, Sendable, Codable {
  /// 7 rows of 24 hours by the clock; the first row is Sunday. An event belongs to the person's day: where days begin at 4:00,
  /// one at 1:00 on Saturday is in the row of Friday.
  public let counts: [[Int]]

  /// - Parameter moments: of events of one type; all-day events are in no hour.
  public init(moments: some Sequence<TypeHistory.Moment>) {
    var counts = [[Int]](repeating: [Int](repeating: 0, count: 24), count: 7)
    for moment in moments {
      if let minute = moment.minute { counts[moment.day.weekday][minute / 60] += 1 }
    }
    self.counts = counts
  }
}
