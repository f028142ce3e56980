import TrendyFoundation
import TrendyModels

/// Parses the fields of text formats: numbers, timestamps and motion states.
enum FieldText {
  static func trim(_ text: some StringProtocol) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
    var slice = Substring(text).drop(while: isSpace)
    while let last = slice.last, isSpace(last) { slice.removeLast() }
    return String(slice)
  }

  /// Parses a finite decimal number. Rejects `inf`, `nan` and hexadecimal numbers, which `Double.init` accepts.
  static func number(_ text: some StringProtocol) -> Double? {
    let text = trim(text)
    guard text.utf8.allSatisfy({ (0x2B...0x39).contains($0) || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }),
      let value = Double(text), value.isFinite
    else { return nil }
    return value
  }

  /// Parses an RFC 3339 timestamp. The offset may lack its minutes. Without an offset, the time is in UTC.
  static func date(_ text: some StringProtocol) -> Date? {
    RFC3339.date(from: text) ?? RFC3339.date(from: text + "Z") ?? RFC3339.date(from: text + "00")
  }

  static func lacksZone(_ text: some StringProtocol) -> Bool {
    RFC3339.date(from: text) == nil && RFC3339.date(from: text + "Z") != nil
  }

  static func moment(_ text: some StringProtocol) -> Date? {
    let text = trim(text)
    return number(text).map { moment($0) } ?? date(text)
  }

  /// Converts seconds since 1970 to a date, or milliseconds if the magnitude is at least 1e11.
  ///
  /// Returns `nil` outside the years 1 to 9999. 1e11 seconds after 1970 is in the year 5138.
  static func moment(_ number: Double) -> Date? {
    let seconds = abs(number) >= 1e11 ? number / 1000 : number
    guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  /// Returns the motion state for a name used by a supported program, or `nil` for other names.
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

  /// Returns the motion state for several simultaneous names.
  ///
  /// "Driving" together with "stationary" means that the phone does not move inside a moving car. If the names
  /// contradict each other, returns the fastest state with low confidence.
  static func motion(_ words: [String]) -> (state: MotionState, confidence: MotionActivity.Confidence)? {
    let states = Set(words.compactMap { motion($0) })
    guard let state = [MotionState.automotive, .cycling, .running, .walking, .stationary].first(where: states.contains)
    else { return nil }
    return (state, states.subtracting([.stationary]).count > 1 ? .low : .medium)
  }

  /// Converts a percentage to a confidence: low below 34, medium below 67, high otherwise.
  static func confidence(percent: Double) -> MotionActivity.Confidence {
    percent < 34 ? .low : percent < 67 ? .medium : .high
  }
}
