/// Parser for the content lines of iCalendar text (RFC 5545, 3.1). Unfolds the lines and splits them into name,
/// parameters and value.
struct CalendarLines {
  struct Line {
    /// Upper-case name; empty if the line has no colon. In this case, the value is the whole line.
    var name: String
    /// Parameters by upper-case name.
    var parameters: [String: String]
    var value: String
    /// Number of the physical line in the file on which the content line starts.
    var number: Int
  }

  /// Maximum length of an unfolded line in bytes. The rest is discarded.
  private static let longest = 1 << 20

  private let input: ByteInput
  private var number = 0
  private var ahead: [UInt8]?

  init(_ input: ByteInput) throws { self.input = try TextEncoding.lines(input) }

  /// Returns the next line, or `nil` at the end of the file. The name of an invalid line is empty.
  mutating func next() throws -> Line? {
    guard var line = try physical() else { return nil }
    let start = number
    while let more = try physical() {
      guard more.first == 0x20 || more.first == 0x9 else {
        ahead = more
        number -= 1
        break
      }
      if line.count < Self.longest { line += more.dropFirst() }
    }
    return Self.parsed(line, number: start)
  }

  private mutating func physical() throws -> [UInt8]? {
    if let line = ahead {
      ahead = nil
      number += 1
      return line
    }
    while let (line, _) = try input.line(limit: Self.longest) {
      number += 1
      let text = number == 1 ? Array(line[...].withoutLeadingSpace) : line
      if !text.isEmpty { return text }
    }
    return nil
  }

  private static func parsed(_ bytes: [UInt8], number: Int) -> Line {
    var line = Line(name: "", parameters: [:], value: "", number: number)
    var parts: [[UInt8]] = [[]]
    var isQuoted = false
    var colon: Int?
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: ":"), !isQuoted, !isInZone(parts, bytes[(index + 1)...]) {
        colon = index
        break
      } else if byte == UInt8(ascii: ";"), !isQuoted {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
    }
    guard let colon else {
      line.value = TextEncoding.text(bytes)
      return line
    }
    line.name = TextEncoding.text(parts[0]).uppercased()
    for part in parts.dropFirst() {
      let pair = TextEncoding.text(part).split(separator: "=", maxSplits: 1)
      if pair.count == 2 { line.parameters[pair[0].uppercased()] = String(pair[1]) }
    }
    line.value = TextEncoding.text(bytes[(colon + 1)...])
    return line
  }

  /// Whether a colon is part of an unquoted zone name such as `tzone://Microsoft/Utc`, in which case no date follows
  /// the colon.
  private static func isInZone(_ parts: [[UInt8]], _ rest: ArraySlice<UInt8>) -> Bool {
    guard let last = parts.last, parts.count > 1, last.starts(with: Array("TZID=".utf8)),
      let next = rest.lastIndex(of: UInt8(ascii: ":"))
    else { return false }
    let value = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    return value.count < 8
      && rest[(next + 1)...].prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }.count >= 8
  }

  /// Unescapes a text value, in which a backslash precedes line breaks, commas, semicolons and backslashes.
  static func text(_ value: String) -> String {
    guard value.contains("\\") else { return value }
    var text = ""
    var isEscaped = false
    for character in value {
      if isEscaped {
        text.append(character == "n" || character == "N" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        text.append(character)
      }
    }
    return text
  }

  /// Returns the line with its line break, folded at 75 bytes between characters.
  static func folded(_ line: String) -> String {
    var text = ""
    var width = 0
    for scalar in line.unicodeScalars {
      let size = UTF8.width(scalar)
      if width + size > 75 {
        text += "\r\n "
        width = 1
      }
      text.unicodeScalars.append(scalar)
      width += size
    }
    return text + "\r\n"
  }

  static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing(";", with: "\\;").replacing(",", with: "\\,")
      .replacing("\r\n", with: "\\n").replacing("\n", with: "\\n").replacing("\r", with: "\\n")
  }
}
