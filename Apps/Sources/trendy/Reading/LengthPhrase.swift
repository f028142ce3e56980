import CommandSupport
import TrendyModels

extension Session {
  /// Metres of `12km`, `7mi` or `300m`; a bare number is kilometres.
  func metres(_ text: String, of what: String) throws(CommandError) -> Double {
    let units = [("km", 1000.0), ("mi", 1609.344), ("m", 1.0), ("", 1000)]
    let lower = text.lowercased().filter { $0 != " " }
    for (unit, metres) in units where lower.hasSuffix(unit) {
      guard let number = Double(lower.dropLast(unit.count)), number.isFinite, (0...1e7).contains(number) else { break }
      return number * metres
    }
    throw usageError("'\(text)' is no length for \(what)", hint: "Lengths look like 12.5km, 7mi or 300m.")
  }

  /// Metres of an option's value; `nil` where it was not given.
  func metres(option: String) throws(CommandError) -> Double? {
    guard let text = arguments.value(option) else { return nil }
    return try metres(text, of: option)
  }
}

/// Lengths as a person reads them.
enum LengthText {
  /// `840 m`, `12.3 km`.
  static func words(_ metres: Double) -> String {
    // Any number can come from elsewhere.
    guard abs(metres) < 999.5 else { return kilometres(metres) }
    return "\(Int(metres.rounded())) m"
  }

  /// `12.3 km`.
  static func kilometres(_ metres: Double) -> String {
    let tenths = (metres / 100).rounded()
    guard abs(tenths) < 1e12 else { return "\(metres) m" }
    let whole = Int(tenths)
    return "\(whole < 0 ? "-" : "")\(abs(whole) / 10).\(abs(whole) % 10) km"
  }
}
