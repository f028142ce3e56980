import TrendyFoundation
import TrendyModels

/// Parses the rows of a table in RFC 4180 format, with common variations.
///
/// The separator may be a comma, a semicolon, a tab or a vertical bar. Any encoding that Excel writes is accepted. A
/// first line such as `sep=;` sets the separator. In a cell that does not start with a quote, quotes are literal.
struct TableRows {
  /// Maximum length of a cell in bytes. If a cell is longer, a closing quote is assumed to be missing.
  static let longestCell = 1 << 20

  let separator: UInt8
  /// Problem with the last row from ``next()``. The row was parsed nevertheless.
  private(set) var problem: String?
  private let input: ByteInput
  private var nextLine = 1
  private var width = 0

  /// Creates a parser. Detects the encoding and the separator from the first 64 KiB.
  ///
  /// - Throws: ``InterchangeError``, or errors of the input.
  init(_ input: ByteInput) throws {
    let head = try input.peek(1 << 16)
    let decoded = try TextEncoding.utf8(head, input)
    self.input = decoded
    let start = Array(try decoded.peek(1 << 16))
    if start.starts(with: Array("sep=".utf8)), start.count > 5, start[5] == 0xA || start[5] == 0xD {
      separator = start[4]
      _ = try decoded.line(limit: 16)
      nextLine = 2
    } else {
      separator = Self.separator(of: start)
    }
  }

  /// Returns the separator that gives most of the first 50 rows the same number of cells, at least two.
  ///
  /// If several separators qualify, prefers the most cells, then the comma.
  private static func separator(of head: [UInt8]) -> UInt8 {
    var best = (separator: UInt8(ascii: ","), rows: 0, width: 0)
    for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")] {
      var rows = TableRows(ByteInput(head), separator: separator)
      var widths: [Int: Int] = [:]
      var count = 0
      // An error ends the sample and is thrown again when the rows are read.
      while count < 50, let row = try? rows.next() {
        count += 1
        if row.cells.count > 1 { widths[row.cells.count, default: 0] += 1 }
      }
      guard let most = widths.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { continue }
      if (most.value, most.key) > (best.rows, best.width) { best = (separator, most.value, most.key) }
    }
    return best.separator
  }

  init(_ input: ByteInput, separator: UInt8) {
    self.input = input
    self.separator = separator
  }

  /// Returns the next row that is not blank with its line number, or `nil` at the end.
  mutating func next() throws -> (line: Int, cells: [String])? {
    while true {
      let line = nextLine
      guard let cells = try row() else { return nil }
      if cells.contains(where: { !$0.isEmpty }) { return (line, cells) }
    }
  }

  private mutating func row() throws -> [String]? {
    problem = nil
    var window = 1 << 16
    while true {
      let (isEnd, row) = try input.withPiece { bytes -> (count: Int, (isEnd: Bool, row: ParsedRow?)) in
        if bytes.isEmpty { return (0, (true, nil)) }
        let row = try parse(bytes, isEnd: false)
        return (row?.count ?? 0, (false, row))
      }
      if let row { return take(row) }
      if isEnd { return nil }
      let count = try input.peek(window).count
      if count < window {
        // The last row of the input needs no line break.
        let last = try input.withPiece { bytes in
          let row = try parse(bytes, isEnd: true)
          return (row?.count ?? 0, row)
        }
        return last.map { take($0) }
      }
      window *= 4
    }
  }

  private struct ParsedRow {
    var cells: [String]
    var count: Int
    var lines: Int
    var problem: String?
  }

  private mutating func take(_ row: ParsedRow) -> [String] {
    nextLine += row.lines
    problem = row.problem
    width = row.cells.count
    return row.cells
  }

  /// Parses the row at the start of the bytes. Returns `nil` if the row extends beyond the bytes, unless the input ends
  /// with them.
  ///
  /// - Throws: ``InterchangeError`` for a cell of more than ``longestCell`` bytes.
  private func parse(_ bytes: UnsafeBufferPointer<UInt8>, isEnd: Bool) throws -> ParsedRow? {
    var row = ParsedRow(cells: [], count: 0, lines: 1)
    row.cells.reserveCapacity(width)
    var index = 0
    while true {
      let start = index
      while index < bytes.count, bytes[index] == 0x20 { index += 1 }
      var isTaken = false
      if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
        switch quotedCell(bytes, from: index + 1, isEnd: isEnd) {
        case .needsMore: return nil
        case .cell(let text, let end, let lines):
          row.cells.append(text)
          row.lines += lines
          index = end
          isTaken = true
        case .unclosed:
          // Treat the quote as literal, because the following rows would otherwise become part of this cell.
          row.problem = "unclosed quote"
        }
      }
      if !isTaken {
        while index < bytes.count, bytes[index] != separator, bytes[index] != 0xA, bytes[index] != 0xD { index += 1 }
        guard index - start <= Self.longestCell else {
          throw InterchangeError.malformed(
            line: nextLine, column: 1, reason: "a cell is longer than 1 MiB", pointsRead: 0)
        }
        if index == bytes.count, !isEnd { return nil }
        row.cells.append(Self.trimmed(UnsafeBufferPointer(rebasing: bytes[start..<index])))
      }
      guard index < bytes.count else {
        row.count = index
        return row
      }
      if bytes[index] == 0xA {
        row.count = index + 1
        return row
      }
      if bytes[index] == 0xD {
        guard index + 1 < bytes.count || isEnd else { return nil }
        row.count = index + 1 < bytes.count && bytes[index + 1] == 0xA ? index + 2 : index + 1
        return row
      }
      index += 1
      if index == bytes.count, !isEnd { return nil }
    }
  }

  private enum QuotedCell {
    case cell(String, end: Int, lines: Int)
    case unclosed
    case needsMore
  }

  private func quotedCell(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int, isEnd: Bool) -> QuotedCell {
    let quote = UInt8(ascii: "\"")
    var index = first
    var lines = 0
    var hasDoubled = false
    while true {
      while index < bytes.count, bytes[index] != quote {
        if bytes[index] == 0xA || bytes[index] == 0xD && !(index + 1 < bytes.count && bytes[index + 1] == 0xA) {
          lines += 1
        }
        index += 1
      }
      if index - first > Self.longestCell { return .unclosed }
      guard index < bytes.count else { return isEnd ? .unclosed : .needsMore }
      guard index + 1 < bytes.count else {
        if !isEnd { return .needsMore }
        break
      }
      guard bytes[index + 1] == quote else { break }
      hasDoubled = true
      index += 2
    }
    let inside = UnsafeBufferPointer(rebasing: bytes[first..<index])
    var text = hasDoubled ? Self.withSingleQuotes(inside) : TextEncoding.text(inside)
    index += 1
    let behind = index
    while index < bytes.count, bytes[index] != separator, bytes[index] != 0xA, bytes[index] != 0xD { index += 1 }
    if index == bytes.count, !isEnd { return .needsMore }
    if index > behind {
      let rest = FieldText.trim(TextEncoding.text(UnsafeBufferPointer(rebasing: bytes[behind..<index])))
      // Text follows the closing quote on a later line, so the quote belongs to another cell.
      if lines > 0, !rest.isEmpty { return .unclosed }
      text += rest
    }
    return .cell(text, end: index, lines: lines)
  }

  private static func withSingleQuotes(_ text: UnsafeBufferPointer<UInt8>) -> String {
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      plain.append(text[index])
      index += text[index] == UInt8(ascii: "\"") ? 2 : 1
    }
    return TextEncoding.text(plain)
  }

  private static func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 }
    guard let first = text.first, let last = text.last, isSpace(first) || isSpace(last) else {
      return TextEncoding.text(text)
    }
    // Trim characters instead of bytes, because a combining mark turns a space into another character.
    return FieldText.trim(TextEncoding.text(text))
  }
}

/// Formats rows of CSV as in RFC 4180.
public enum TableText: Sendable {
  /// Returns a row with its line ending.
  public static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") + "\r\n" }

  private static func quoted(_ cell: String) -> String {
    let needsQuotes = cell.utf8.contains { ",\"\r\n".utf8.contains($0) } || cell.first == " " || cell.last == " "
    guard needsQuotes else { return cell }
    return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
