/// Part of the day by local time.
public enum DayPart: String, Hashable, Sendable, Codable, CaseIterable {
  /// 05:00 to 11:59.
  case morning
  /// 12:00 to 16:59.
  case afternoon
  /// 17:00 to 20:59.
  case evening
  /// 21:00 to 04:59.
  case night

  /// Returns the part of the day that contains a minute.
  /// - Parameter minute: minutes after midnight, below 1440.
  public init(minute: Int) {
    self =
      switch minute / 60 {
      case 5..<12: .morning
      case 12..<17: .afternoon
      case 17..<21: .evening
      default: .night
      }
  }
}
