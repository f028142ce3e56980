/// How long a stop ends a trip: a setting of the person, the same on all their devices.
///
/// Its key is ``key``; the raw values are those of the setting.
public enum TripStop: String, Hashable, Sendable, CaseIterable {
  case fiveMinutes = "5m"
  case tenMinutes = "10m"
  case fifteenMinutes = "15m"

  /// The key of the setting in a person's record.
  public static let key = "trips.stop"

  /// Where nothing is set: longer than a red light, a level crossing or a pump.
  public static let standard = fiveMinutes

  /// Seconds of standing still.
  public var seconds: Double {
    switch self {
    case .fiveMinutes: 300
    case .tenMinutes: 600
    case .fifteenMinutes: 900
    }
  }

  /// - Parameter setting: the value of the setting; `nil` where it is not set. One that a newer version made counts as not set.
  public init(setting: String?) { self = setting.flatMap(TripStop.init(rawValue:)) ?? .standard }
}
