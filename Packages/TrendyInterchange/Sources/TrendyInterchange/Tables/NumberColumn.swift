/// Decimal separator of the numbers in a column, determined from all cells.
public enum DecimalSign: String, Hashable, Sendable, CaseIterable {
  case point
  case comma

  fileprivate var byte: UInt8 { self == .point ? UInt8(ascii: ".") : UInt8(ascii: ",") }
  fileprivate var other: DecimalSign { self == .point ? .comma : .point }

  /// Parses a number with this separator. Returns `nil` for any other string.
  ///
  /// With a decimal point, `0,125` and `1,25` are invalid: the first group of thousands must not start with 0, and the
  /// last group has three digits.
  func number(_ text: String) -> Double? {
    if let whole = NumberText.whole(text) { return Double(whole) }
    guard let bytes = NumberText.plain(text) else { return nil }
    var digits: [UInt8] = []
    var index = 0
    if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
      if bytes[index] == UInt8(ascii: "-") { digits.append(bytes[index]) }
      index += 1
    }
    var run = 0
    var groups = 0
    let start = index
    while index < bytes.count, bytes[index].isDigit || bytes[index] == other.byte {
      if bytes[index] == other.byte {
        // The first group has one to three digits, and the last group has three. The groups between have three digits,
        // or two in India.
        guard groups == 0 ? (1...3).contains(run) && bytes[start] != 0x30 : (2...3).contains(run) else { return nil }
        groups += 1
        run = 0
      } else {
        digits.append(bytes[index])
        run += 1
      }
      index += 1
    }
    guard groups == 0 || run == 3 else { return nil }
    if index < bytes.count, bytes[index] == byte {
      digits.append(UInt8(ascii: "."))
      index += 1
      let fraction = index
      while index < bytes.count, bytes[index].isDigit {
        digits.append(bytes[index])
        index += 1
      }
      guard index > fraction || run > 0 else { return nil }
      if index == fraction { digits.removeLast() }
    }
    guard run > 0 || digits.contains(where: \.isDigit) else { return nil }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e"), index + 1 < bytes.count {
      digits += bytes[index...]
      index = bytes.count
    }
    guard index == bytes.count, let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { self &- 0x30 <= 9 }
}

/// Parses numbers as written by users and spreadsheets, before the decimal separator is known.
enum NumberText {
  /// Parses an integer of 1 to 15 digits without a leading zero.
  static func whole(_ text: String) -> Int? {
    guard (1...15).contains(text.utf8.count) else { return nil }
    var value = 0
    for byte in text.utf8 {
      guard byte.isDigit else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return text.utf8.count > 1 && text.utf8.first == 0x30 ? nil : value
  }

  /// Whether the string is an identifier made of digits: it has a leading zero or more digits than a number can
  /// represent.
  static func isCode(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count > 1, bytes.allSatisfy(\.isDigit) else { return false }
    return bytes[0] == 0x30 || bytes.count > 18 && Int64(text) == nil
  }

  /// Returns the digits, signs and separators without spaces and apostrophes. `(5)` becomes `-5`.
  fileprivate static func plain(_ text: String) -> [UInt8]? {
    guard !text.isEmpty, text.utf8.count <= 64, !isCode(text) else { return nil }
    var bytes: [UInt8] = []
    var isNegative = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case " ", "\t", "\u{A0}", "\u{202F}", "\u{2009}", "'", "\u{2019}": continue
      case "\u{2212}": bytes.append(UInt8(ascii: "-"))
      case "(" where bytes.isEmpty: isNegative = true
      case ")" where isNegative && scalar == text.unicodeScalars.last: continue
      default:
        guard scalar.isASCII else { return nil }
        bytes.append(UInt8(scalar.value))
      }
    }
    // Reject `07,5` and `007`, but not `0,5`.
    let digits = bytes.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    if digits.count > 1, digits.first == 0x30, digits.dropFirst().first?.isDigit == true { return nil }
    guard isNegative else { return bytes }
    return bytes.first?.isDigit == true ? [UInt8(ascii: "-")] + bytes : nil
  }
}

struct NumberEvidence {
  private(set) var filled = 0
  /// Number of cells that contain a number with either separator.
  private(set) var numbers = 0
  /// Whether a cell is an identifier such as `007`. If so, the column must be imported as text.
  private(set) var hasCodes = false
  private var pointOnly = 0
  private var commaOnly = 0
  /// First cell with a point, such as `1.234`, that is a different number with each separator.
  private(set) var ambiguousPoint: String?
  /// First cell with a comma, such as `1,234`, that is a different number with each separator.
  private(set) var ambiguousComma: String?
  /// Whether a number of four or more digits has no separator, so that thousands are not grouped.
  private var hasLongNumbers = false

  mutating func add(_ text: String) {
    filled += 1
    if let whole = NumberText.whole(text) {
      numbers += 1
      if whole >= 1000 { hasLongNumbers = true }
      return
    }
    if NumberText.isCode(text) {
      hasCodes = true
      return
    }
    switch (DecimalSign.point.number(text), DecimalSign.comma.number(text)) {
    case (let point?, let comma?):
      numbers += 1
      guard point != comma else { return }
      if text.utf8.contains(UInt8(ascii: ",")) {
        ambiguousComma = ambiguousComma ?? text
      } else {
        ambiguousPoint = ambiguousPoint ?? text
      }
    case (_?, nil):
      numbers += 1
      pointOnly += 1
    case (nil, _?):
      numbers += 1
      commaOnly += 1
    case (nil, nil): break
    }
  }

  /// Whether at least two thirds of the cells are numbers and none is an identifier.
  var isNumeric: Bool { numbers > 0 && !hasCodes && (filled - numbers) * 3 <= filled }

  /// Separator in the unambiguous cells, or `nil` if there are none or at least a tenth have the other separator.
  var sign: DecimalSign? {
    if pointOnly > commaOnly * 9 { return .point }
    if commaOnly > pointOnly * 9 { return .comma }
    return nil
  }

  var isUnambiguous: Bool { ambiguousPoint == nil && ambiguousComma == nil }

  /// Determines the decimal separator of the column.
  ///
  /// - Parameters:
  ///   - column: Name of the column, for the error message.
  ///   - other: Decimal separator of the table's other columns.
  ///   - separator: Separator between the cells of the table.
  /// - Throws: ``InterchangeError/undecided(_:reason:)`` if nothing determines the decimal separator.
  func decide(
    column: String, other: DecimalSign?, separator: UInt8
  ) throws(InterchangeError) -> DecimalSign {
    if let sign { return sign }
    if pointOnly + commaOnly == 0 {
      guard !isUnambiguous else { return other ?? .point }
      if let other { return other }
      if ambiguousPoint == nil {
        return hasLongNumbers || separator == UInt8(ascii: ";") || separator == 0x9 ? .comma : .point
      }
      if ambiguousComma == nil, hasLongNumbers || separator == UInt8(ascii: ",") || separator == UInt8(ascii: "|") {
        return .point
      }
    } else if isUnambiguous {
      return .point
    }
    let cell = ambiguousComma ?? ambiguousPoint ?? ""
    let readings = [DecimalSign.point, .comma].map { TextBytes.decimal($0.number(cell) ?? 0) }
    throw .undecided(
      .decimal,
      reason: "column '\(column)': '\(cell)' may be \(readings[0]) or \(readings[1]), and no other cell shows which")
  }
}

extension TextBytes {
  fileprivate static func decimal(_ value: Double) -> String {
    var text = TextBytes()
    text.add(value, digits: 6)
    return text.text
  }
}

struct NumberColumn {
  var sign: DecimalSign = .point
  /// Whether a cell that is valid only with the other separator is parsed with that separator. Set if both separators
  /// occur and no cell is ambiguous.
  var readsBoth = false

  func number(_ text: String) -> Double? {
    sign.number(text) ?? (readsBoth ? sign.other.number(text) : nil)
  }
}
