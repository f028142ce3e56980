import TrendyInsights
import TrendyModels

extension LookBack {
  /// A month of the days, and what the year before had in it; that only of a year.
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
  /// Its icon where that is a sign, else the first letter of its name.
  var sign: String { glyph ?? name.first { !$0.isWhitespace }.map { String($0).uppercased() } ?? "·" }
}

extension String {
  /// Within a sentence: its direction of writing does not reach beyond it (Unicode's UAX 9, isolates).
  var isolated: String { utf8.allSatisfy { $0 < 0x80 } ? self : "\u{2068}\(self)\u{2069}" }

  /// For where there is room for a word.
  var shortened: String { count > 24 ? prefix(22) + "…" : self }

  /// `6 am` of `6:00 am`.
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

  /// `Aug`, with its year where the days lie in several.
  func monthWords(near days: ClosedRange<CivilDate>?) -> String {
    let isOneYear = days.map { $0.lowerBound.year == $0.upperBound.year } ?? false
    return isOneYear ? LocalTime.months[month - 1] : monthWords
  }

  /// `1/26`.
  var shortMonth: String { "\(month)/\(year % 100 < 10 ? "0" : "")\(year % 100)" }
}
