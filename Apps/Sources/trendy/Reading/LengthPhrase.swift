import CommandSupport
import TrendyModels

extension Session {
  /// Metres of `12km`, `7mi`, `300m` or `900ft`; a bare number is kilometres or miles, as the person's units are.
  func metres(_ text: String, of what: String) throws(CommandError) -> Double {
    let units = [
      ("km", 1000.0), ("mi", Units.metresOfMile), ("ft", Units.metresOfFoot), ("m", 1.0),
      ("", self.units.metresOfUnit),
    ]
    let lower = text.lowercased().filter { $0 != " " }
    for (unit, metres) in units where lower.hasSuffix(unit) {
      guard let number = Double(lower.dropLast(unit.count)), number.isFinite, (0...1e7).contains(number) else { break }
      return number * metres
    }
    throw usageError("'\(text)' is no length for \(what)", hint: "Lengths look like 12.5km, 7mi, 300m or 900ft.")
  }

  /// Metres of an option's value; `nil` where it was not given.
  func metres(option: String) throws(CommandError) -> Double? {
    guard let text = arguments.value(option) else { return nil }
    return try metres(text, of: option)
  }
}
