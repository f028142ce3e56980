/// Parser and formatter for durations as users type them: `1h30m`, `1h30`, `7:30`, `45 min`, `1 hour 20 minutes`,
/// `90s`.
public enum DurationPhrase: Sendable {
  public static let help = "Use a duration such as 1h30m, 45m, 7:30 or '45 min'."

  /// Maximum duration in seconds, about ten thousand years.
  private static let longest = 10_000 * 366 * 86_400.0

  /// Parses a duration into seconds, or returns `nil` if it is invalid. A number without a unit is in minutes, and
  /// `7:30` is in hours and minutes.
  public static func seconds(_ text: some StringProtocol) -> Double? {
    guard let seconds = clockLike(text) ?? bareMinutes(text) ?? TimeSpan(text)?.seconds, seconds <= longest else {
      return nil
    }
    return seconds
  }

  /// Parses hours with minutes and optional seconds: `7:30`, `0:45:10`.
  private static func clockLike(_ text: some StringProtocol) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }),
      let hours = Double(parts[0]), parts.dropFirst().allSatisfy({ $0.count == 2 })
    else { return nil }
    let rest = parts.dropFirst().compactMap { Double($0) }
    guard rest.allSatisfy({ $0 < 60 }) else { return nil }
    return hours * 3600 + rest[0] * 60 + (rest.count > 1 ? rest[1] : 0)
  }

  private static func bareMinutes(_ text: some StringProtocol) -> Double? {
    guard text.allSatisfy({ $0.isASCIIDigit || $0 == "." }), let minutes = Double(text) else { return nil }
    return minutes * 60
  }

  /// Formats seconds as `1 h 30 min`, or as seconds below two minutes.
  public static func words(_ seconds: Double) -> String {
    guard let total = Int(exactly: seconds.rounded()) else { return "\(seconds) s" }
    if total < 120 { return "\(total) s" }
    let (hours, minutes) = (total / 3600, total % 3600 / 60)
    return hours == 0 ? "\(minutes) min" : minutes == 0 ? "\(hours) h" : "\(hours) h \(minutes) min"
  }
}

extension Character {
  package var isASCIIDigit: Bool { isASCII && isNumber }
}

/// Duration with units, such as `2 weeks`, `1h30m` or `half an hour`.
///
/// Days, weeks, months and years follow the calendar, so their length in seconds varies.
struct TimeSpan: Hashable {
  private(set) var months = 0.0
  private(set) var days = 0.0
  private(set) var clockSeconds = 0.0

  /// Parses a duration. Returns `nil` if the unit is missing or the number of months is fractional.
  init?(_ text: some StringProtocol) {
    var rest = Substring(
      text.lowercased().replacing("half an hour", with: "30min").replacing("half a day", with: "12h"))
    var lastUnit: Unit?
    while true {
      rest = rest.drop { $0 == " " || $0 == "," }
      if rest.hasPrefix("and ") { rest = rest.dropFirst(4) }
      if rest.isEmpty { break }
      guard let amount = Self.amount(&rest) else { return nil }
      rest = rest.drop { $0 == " " }
      let word = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(word.count)
      guard let unit = word.isEmpty ? lastUnit?.next : Unit(String(word)) else { return nil }
      // Only the last number may omit its unit, as in `1h30`.
      if word.isEmpty, !rest.isEmpty { return nil }
      guard add(amount, unit) else { return nil }
      lastUnit = unit
    }
    if lastUnit == nil { return nil }
  }

  /// Length in seconds with 24-hour days, or `nil` if the duration includes months or years.
  var seconds: Double? { months == 0 ? days * 86_400 + clockSeconds : nil }

  /// Text such as `1 hour 30 minutes`. Weeks are converted to days: `2w` is `14 days`.
  var words: String {
    let clock = Int(clockSeconds.rounded())
    let amounts: [(Double, String)] = [
      ((months / 12).rounded(.down), "year"), (months.truncatingRemainder(dividingBy: 12), "month"), (days, "day"),
      (Double(clock / 3600), "hour"), (Double(clock / 60 % 60), "minute"), (Double(clock % 60), "second"),
    ]
    let parts = amounts.filter { $0.0 != 0 }.map { amount, unit in
      let number = Int(exactly: amount).map { "\($0)" } ?? "\(amount)"
      return "\(number) \(unit)\(amount == 1 ? "" : "s")"
    }
    return parts.isEmpty ? "0 seconds" : parts.joined(separator: " ")
  }

  private enum Unit {
    case second
    case minute
    case hour
    case day
    case week
    case month
    case year

    init?(_ word: String) {
      switch word {
      case "s", "sec", "secs", "second", "seconds": self = .second
      case "m", "min", "mins", "minute", "minutes": self = .minute
      case "h", "hr", "hrs", "hour", "hours": self = .hour
      case "d", "day", "days": self = .day
      case "w", "wk", "wks", "week", "weeks": self = .week
      case "mo", "month", "months": self = .month
      case "y", "yr", "yrs", "year", "years": self = .year
      default: return nil
      }
    }

    var next: Unit? {
      switch self {
      case .hour: .minute
      case .minute: .second
      default: nil
      }
    }
  }

  /// Parses and removes a leading number, or `a` or `an` for 1.
  private static func amount(_ rest: inout Substring) -> Double? {
    for word in ["an ", "a "] where rest.hasPrefix(word) {
      rest = rest.dropFirst(word.count)
      return 1
    }
    let digits = rest.prefix { $0.isASCIIDigit || $0 == "." || $0 == "," }
    guard let value = Double(digits.replacing(",", with: ".")) else { return nil }
    rest = rest.dropFirst(digits.count)
    return value
  }

  private mutating func add(_ amount: Double, _ unit: Unit) -> Bool {
    switch unit {
    case .second: clockSeconds += amount
    case .minute: clockSeconds += amount * 60
    case .hour: clockSeconds += amount * 3600
    case .day: days += amount
    case .week: days += amount * 7
    case .month: months += amount
    case .year: months += amount * 12
    }
    return months == months.rounded() && months < 1_200_000 && days < 36_600_000
  }
}
