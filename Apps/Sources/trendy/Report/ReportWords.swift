import TrendyInsights
import TrendyModels

extension LookBack {
  /// Number of events in a month and, in a yearly report, in the same month of the previous year.
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
  /// Icon or, without one, the first letter of the name.
  var sign: String { glyph ?? name.first { !$0.isWhitespace }.map { String($0).uppercased() } ?? "·" }
}

extension String {
  /// The text enclosed in characters that isolate its direction (Unicode UAX 9).
  var isolated: String { utf8.allSatisfy { $0 < 0x80 } ? self : "\u{2068}\(self)\u{2069}" }

  /// The text or, if it is longer than 24 characters, its first 22 and an ellipsis.
  var shortened: String { count > 24 ? prefix(22) + "…" : self }

  /// Hour without minutes, as in `6 am` for `6:00 am`.
  var hourWord: String { replacing(":00", with: "") }
}

extension CivilDate {
  /// Date, as in `1 March 2026`.
  var longWords: String { "\(dayAndMonth) \(year)" }

  /// Day and month, as in `1 March`.
  var dayAndMonth: String { "\(day) \(Self.monthNames[month - 1])" }

  private static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// Returns the month, as in `Aug`, with the year if the days span several years.
  func monthWords(near days: ClosedRange<CivilDate>?) -> String {
    let isOneYear = days.map { $0.lowerBound.year == $0.upperBound.year } ?? false
    return isOneYear ? LocalTime.months[month - 1] : monthWords
  }

  /// Month and year, as in `1/26`.
  var shortMonth: String { "\(month)/\(year % 100 < 10 ? "0" : "")\(year % 100)" }
}
