import CommandSupport
import TrendyModels

extension Session {
  /// Parses a distance such as `12.5km`, `7,5mi`, `300m` or `900ft` into metres.
  ///
  /// A number without a unit is in kilometres or miles, depending on the user's settings. Numbers above 10,000,000 are
  /// invalid.
  /// - Throws: ``CommandError`` with exit 64 for an invalid distance. Its message mentions `what`.
  func metres(_ text: String, of what: String) throws(CommandError) -> Double {
    let units = [
      ("km", 1000.0), ("mi", Units.metresOfMile), ("ft", Units.metresOfFoot), ("m", 1.0),
      ("", self.units.metresOfUnit),
    ]
    let lower = text.lowercased().filter { $0 != " " }
    for (unit, metres) in units where lower.hasSuffix(unit) {
      let digits = lower.dropLast(unit.count)
      guard let number = NumberPhrase.value(digits), (0...1e7).contains(number) else {
        guard let hint = NumberPhrase.hint(for: digits) else { break }
        throw usageError("Invalid distance '\(text)' for \(what)", hint: hint)
      }
      return number * metres
    }
    throw usageError(
      "Invalid distance '\(text)' for \(what)", hint: "Use a distance such as 12.5km, 7mi, 300m or 900ft.")
  }

  /// Returns the value of an option in metres.
  func metres(option: String) throws(CommandError) -> Double? {
    guard let text = arguments.value(option) else { return nil }
    return try metres(text, of: option)
  }
}
