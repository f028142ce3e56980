/// Numbers as text formats want them.
enum DecimalText {
  /// What can be written; the rest is unknown.
  static func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite && abs($0) < 1e9 ? $0 : nil } }

  /// A plain decimal, as XML Schema and JSON take it: never an exponent, no needless zeros. At most nine digits.
  static func string(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite, abs(value) < 1e9 else { return "0" }
    var unit: Int64 = 1
    for _ in 0..<digits { unit *= 10 }
    let scaled = Int64((value * Double(unit)).rounded())
    let (whole, rest) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(unit))
    var text = (scaled < 0 ? "-" : "") + String(whole)
    if rest > 0 {
      let fraction = String(rest)
      text += "." + String(repeating: "0", count: digits - fraction.count) + fraction
      while text.hasSuffix("0") { text.removeLast() }
    }
    return text
  }
}
