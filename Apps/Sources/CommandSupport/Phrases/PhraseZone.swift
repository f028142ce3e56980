#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyFoundation
import TrendyModels

/// Time zone in a phrase such as `9:00 UTC`, `9:00+01:00`, `9am CET` or `9:00 Europe/Paris`.
///
/// The rest of the phrase is parsed in UTC with all times shifted by this zone's offset, and the result is shifted
/// back.
enum PhraseZone: Hashable {
  /// Fixed offset in seconds east of UTC.
  case offset(Int)
  case rules(TimeZoneRules)

  /// Returns the point in time when a UTC clock shows what a clock in this zone shows at `date`.
  func wall(_ date: Date) -> Date { date.addingTimeInterval(Double(secondsFromGMT(at: date))) }

  /// Reverses ``wall(_:)``. Returns the first of two times that a clock change repeats, and shifts a skipped time by
  /// the change.
  func date(wall: Date) -> Date {
    let before = Double(secondsFromGMT(at: wall.addingTimeInterval(-86_400)))
    let date = wall.addingTimeInterval(-before)
    if self.wall(date) == wall { return date }
    let later = wall.addingTimeInterval(-Double(secondsFromGMT(at: wall.addingTimeInterval(86_400))))
    return self.wall(later) == wall ? later : date
  }

  private func secondsFromGMT(at date: Date) -> Int {
    switch self {
    case .offset(let seconds): seconds
    case .rules(let rules): rules.secondsFromGMT(at: date)
    }
  }

  // MARK: - Parsing

  /// Returns every way to interpret one of the words as a time zone, each with the remaining words.
  ///
  /// `words` are lowercased. `typed` has the original capitalization, which is needed to look up zone names.
  static func readings(
    of words: [String], typed: String, now: Date, in local: LocalTime
  ) -> [(words: [String], zone: PhraseZone)] {
    // RFC 2822 allows a zone name in parentheses as a comment: `+0100 (CET)`.
    let words = words.flatMap { detached($0) }.filter { !($0.hasPrefix("(") && $0.hasSuffix(")")) }
    return words.indices.dropFirst().compactMap { index in
      guard let zone = PhraseZone(words[index], typed: typed, now: now, in: local) else { return nil }
      var rest = words
      rest.remove(at: index)
      return (rest, zone)
    }
  }

  /// Splits `9:00z` and `9:00+01:00` into time and zone, writing the offset as `+0100`. Returns other words unchanged.
  ///
  /// `isDated` means that a date and `t` precede the word, so a hyphen starts an offset. Without them, a hyphen
  /// separates the two times of a range such as `9:00-10:30`.
  static func detached(_ word: String, isDated: Bool = false) -> [String] {
    if word.hasSuffix("z"), TimePhrase.clock(String(word.dropLast())) != nil { return [String(word.dropLast()), "z"] }
    guard let sign = word.lastIndex(where: { "+-".contains($0) }), TimePhrase.clock(String(word[..<sign])) != nil else {
      return [word]
    }
    let digits = word[sign...].dropFirst().filter { $0 != ":" }
    // PostgreSQL prints offsets as hours only: `09:00:00-05`.
    let isShort = digits.count == 2 && word[..<sign].count { $0 == ":" } == 2
    guard isShort || digits.count == 4 && (word[sign] == "+" || isDated) else { return [word] }
    return [String(word[..<sign]), "\(word[sign])\(digits)\(isShort ? "00" : "")"]
  }

  private init?(_ word: String, typed: String, now: Date, in local: LocalTime) {
    if ["z", "utc", "gmt", "ut"].contains(word) {
      self = .offset(0)
    } else if let seconds = Self.offset(word) ?? Self.offset(ofAbbreviation: word, now: now, in: local) {
      self = .offset(seconds)
    } else if word.contains("/"), let rules = Self.rules(word, typed: typed) {
      self = .rules(rules)
    } else {
      return nil
    }
  }

  /// Parses an offset such as `+0100`, `+01:00`, `-0500` or `utc+1` into seconds. Rejects `-05:00`, which may be the
  /// end of a range.
  private static func offset(_ word: String) -> Int? {
    let isNamed = word.hasPrefix("utc") || word.hasPrefix("gmt")
    let rest = word.dropFirst(isNamed ? 3 : 0)
    guard let sign = rest.first, sign == "+" || sign == "-" else { return nil }
    let digits = rest.dropFirst().filter { $0 != ":" }
    guard isNamed || sign == "+" || !rest.contains(":"), digits.count == 4 || isNamed && (1...2).contains(digits.count),
      digits.allSatisfy(\.isASCIIDigit), let number = Int(digits)
    else { return nil }
    let (hours, minutes) = digits.count == 4 ? (number / 100, number % 100) : (number, 0)
    guard hours <= 14, minutes < 60 else { return nil }
    return (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
  }

  /// Returns the offset of an abbreviation used in the user's time zone within a year of `now`, or `nil`.
  ///
  /// Abbreviations from other zones are ambiguous: `CST` means different offsets in Chicago and Shanghai.
  private static func offset(ofAbbreviation word: String, now: Date, in local: LocalTime) -> Int? {
    guard local.zoneName != "UTC", (2...5).contains(word.count), word.allSatisfy(\.isLetter) else { return nil }
    tzset()
    let offsets = stride(from: -360.0, through: 360, by: 30).compactMap { days -> Int? in
      var seconds = time_t(now.timeIntervalSince1970 + days * 86_400)
      var fields = tm()
      localtime_r(&seconds, &fields)
      guard let name = fields.tm_zone, String(cString: name).lowercased() == word else { return nil }
      return Int(fields.tm_gmtoff)
    }
    return Set(offsets).count == 1 ? offsets[0] : nil
  }

  /// Returns the rules of a zone such as `europe/paris`. Looks up the name as typed, then capitalized.
  private static func rules(_ word: String, typed: String) -> TimeZoneRules? {
    var capital = ""
    for letter in word { capital += capital.last?.isLetter == true ? String(letter) : letter.uppercased() }
    let name = typed.split { $0 == " " || $0 == "," }.first { $0.lowercased() == word }
    return name.flatMap { TimeZoneRules(named: String($0)) } ?? TimeZoneRules(named: capital)
  }
}
