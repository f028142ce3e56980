import TrendyModels

/// Timestamp in Apple's format, such as `2026-02-14 17:05:09 -0500`.
struct HealthMoment: Hashable {
  /// Seconds since 1970.
  var seconds: Int64
  /// UTC offset in seconds, as written.
  var offset: Int32

  init(seconds: Int64, offset: Int32) {
    self.seconds = seconds
    self.offset = offset
  }

  /// Parses a timestamp. Returns `nil` if the timestamp is invalid or outside the years 1970 to 2199.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 25, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] == UInt8(ascii: " "), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      text[19] == UInt8(ascii: " "), text[20] == UInt8(ascii: "-") || text[20] == UInt8(ascii: "+")
    else { return nil }
    var isNumber = true
    func two(_ index: Int) -> Int {
      let tens = text[index] &- 0x30
      let ones = text[index + 1] &- 0x30
      if tens > 9 || ones > 9 { isNumber = false }
      return Int(tens) * 10 + Int(ones)
    }
    let year = two(0) * 100 + two(2)
    let (month, day) = (two(5), two(8))
    let (hour, minute, second) = (two(11), two(14), two(17))
    let (zoneHours, zoneMinutes) = (two(21), two(23))
    guard isNumber, (1970...2199).contains(year), (1...12).contains(month),
      (1...CivilDate.days(inMonth: month, ofYear: year)).contains(day),
      hour < 24 || hour == 24 && minute == 0 && second == 0, minute < 60, second <= 60, zoneHours <= 15,
      zoneMinutes < 60
    else { return nil }
    let zone = (zoneHours * 60 + zoneMinutes) * (text[20] == UInt8(ascii: "-") ? -60 : 60)
    let days = CivilDate(year: year, month: month, day: day).daysSince1970
    seconds = Int64(days * 86_400 + hour * 3600 + minute * 60 + second - zone)
    offset = Int32(zone)
  }

  /// Whether the string is a timestamp in the format of iOS 8, such as `20140925081530+0200`.
  static func isOfFirstVersion(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.count >= 14 && text.prefix(14).allSatisfy { (0x30...0x39).contains($0) }
  }
}

/// Parses numbers in attributes. Their decimal separator is always a point.
enum HealthNumber {
  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  static func read(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    var digits: UInt64 = 0
    var count = 0
    var fraction = 0
    var isFraction = false
    var index = 0
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative { index = 1 }
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else {
        let digit = byte &- 0x30
        // With up to 15 digits, both the integer and the power of ten are exact, so the quotient is correctly rounded.
        // All other numbers take the slow path.
        guard digit <= 9, count < 15 else { return FieldText.number(String(decoding: text, as: UTF8.self)) }
        digits = digits * 10 + UInt64(digit)
        count += 1
        if isFraction { fraction += 1 }
      }
      index += 1
    }
    guard count > 0 else { return nil }
    let value = Double(digits) / powers[fraction]
    return isNegative ? -value : value
  }
}

enum HealthUnit {
  /// Kilocalories in a unit of energy, or `nil` for an unknown unit.
  static func energy(_ unit: String) -> Double? {
    switch unit {
    case "kcal", "Cal": 1
    case "cal": 0.001
    case "kJ": 1 / 4.184
    case "J": 0.001 / 4.184
    default: nil
    }
  }

  /// Millilitres in a unit of volume, or `nil` for an unknown unit. US and imperial factors are exact.
  static func volume(_ unit: String) -> Double? {
    switch unit {
    case "mL", "ml", "cc": 1
    case "cL", "cl": 10
    case "dL", "dl": 100
    case "L", "l": 1000
    case "fl_oz_us": 29.573_529_562_5
    case "fl_oz_imp": 28.413_062_5
    case "cup_us": 236.588_236_5
    case "cup_imp": 284.130_625
    case "pt_us": 473.176_473
    case "pt_imp": 568.261_25
    default: nil
    }
  }

  /// Returns the factor that converts a unit of mass to kilograms, or `nil` for an unknown unit.
  static func mass(_ unit: String) -> Double? {
    switch unit {
    case "kg": 1
    case "g": 0.001
    case "lb": 0.453_592_37
    case "oz": 0.028_349_523_125
    case "st": 6.350_293_18
    default: nil
    }
  }

  /// Returns the factor that converts a unit of frequency to beats per minute, or `nil` for an unknown unit.
  static func rate(_ unit: String) -> Double? {
    switch unit {
    case "count/min": 1
    case "count/s", "Hz": 60
    default: nil
    }
  }

  /// Returns the factor that converts a unit of pressure to millimetres of mercury, or `nil` for an unknown unit.
  static func pressure(_ unit: String) -> Double? {
    switch unit {
    case "mmHg": 1
    case "kPa": 7.500_615_613
    case "Pa": 0.007_500_615_613
    default: nil
    }
  }

  /// Returns the factor that converts a unit of length to metres, or `nil` for an unknown unit.
  static func length(_ unit: String) -> Double? {
    switch unit {
    case "m": 1
    case "km": 1000
    case "cm": 0.01
    case "mi": 1609.344
    case "yd": 0.9144
    case "ft": 0.3048
    default: nil
    }
  }

  /// Seconds in a unit of time, or `nil` for an unknown unit.
  static func duration(_ unit: String) -> Double? {
    switch unit {
    case "min": 60
    case "s", "sec": 1
    case "hr", "h": 3600
    case "ms": 0.001
    default: nil
    }
  }
}
