/// Formats numbers for track files and mileage logs.
enum DecimalText {
  /// Upper bound of the magnitude, exclusive. Larger values are receiver errors and are not written.
  static let bound = 1e9

  static func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite && abs($0) < bound ? $0 : nil } }

  static func string(_ value: Double, _ digits: Int) -> String {
    var text = TextBytes()
    text.add(value, digits: digits)
    return text.text
  }
}
