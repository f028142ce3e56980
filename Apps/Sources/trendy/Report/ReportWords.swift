import TrendyInsights
import TrendyModels

extension LookBack {
  /// A month with its count and, in a report of a year, that of the previous year.
  struct Month {
    let days: ClosedRange<CivilDate>
    let now: Double
    let before: Double?
  }
}

extension Confidence {
  var rank: Int {
    switch self {
    case .low: 1
    case .medium: 2
    case .high: 3
    }
  }
}

extension EventType {
  /// Icon, or else the first letter of the name.
  var sign: String { glyph ?? name.first { !$0.isWhitespace }.map { String($0).uppercased() } ?? "·" }
}

extension String {
  /// Text with isolated direction (Unicode UAX 9).
  var isolated: String { utf8.allSatisfy { $0 < 0x80 } ? self : "\u{2068}\(self)\u{2069}" }

  /// Shortened to the length of a word.
  var shortened: String { count > 24 ? prefix(22) + "…" : self }

  /// `6 am` for `6:00 am`.
  var hourWord: String { replacing(":00", with: "") }
}

extension CivilDate {
  /// `1 March 2026`.
  var longWords: String { "\(dayAndMonth) \(year)" }

  /// `1 March`.
  var dayAndMonth: String { "\(day) \(Self.monthNames[month - 1])" }

  private static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// `Aug`, with the year if the days are in several years.
  func monthWords(near days: ClosedRange<CivilDate>?) -> String {
    let isOneYear = days.map { $0.lowerBound.year == $0.upperBound.year } ?? false
    return isOneYear ? LocalTime.months[month - 1] : monthWords
  }

  /// `1/26`.
  var shortMonth: String { "\(month)/\(year % 100 < 10 ? "0" : "")\(year % 100)" }
}
