/// A part of the day, by the clock.
public enum DayPart: String, Hashable, Sendable, Codable, CaseIterable {
  /// From 5 o'clock.
  case morning
  /// From 12 o'clock.
  case afternoon
  /// From 17 o'clock.
  case evening
  /// From 21 o'clock to 5.
  case night

  /// - Parameter minute: after midnight, below 1440.
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
