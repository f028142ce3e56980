import TrendyFoundation
import TrendyModels

/// UTF-8 buffer for text that consists of many short strings and numbers. Avoids a temporary `String` for each number.
struct TextBytes {
  private(set) var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func add(_ scalar: Unicode.Scalar) { bytes.append(contentsOf: UTF8.encode(scalar)!) }

  mutating func add(_ moment: Date) { add(RFC3339.string(from: moment)) }

  /// Appends a plain decimal number as in XML Schema and JSON, without exponent and trailing zeros. `digits` is the
  /// maximum number of decimal places, at most 9.
  ///
  /// Values that are not finite or out of bounds are written as 0.
  mutating func add(_ value: Double, digits: Int) {
    guard value.isFinite, abs(value) < DecimalText.bound else { return bytes.append(UInt8(ascii: "0")) }
    var unit: UInt64 = 1
    for _ in 0..<digits { unit *= 10 }
    let scaled = Int64((value * Double(unit)).rounded())
    if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
    let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: unit)
    add(whole, digits: 1)
    guard fraction > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    add(fraction, digits: digits)
    while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
  }

  mutating func addPlace(of fix: Location, separator: String) {
    add(fix.coordinate.longitude, digits: 9)
    add(separator)
    add(fix.coordinate.latitude, digits: 9)
    guard let altitude = DecimalText.finite(fix.altitude) else { return }
    add(separator)
    add(altitude, digits: 3)
  }

  private mutating func add(_ number: UInt64, digits: Int) {
    var count = digits
    var bound: UInt64 = 1
    for _ in 0..<digits { bound *= 10 }
    while number >= bound {
      count += 1
      bound *= 10
    }
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: count))
    var (rest, place) = (number, bytes.count)
    while rest > 0 {
      place -= 1
      bytes[place] += UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}
