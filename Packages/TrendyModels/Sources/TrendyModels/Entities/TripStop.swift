/// Synced setting for the minimum duration of a stop that ends a trip.
///
/// The raw values are the values of the setting with the key ``key``.
public enum TripStop: String, Hashable, Sendable, CaseIterable {
  case fiveMinutes = "5m"
  case tenMinutes = "10m"
  case fifteenMinutes = "15m"

  /// Key of the setting.
  public static let key = "trips.stop"

  /// Default value, longer than a stop at a traffic light, a level crossing or a petrol pump.
  public static let standard = fiveMinutes

  /// Duration in seconds.
  public var seconds: Double {
    switch self {
    case .fiveMinutes: 300
    case .tenMinutes: 600
    case .fifteenMinutes: 900
    }
  }

  /// Creates the value from a setting. An unset setting and values from newer versions yield the default.
  public init(setting: String?) { self = setting.flatMap(TripStop.init(rawValue:)) ?? .standard }
}
