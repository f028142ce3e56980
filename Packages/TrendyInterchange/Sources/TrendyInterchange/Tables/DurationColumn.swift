/// Unit of a duration.
public enum DurationUnit: String, Hashable, Sendable, CaseIterable {
  case milliseconds = "ms"
  case seconds = "s"
  case minutes = "min"
  case hours = "h"
  case days = "d"

  var inSeconds: Double {
    switch self {
    case .milliseconds: 0.001
    case .seconds: 1
    case .minutes: 60
    case .hours: 3600
    case .days: 86_400
    }
  }

  /// Creates a unit from its name or abbreviation, in several languages. Returns `nil` for other words.
  init?(word: some StringProtocol) {
    switch word.lowercased().filter({ $0 != "." }) {
    case "ms", "msec", "msecs", "millis", "millisecond", "milliseconds", "millisekunden": self = .milliseconds
    case "s", "sec", "secs", "second", "seconds", "sek", "sekunde", "sekunden", "seconde", "secondes", "seconden",
      "segundo", "segundos", "secondi", "\"", "″":
      self = .seconds
    case "m", "min", "mins", "mn", "minute", "minutes", "minuten", "minuut", "minuto", "minutos", "minuti", "'", "′":
      self = .minutes
    case "h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden", "uur", "uren", "u", "heure", "heures", "hora",
      "horas", "ora", "ore", "godz":
      self = .hours
    case "d", "day", "days", "tag", "tage", "dag", "dagen", "jour", "jours", "dia", "dias", "día", "días": self = .days
    default: return nil
    }
  }

  /// Creates a unit from a column name such as `Duration (min)`, `hours` or `duration_seconds`.
  init?(columnName: String) {
    let words = columnName.lowercased().split {
      !($0.isLetter || $0 == "." || $0 == "'" || $0 == "\"" || $0 == "′" || $0 == "″")
    }
    // In `h:mm` and `mm:ss`, the first part determines the unit.
    if words.contains("mm"), words.contains("ss") || words.contains("s") {
      self = words.contains("h") || words.contains("hh") ? .hours : .minutes
      return
    }
    if words.contains("hh") {
      self = .hours
      return
    }
    guard let unit = words.lazy.compactMap({ DurationUnit(word: $0) }).last else {
      return nil
    }
    self = unit
  }
}

/// Duration in a cell while the unit of the column is unknown.
enum DurationText: Equatable {
  /// Duration in seconds.
  case exact(Double)
  /// Number without a unit, such as `90`.
  case bare(Double)
  /// Duration in two parts such as `1:30`: hours and minutes, or minutes and seconds. `unit` is the unit of the first
  /// part, if the cell contains a unit.
  case clock(first: Double, second: Double, unit: DurationUnit?)

  init?(_ text: String, _ numbers: NumberColumn) {
    let text = FieldText.trim(text)
    guard !text.isEmpty, text.utf8.count <= 100 else { return nil }
    if let number = numbers.number(text) {
      guard number >= 0, number < 1e9 else { return nil }
      self = .bare(number)
      return
    }
    if text.contains(":") {
      guard let clock = Self.clock(text) else { return nil }
      self = clock
      return
    }
    guard let seconds = Self.iso(text) ?? Self.words(text, numbers) else { return nil }
    self = .exact(seconds)
  }

  private static func clock(_ text: String) -> DurationText? {
    let end = text.firstIndex { !($0.isNumber || $0 == ":" || $0 == "." || $0 == ",") } ?? text.endIndex
    let word = FieldText.trim(text[end...])
    let unit = DurationUnit(word: word)
    guard word.isEmpty || unit != nil else { return nil }
    let parts = text[..<end].split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.enumerated().compactMap { index, part -> Double? in
      // Only the last part may have a fraction.
      guard index == parts.count - 1 || part.allSatisfy(\.isNumber) else { return nil }
      return Double(part.replacing(",", with: "."))
    }
    guard (2...3).contains(parts.count), numbers.count == parts.count, numbers.allSatisfy({ $0 >= 0 && $0 < 1e6 }),
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { return nil }
    if numbers.count == 3 { return .exact(numbers[0] * 3600 + numbers[1] * 60 + numbers[2]) }
    return .clock(first: numbers[0], second: numbers[1], unit: unit)
  }

  /// Parses an ISO 8601 duration such as `PT1H30M`.
  private static func iso(_ text: String) -> Double? {
    let upper = text.uppercased()
    guard upper.hasPrefix("P"), upper.count > 2 else { return nil }
    var isTime = false
    var seconds = 0.0
    var digits = ""
    for character in upper.dropFirst() {
      switch character {
      case "T": isTime = true
      case "0"..."9", ".", ",": digits.append(character == "," ? "." : character)
      default:
        guard let number = Double(digits) else { return nil }
        digits = ""
        switch (character, isTime) {
        case ("W", false): seconds += number * 604_800
        case ("D", false): seconds += number * 86_400
        case ("H", true): seconds += number * 3600
        case ("M", true): seconds += number * 60
        case ("S", true): seconds += number
        default: return nil
        }
      }
    }
    return digits.isEmpty && seconds < 1e9 ? seconds : nil
  }

  /// Parses a duration such as `45 minutes`, `1 hour 30 mins`, `1h30`, `1,5 h`, `2 Std. 10 Min.` or `1 h and 5 min`.
  private static func words(_ text: String, _ numbers: NumberColumn) -> Double? {
    var seconds = 0.0
    var last: DurationUnit?
    var rest = text[...]
    while !rest.isEmpty {
      rest = rest.drop { $0.isWhitespace || $0 == "," || $0 == "&" || $0 == "+" }
      if rest.isEmpty { break }
      let digits = rest.prefix { $0.isNumber || $0 == "." || $0 == "," }
      guard let number = numbers.number(String(digits)) ?? Double(digits) else {
        let word = rest.prefix { $0.isLetter }
        guard last != nil, ["and", "und", "et", "y", "e", "en"].contains(word.lowercased()) else { return nil }
        rest = rest[word.endIndex...]
        continue
      }
      rest = rest[digits.endIndex...].drop { $0.isWhitespace || $0 == "\u{A0}" }
      let word = rest.prefix { !$0.isNumber && !$0.isWhitespace && $0 != "," && $0 != "&" && $0 != "+" }
      let unit: DurationUnit
      if word.isEmpty, rest.isEmpty, let last {
        // `1h30` is one hour and 30 minutes.
        guard last == .hours || last == .minutes else { return nil }
        unit = last == .hours ? .minutes : .seconds
      } else {
        guard let named = DurationUnit(word: word) else { return nil }
        unit = named
      }
      if let last, unit.inSeconds >= last.inSeconds { return nil }
      last = unit
      seconds += number * unit.inSeconds
      rest = rest[word.endIndex...]
    }
    return last != nil && seconds < 1e9 ? seconds : nil
  }
}

struct DurationEvidence {
  var numbers = NumberEvidence()
  /// Units found in the cells.
  private var units: Set<DurationUnit> = []
  private var hasLongClocks = false
  /// First nonzero cell without a unit.
  private var firstBare: String?

  mutating func add(_ text: String) {
    let text = FieldText.trim(text)
    let digits = text.prefix { $0.isNumber || "., \u{A0}".contains($0) }
    if digits.endIndex == text.endIndex, text.contains(where: \.isNumber) {
      numbers.add(text)
      if !text.allSatisfy({ "0.,".contains($0) }) { firstBare = firstBare ?? text }
      return
    }
    if text.contains(":") {
      if text.split(separator: ":").count == 3 { hasLongClocks = true }
      return
    }
    let number = FieldText.trim(digits)
    if number.contains(where: \.isNumber) { numbers.add(number) }
    let rest = FieldText.trim(text[digits.endIndex...])
    if let unit = DurationUnit(word: rest) { units.insert(unit) }
  }

  /// Determines the unit of the column.
  ///
  /// - Parameters:
  ///   - column: Name of the column, which may contain the unit.
  ///   - chosen: Unit that the user specified.
  ///   - numbers: Parser for the numbers in the column.
  ///   - isNeeded: Whether the table needs the durations, which makes an unknown unit an error.
  /// - Throws: ``InterchangeError/undecided(_:reason:)`` if a number has no unit.
  func decide(
    column: String, chosen: DurationUnit?, numbers: NumberColumn, isNeeded: Bool
  ) throws(InterchangeError) -> DurationColumn {
    let named = chosen ?? DurationUnit(columnName: column)
    let unit = named ?? (units.count == 1 ? units.first : nil)
    if unit == nil, isNeeded, let firstBare {
      throw .undecided(.durationUnit, reason: "column '\(column)': duration '\(firstBare)' has no unit")
    }
    // Interpret `45:10` as minutes and seconds if the column also contains durations such as `1:02:33`.
    let clockUnit: DurationUnit =
      named == .minutes || named == .seconds || named == nil && hasLongClocks ? .minutes : .hours
    return DurationColumn(numbers: numbers, unit: unit, clockUnit: clockUnit)
  }
}

struct DurationColumn {
  var numbers = NumberColumn()
  /// Unit of numbers without a unit, or `nil` if unknown.
  var unit: DurationUnit?
  var clockUnit: DurationUnit = .hours

  /// Returns the duration in seconds, or `nil` if the cell is not a duration or its unit is unknown.
  func seconds(_ text: String) -> Double? {
    switch DurationText(text, numbers) {
    case .exact(let seconds): seconds
    case .bare(let number): number == 0 ? 0 : unit.map { number * $0.inSeconds }
    case .clock(let first, let second, let unit):
      (unit ?? clockUnit) == .hours ? first * 3600 + second * 60 : first * 60 + second
    case nil: nil
    }
  }
}
