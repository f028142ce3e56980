/// Parses latitudes and longitudes in decimal degrees, or in degrees, minutes and seconds. A hemisphere letter is
/// optional.
enum Degrees {
  /// Returns the angle in degrees, negative in the south and west, or `nil` for any other string.
  static func read(_ text: String, _ numbers: NumberColumn) -> Double? {
    if let number = numbers.number(text) { return number }
    var rest = FieldText.trim(text)[...]
    var isNegative = false
    if let sign = hemisphere(rest.last) {
      isNegative = sign
      rest.removeLast()
    } else if let sign = hemisphere(rest.first) {
      isNegative = sign
      rest.removeFirst()
    }
    var parts: [Double] = []
    for part in rest.split(whereSeparator: { "°º'′’\"″: ".contains($0) }) {
      // Loggers write leading zeros, for example `013.5`.
      let isSigned = part.first == "-"
      var digits = part.drop { $0 == "-" || $0 == "+" }
      while digits.count > 1, digits.first == "0", digits.dropFirst().first?.isNumber == true { digits.removeFirst() }
      guard let number = numbers.number(String(digits)) ?? FieldText.number(digits) else { return nil }
      if isSigned {
        guard parts.isEmpty else { return nil }
        isNegative.toggle()
      }
      parts.append(number)
    }
    guard (1...3).contains(parts.count), parts.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
    let degrees = parts[0] + (parts.count > 1 ? parts[1] / 60 : 0) + (parts.count > 2 ? parts[2] / 3600 : 0)
    return isNegative ? -degrees : degrees
  }

  static func hemisphere(_ letter: Character?) -> Bool? {
    switch letter {
    case "S", "s", "W", "w": true
    case "N", "n", "E", "e", "O", "o": false
    default: nil
    }
  }
}
