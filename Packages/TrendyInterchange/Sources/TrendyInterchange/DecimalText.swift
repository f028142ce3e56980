/// Numbers as text for the formats of tracks and mileage.
enum DecimalText {
  /// What lies beyond is taken for a fault of a receiver.
  static let bound = 1e9

  /// What can be written; the rest is unknown.
  static func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite && abs($0) < bound ? $0 : nil } }

  /// As ``TextBytes/add(_:digits:)`` writes it.
  static func string(_ value: Double, _ digits: Int) -> String {
    var text = TextBytes()
    text.add(value, digits: digits)
    return text.text
  }
}
