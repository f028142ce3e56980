/// Time format of a locale: 12 or 24 hours.
struct HourLocale: Hashable {
  let usesTwelveHours: Bool
  /// Environment variable that determines the locale, or `nil` if none is set.
  let variable: String?

  /// Determines the locale from `LC_ALL`, `LC_TIME` or `LANG`, in that order (POSIX, "Environment Variables").
  init(_ environment: [String: String]) {
    variable = ["LC_ALL", "LC_TIME", "LANG"].first { !(environment[$0] ?? "").isEmpty }
    usesTwelveHours = variable.flatMap { environment[$0] }.map(Self.usesTwelveHours) ?? false
  }

  /// Whether a locale uses 12 hours: `true` for `en_US.UTF-8`, `false` for `en_GB` and `C`.
  private static func usesTwelveHours(_ locale: String) -> Bool {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    let parts = name.split(separator: "_")
    // Canada is among the regions below, but Canadian French uses 24 hours.
    guard parts.count == 2, name != "fr_CA" else { return false }
    return regions.contains(String(parts[1]))
  }

  /// Regions that prefer a 12-hour clock (Unicode CLDR, supplemental time data).
  private static let regions: Set<String> = [
    "AE", "AG", "AL", "AS", "AU", "BB", "BD", "BH", "BM", "BN", "BS", "BT", "CA", "CO", "CY", "DJ", "DM", "DO", "DZ",
    "EG", "EH", "ER", "ET", "FJ", "FM", "GD", "GH", "GM", "GR", "GU", "GY", "HK", "IN", "IQ", "JM", "JO", "KI", "KN",
    "KP", "KR", "KW", "KY", "LB", "LC", "LR", "LS", "LY", "MH", "MO", "MP", "MR", "MW", "MY", "NA", "NZ", "OM", "PA",
    "PG", "PH", "PK", "PR", "PS", "PW", "QA", "SA", "SB", "SD", "SG", "SL", "SO", "SS", "SY", "SZ", "TC", "TD", "TN",
    "TO", "TT", "TW", "UM", "US", "VC", "VE", "VG", "VI", "VU", "WS", "YE", "ZM",
  ]
}
