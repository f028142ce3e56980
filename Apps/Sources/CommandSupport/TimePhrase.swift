#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels

/// Times as people type them: `8:30`, `yesterday 21:00`, `-20m`, `20m ago`, `mon`, `2026-11-20 08:30`, RFC 3339.
public enum TimePhrase: Sendable {
  public static let help = "Times look like 8:30, 'yesterday 21:00', -20m, '20m ago', mon, 2026-11-20 or RFC 3339."

  /// From the year 1 to 9999: what RFC 3339 can write.
  public static let writable =
    Date(timeIntervalSince1970: -62_135_596_800)..<Date(timeIntervalSince1970: 253_402_300_800)

  /// - Throws: ``CommandError`` with exit 64 for a phrase that is none of these, or means a time that cannot be written.
  public static func date(_ phrase: String, now: Date, in local: LocalTime) throws(CommandError) -> Date {
    let date = try moment(phrase, now: now, in: local)
    guard writable.contains(date) else {
      throw CommandError("'\(phrase)' is not in the years 1 to 9999", hint: help, exit: .usage)
    }
    return date
  }

  private static func moment(_ phrase: String, now: Date, in local: LocalTime) throws(CommandError) -> Date {
    let text = phrase.lowercased().split(separator: " ").joined(separator: " ")
    if let date = RFC3339.date(from: phrase) { return date }
    if text == "now" { return now }
    func seconds(_ span: Substring) -> Double? {
      // `-20` could be minutes or hours: a span of time names its unit.
      span.last?.isLetter == true ? Self.seconds(span.replacing(" ", with: "")) : nil
    }
    if text.hasSuffix(" ago"), let span = seconds(text.dropLast(4)) {
      return now.addingTimeInterval(-span)
    }
    if text.hasPrefix("-"), let span = seconds(text.dropFirst()) { return now.addingTimeInterval(-span) }
    if text.hasPrefix("+"), let span = seconds(text.dropFirst()) { return now.addingTimeInterval(span) }

    var words = text.split(whereSeparator: { $0 == " " || $0 == "t" && text.contains(":") && text.first!.isNumber })
    var day = local.startOfDay(now)
    if let first = words.first, let named = self.day(String(first), now: now, in: local) {
      day = named
      words.removeFirst()
      if words.isEmpty { return day }
    }
    guard words.count == 1, let clock = clock(String(words[0])) else {
      throw CommandError("'\(phrase)' is no time that can be read", hint: help, exit: .usage)
    }
    let fields = local.components(of: day)
    return local.date(
      year: fields.year, month: fields.month, day: fields.day, hour: clock.hour, minute: clock.minute,
      second: clock.second)
  }

  /// The longest span that is understood, in seconds: ten thousand years.
  private static let longest = 10_000 * 366 * 86_400.0

  /// `1h30m`, `45m`, `90s`, `2d`, `1.5h`, as seconds; a bare number counts as minutes.
  public static func seconds(_ text: some StringProtocol) -> Double? {
    guard let seconds = span(text), seconds <= longest else { return nil }
    return seconds
  }

  private static func span(_ text: some StringProtocol) -> Double? {
    var total = 0.0
    var number = ""
    var hasUnit = false
    for character in text.lowercased() {
      if character.isNumber || character == "." {
        number.append(character)
        continue
      }
      guard let value = Double(number) else { return nil }
      switch character {
      case "s": total += value
      case "m": total += value * 60
      case "h": total += value * 3600
      case "d": total += value * 86_400
      case "w": total += value * 604_800
      default: return nil
      }
      number = ""
      hasUnit = true
    }
    if number.isEmpty { return hasUnit ? total : nil }
    guard !hasUnit, let value = Double(number) else { return nil }
    return value * 60
  }

  /// `1h 30m`, for people; to the second below a minute. Any number can come from outside, also one that no clock counts to.
  public static func words(_ seconds: Double) -> String {
    guard let total = Int(exactly: seconds.rounded()) else { return "\(seconds)s" }
    if total < 60 { return "\(total)s" }
    let (hours, minutes) = (total / 3600, total % 3600 / 60)
    return hours == 0 ? "\(minutes)m" : minutes == 0 ? "\(hours)h" : "\(hours)h \(minutes)m"
  }

  private static func day(_ word: String, now: Date, in local: LocalTime) -> Date? {
    switch word {
    case "today": return local.startOfDay(now)
    case "yesterday": return local.startOfDay(now, addingDays: -1)
    case "tomorrow": return local.startOfDay(now, addingDays: 1)
    default: break
    }
    if word.count >= 3, word.allSatisfy(\.isLetter),
      let weekday = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
        .firstIndex(where: { $0.hasPrefix(word) })
    {
      let today = local.components(of: now).weekday
      return local.startOfDay(now, addingDays: -((today - weekday + 7) % 7))
    }
    let parts = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard word.count == 10, parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
      (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    let date = local.date(year: year, month: month, day: day)
    return local.components(of: date).day == day ? date : nil
  }

  private static func clock(_ word: String) -> (hour: Int, minute: Int, second: Int)? {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2 || parts.count == 3, let hour = parts[0], let minute = parts[1],
      (0...23).contains(hour), (0...59).contains(minute)
    else { return nil }
    guard parts.count == 3 else { return (hour, minute, 0) }
    guard let second = parts[2], (0...59).contains(second) else { return nil }
    return (hour, minute, second)
  }
}
