import TrendyFoundation
import TrendyModels

/// What the fields of text formats mean: numbers, moments, words for motion.
enum FieldText {
  static func trim(_ text: some StringProtocol) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
    var slice = Substring(text).drop(while: isSpace)
    while let last = slice.last, isSpace(last) { slice.removeLast() }
    return String(slice)
  }

  /// A decimal number; what `Double` also takes (`inf`, `nan`, hexadecimal) is none.
  static func number(_ text: some StringProtocol) -> Double? {
    let text = trim(text)
    guard text.utf8.allSatisfy({ (0x2B...0x39).contains($0) || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }),
      let value = Double(text), value.isFinite
    else { return nil }
    return value
  }

  /// RFC 3339, and what is written for it: without a zone, which is read as UTC, or with whole hours for a zone.
  static func date(_ text: some StringProtocol) -> Date? {
    RFC3339.date(from: text) ?? RFC3339.date(from: text + "Z") ?? RFC3339.date(from: text + "00")
  }

  /// Whether a date is written without a zone.
  static func lacksZone(_ text: some StringProtocol) -> Bool {
    RFC3339.date(from: text) == nil && RFC3339.date(from: text + "Z") != nil
  }

  /// A moment as text: a date, or seconds or milliseconds since 1970.
  static func moment(_ text: some StringProtocol) -> Date? {
    let text = trim(text)
    return number(text).map { moment($0) } ?? date(text)
  }

  /// Seconds since 1970; from 1e11 on, which as seconds is the year 5138, milliseconds. `nil` beyond the years 1 to 9999.
  static func moment(_ number: Double) -> Date? {
    let seconds = abs(number) >= 1e11 ? number / 1000 : number
    guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  /// The state that a program's word for a motion means; `nil` for a word that says nothing of motion.
  static func motion(_ word: some StringProtocol) -> MotionState? {
    switch word.lowercased() {
    case "automotive", "driving", "in_vehicle", "in_car", "car", "vehicle", "in_road_vehicle": .automotive
    case "cycling", "on_bicycle", "bicycle", "bike": .cycling
    case "running": .running
    case "walking", "on_foot", "foot": .walking
    case "stationary", "still": .stationary
    default: nil
    }
  }

  /// What several words that hold at once mean: driving and stationary is a phone at rest in a moving car. Words that
  /// exclude each other are told by the fastest and believed little.
  static func motion(_ words: [String]) -> (state: MotionState, confidence: MotionActivity.Confidence)? {
    let states = Set(words.compactMap { motion($0) })
    guard let state = [MotionState.automotive, .cycling, .running, .walking, .stationary].first(where: states.contains)
    else { return nil }
    return (state, states.subtracting([.stationary]).count > 1 ? .low : .medium)
  }

  /// Per cent in thirds.
  static func confidence(percent: Double) -> MotionActivity.Confidence {
    percent < 34 ? .low : percent < 67 ? .medium : .high
  }
}
