public import TrendyModels

/// The user's preferences for days, times and distances, derived from the settings.
public struct Preferences: Hashable, Sendable {
  public let units: Units
  private let dayStart: Int
  private let firstWeekday: Int
  private let showsTwelveHours: Bool

  /// Reads the preferences from settings, using defaults for settings without a value.
  public init(_ settings: Settings) {
    units = settings.text(Setting.units).flatMap(Units.init(rawValue:)) ?? .metric
    dayStart = settings.text(Setting.dayStartsAt).flatMap(DayClock.seconds) ?? 0
    showsTwelveHours = settings.text(Setting.hours) == "12"
    let names = Setting.weekStartsOn.words
    let index = settings.text(Setting.weekStartsOn).flatMap { names.firstIndex(of: $0) } ?? 0
    firstWeekday = (index + 1) % 7
  }

  /// Returns a calendar with the user's preferences, in this process's time zone or in UTC.
  public func local(isUTC: Bool = false) -> LocalTime {
    var local = LocalTime(isUTC: isUTC)
    local.dayStart = dayStart
    local.firstWeekday = firstWeekday
    local.showsTwelveHours = showsTwelveHours
    return local
  }
}

/// System of units for distances and speeds.
public enum Units: String, Hashable, Sendable {
  case metric
  case imperial

  public static let metresOfMile = 1609.344
  public static let metresOfFoot = 0.3048

  /// Formats a length as `840 m` or `12.3 km`, or as `840 ft` or `7.4 mi`.
  public func length(_ metres: Double) -> String {
    switch self {
    case .metric: abs(metres) < 999.5 ? "\(Int(metres.rounded())) m" : distance(metres)
    case .imperial:
      abs(metres) < 999.5 * Self.metresOfFoot
        ? "\(Int((metres / Self.metresOfFoot).rounded())) ft" : distance(metres)
    }
  }

  /// Formats a distance in the larger unit, as `12.3 km` or `7.4 mi`.
  public func distance(_ metres: Double, decimals: Int = 1) -> String {
    let scale = decimals == 1 ? 10 : 100
    let parts = (metres / metresOfUnit * Double(scale)).rounded()
    // Imported values may be arbitrarily large.
    guard abs(parts) < 1e12 else { return "\(metres) m" }
    let whole = abs(Int(parts))
    let rest = whole % scale
    let padding = decimals == 2 && rest < 10 ? "0" : ""
    return "\(parts < 0 ? "−" : "")\(whole / scale).\(padding)\(rest) \(name)"
  }

  /// Formats a speed as `48 km/h` or `30 mph`.
  public func speed(_ metresPerSecond: Double) -> String {
    let value = (metresPerSecond * 3600 / metresOfUnit).rounded()
    return "\(JSONText.number(value)) \(self == .metric ? "km/h" : "mph")"
  }

  /// Length of a kilometre or a mile in metres. Distances without a unit are in this unit.
  public var metresOfUnit: Double { self == .metric ? 1000 : Self.metresOfMile }

  private var name: String { self == .metric ? "km" : "mi" }
}
