/// Table field that is empty or contains a plain decimal number such as `-122.0855461`.
struct DecimalField {
  /// Number, or `nil` if the field is empty.
  let value: Double?

  /// Parses a field. Returns `nil` for any other text, including exponents, plus signs, spaces and more than 18 digits.
  ///
  /// The digits form an integer below 2⁵³ and the power of ten is at most 10²². The integer and the power are exact, so
  /// their quotient is the nearest `Double` (Clinger, "How to read floating point numbers accurately", 1990).
  init?(_ field: ArraySlice<UInt8>) {
    guard let first = field.first else {
      value = nil
      return
    }
    let isNegative = first == UInt8(ascii: "-")
    var digits: UInt64 = 0
    var count = 0
    var fraction: Int?
    for byte in isNegative ? field.dropFirst() : field {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
        count += 1
        if let places = fraction { fraction = places + 1 }
        guard count <= Self.maxDigits else { return nil }
      case UInt8(ascii: ".") where fraction == nil && count > 0: fraction = 0
      default: return nil
      }
    }
    guard count > 0, fraction != 0, digits < 1 << 53 else { return nil }
    let number = Double(digits) / Self.powers[fraction ?? 0]
    value = isNegative ? -number : number
  }

  private static let maxDigits = 18
  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  ]
}
