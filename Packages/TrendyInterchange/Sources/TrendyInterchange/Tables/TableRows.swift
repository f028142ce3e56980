import TrendyFoundation
import TrendyModels

/// Rows of a table as text, RFC 4180 with what else is written for it: any of four separators, any encoding of Excel's.
///
/// A quote inside a cell that does not begin with one is text; a line that is `sep=;` names the separator.
struct TableRows {
  /// Bytes of a cell; a file with a longer one has a quote that nobody closed.
  static let longestCell = 1 << 20

  let separator: UInt8
  private let input: ByteInput
  private var nextLine = 1
  /// Cells of the row before.
  private var width = 0

  /// - Throws: what the input throws, or ``InterchangeError``.
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
      separator = try Self.separator(of: start)
    }
  }

  /// The one by which most of the first rows have as many cells as the first, more than one; a comma where two are as good.
  private static func separator(of head: [UInt8]) throws -> UInt8 {
    var best: (separator: UInt8, equal: Int) = (UInt8(ascii: ","), 0)
    for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")] {
      var rows = TableRows(ByteInput(head), separator: separator)
      var widths: [Int] = []
      // A quote that is left open is no row.
      while widths.count < 50, let row = try? rows.next() { widths.append(row.cells.count) }
      guard let first = widths.first, first > 1 else { continue }
      let equal = widths.count { $0 == first }
      if equal > best.equal { best = (separator, equal) }
    }
    return best.separator
  }

  private init(_ input: ByteInput, separator: UInt8) {
    self.input = input
    self.separator = separator
  }

  /// The next row that is not blank; `nil` at the end.
  mutating func next() throws -> (line: Int, cells: [String])? {
    while true {
      let line = nextLine
      guard let cells = try row() else { return nil }
      if cells.contains(where: { !$0.isEmpty }) { return (line, cells) }
    }
  }

  private mutating func row() throws -> [String]? {
    if let whole = try input.withPiece({ bytes in
      guard let row = wholeRow(bytes) else { return (0, nil as [String]?) }
      nextLine += row.lines
      return (row.count, row.cells)
    }) {
      width = whole.count
      return whole
    }
    return try rowByByte()
  }

  /// The row at the beginning of bytes, where it ends within them and no cell has text behind its quotes; the same as byte by byte.
  private func wholeRow(_ bytes: UnsafeBufferPointer<UInt8>) -> (cells: [String], count: Int, lines: Int)? {
    let quote = UInt8(ascii: "\"")
    var cells: [String] = []
    cells.reserveCapacity(width)
    var lines = 1
    var index = 0
    while true {
      let start = index
      while index < bytes.count, bytes[index] == 0x20 { index += 1 }
      if index < bytes.count, bytes[index] == quote {
        let first = index + 1
        var hasDoubled = false
        index = first
        while true {
          while index < bytes.count, bytes[index] != quote {
            if bytes[index] == 0xA { lines += 1 }
            index += 1
          }
          // What follows the quote says what it is.
          guard index + 1 < bytes.count else { return nil }
          guard bytes[index + 1] == quote else { break }
          hasDoubled = true
          index += 2
        }
        guard index - first <= Self.longestCell else { return nil }
        let text = UnsafeBufferPointer(rebasing: bytes[first..<index])
        cells.append(String(decoding: text, as: UTF8.self))
        if hasDoubled { cells[cells.count - 1] = Self.withSingleQuotes(text) }
        index += 1
        guard bytes[index] == separator || bytes[index] == 0xA || bytes[index] == 0xD else { return nil }
      } else {
        while index < bytes.count, bytes[index] != separator, bytes[index] != 0xA, bytes[index] != 0xD { index += 1 }
        guard index < bytes.count, index - start <= Self.longestCell else { return nil }
        cells.append(Self.trimmed(UnsafeBufferPointer(rebasing: bytes[start..<index])))
      }
      if bytes[index] == 0xA { return (cells, index + 1, lines) }
      if bytes[index] == 0xD {
        guard index + 1 < bytes.count else { return nil }
        return (cells, bytes[index + 1] == 0xA ? index + 2 : index + 1, lines)
      }
      index += 1
    }
  }

  private static func withSingleQuotes(_ text: UnsafeBufferPointer<UInt8>) -> String {
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      plain.append(text[index])
      index += text[index] == UInt8(ascii: "\"") ? 2 : 1
    }
    return String(decoding: plain, as: UTF8.self)
  }

  private static func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 }
    guard let first = text.first, let last = text.last, isSpace(first) || isSpace(last) else {
      return String(decoding: text, as: UTF8.self)
    }
    // A mark over a space is a character with it.
    return FieldText.trim(String(decoding: text, as: UTF8.self))
  }

  private mutating func rowByByte() throws -> [String]? {
    var cells: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    var isInside = false
    var isAnything = false
    func finish() {
      cells.append(
        isQuoted ? String(decoding: cell, as: UTF8.self) : FieldText.trim(String(decoding: cell, as: UTF8.self)))
    }
    while let byte = try input.next() {
      isAnything = true
      if byte == 0xA || byte == 0xD && !isInside { nextLine += 1 }
      if isInside {
        if byte == UInt8(ascii: "\"") {
          let following = try input.next()
          if following == byte {
            cell.append(byte)
          } else {
            isInside = false
            if following != nil { input.giveBack() }
          }
        } else {
          cell.append(byte)
        }
      } else if byte == separator {
        finish()
        cell = []
        isQuoted = false
      } else if byte == 0xA || byte == 0xD {
        if byte == 0xD {
          let following = try input.next()
          if let following, following != 0xA { input.giveBack() }
        }
        finish()
        return cells
      } else if byte == UInt8(ascii: "\""), !isQuoted, cell.allSatisfy({ $0 == 0x20 }) {
        cell = []
        isQuoted = true
        isInside = true
      } else {
        cell.append(byte)
      }
      guard cell.count <= Self.longestCell else {
        throw InterchangeError.malformed(
          line: nextLine, column: 1, reason: "a cell is longer than a mebibyte: a quote may not be closed",
          pointsRead: 0)
      }
    }
    guard isAnything else { return nil }
    finish()
    return cells
  }
}

/// Writes rows as RFC 4180 has them, with the end of line of the file.
enum TableText {
  static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") + "\r\n" }

  private static func quoted(_ cell: String) -> String {
    let needsQuotes = cell.utf8.contains { ",\"\r\n".utf8.contains($0) } || cell.first == " " || cell.last == " "
    guard needsQuotes else { return cell }
    return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
