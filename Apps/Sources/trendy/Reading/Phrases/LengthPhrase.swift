import CommandSupport
import TrendyModels

extension Session {
  /// Parses `12.5km`, `7,5mi`, `300m` or `900ft` and returns metres.
  ///
  /// A number without a unit is in the user's unit, kilometres or miles. Numbers above 10,000,000 are rejected.
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
    throw usageError("Invalid distance '\(text)' for \(what)", hint: "Use for example 12.5km, 7mi, 300m or 900ft.")
  }

  /// Returns the metres of an option; `nil` if it was not given.
  func metres(option: String) throws(CommandError) -> Double? {
    guard let text = arguments.value(option) else { return nil }
    return try metres(text, of: option)
  }
}
