/// A strict XML 1.0 reader that gives one event after another and holds nothing but the open elements' names.
///
/// It knows what files of tracks need and refuses the rest: the five named entities and numeric references, CDATA,
/// comments, processing instructions. A document type is passed over unread, so no entity of its own can be expanded.
/// Names are local names; namespaces are not looked at. UTF-8 with or without its mark, or ISO 8859-1 where declared.
struct XMLReader {
  enum Event: Hashable {
    case start(name: String, attributes: [XMLAttribute])
    case end(name: String)
    /// Never empty; neighbouring runs are not joined.
    case text(String)
    /// The root element is closed and nothing but comments followed.
    case finished
  }

  private let bytes: [UInt8]
  private var position = 0
  private var openNames: [String] = []
  private var pendingEnd: String?
  private var hasSeenRoot = false
  private var isLatin1 = false

  init(_ bytes: [UInt8]) throws(XMLProblem) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      throw problem("the file is UTF-16; only UTF-8 and ISO 8859-1 can be read")
    }
    try readDeclaration()
  }

  /// Names of the open elements, outermost first.
  var path: [String] { openNames }

  /// Line and column of the next byte, both from 1; the column counts bytes.
  var place: (line: Int, column: Int) { place(of: position) }

  mutating func next() throws(XMLProblem) -> Event {
    if let name = pendingEnd {
      pendingEnd = nil
      return .end(name: name)
    }
    while position < bytes.count {
      if bytes[position] != UInt8(ascii: "<") {
        if let text = try readText() { return .text(text) }
      } else if starts(with: "<!--") {
        try skip(past: "-->", from: position + 4, what: "comment")
      } else if starts(with: "<![CDATA[") {
        if let text = try readCharacterData() { return .text(text) }
      } else if starts(with: "<!DOCTYPE") {
        try skipDocumentType()
      } else if starts(with: "<?") {
        try skip(past: "?>", from: position + 2, what: "processing instruction")
      } else if starts(with: "</") {
        return try readEndTag()
      } else if isCutOff {
        throw truncated("inside a tag")
      } else {
        return try readStartTag()
      }
    }
    if let name = openNames.last { throw truncated("inside <\(name)>") }
    guard hasSeenRoot else { throw problem("there is no element in the file") }
    return .finished
  }
}

struct XMLAttribute: Hashable {
  var name: String
  var value: String
}

/// What is wrong with a document, and where.
struct XMLProblem: Error, Hashable {
  /// From 1.
  var line: Int
  /// Bytes from 1.
  var column: Int
  var reason: String
  /// It is right as far as it goes, but goes no further.
  var isTruncated = false
}

extension XMLReader {
  private static let depthLimit = 100

  private mutating func readStartTag() throws(XMLProblem) -> Event {
    let start = position
    position += 1
    let name = try readName(of: "element")
    guard !openNames.isEmpty || !hasSeenRoot else { throw problem("a second root element <\(name)>", at: start) }
    guard openNames.count < Self.depthLimit else {
      throw problem("elements are nested deeper than \(Self.depthLimit)", at: start)
    }
    var attributes: [XMLAttribute] = []
    while true {
      let hadSpace = skipSpace()
      guard position < bytes.count else { throw truncated("inside the tag <\(name)>") }
      if take(">") {
        openNames.append(name)
        break
      }
      if bytes[position] == UInt8(ascii: "/") {
        guard position + 1 < bytes.count else { throw truncated("inside the tag <\(name)>") }
        guard starts(with: "/>") else { throw problem("a stray \"/\" in the tag <\(name)>") }
        position += 2
        pendingEnd = name
        break
      }
      guard hadSpace else { throw problem("an unexpected character in the tag <\(name)>") }
      attributes.append(try readAttribute(of: name, attributes))
    }
    hasSeenRoot = true
    return .start(name: name, attributes: attributes)
  }

  private mutating func readAttribute(of element: String, _ others: [XMLAttribute]) throws(XMLProblem) -> XMLAttribute {
    let start = position
    let qualified = try readQualifiedName(of: "attribute")
    _ = skipSpace()
    guard position < bytes.count else { throw truncated("inside the tag <\(element)>") }
    guard take("=") else { throw problem("the attribute \(qualified) of <\(element)> has no value") }
    _ = skipSpace()
    guard position < bytes.count else { throw truncated("inside the tag <\(element)>") }
    let quote = bytes[position]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw problem("the attribute \(qualified) of <\(element)> has no quotes")
    }
    position += 1
    let from = position
    while position < bytes.count, bytes[position] != quote {
      if bytes[position] == UInt8(ascii: "<") { throw problem("\"<\" in the attribute \(qualified) of <\(element)>") }
      position += 1
    }
    guard position < bytes.count else { throw truncated("inside the tag <\(element)>") }
    let value = try unescape(from..<position)
    position += 1
    // Prefixed names are told apart by their namespaces, which are not looked at: the first one of a name counts.
    let name = localName(qualified)
    if qualified == name, others.contains(where: { $0.name == name }) {
      throw problem("the attribute \(name) of <\(element)> comes twice", at: start)
    }
    return XMLAttribute(name: name, value: value)
  }

  private mutating func readEndTag() throws(XMLProblem) -> Event {
    let start = position
    position += 2
    let name = try readName(of: "closing tag")
    _ = skipSpace()
    guard position < bytes.count else { throw truncated("inside the tag </\(name)>") }
    guard take(">") else { throw problem("an unexpected character in the tag </\(name)>") }
    guard let open = openNames.popLast() else { throw problem("</\(name)> closes nothing", at: start) }
    guard open == name else { throw problem("</\(name)> where </\(open)> should stand", at: start) }
    return .end(name: name)
  }

  /// - Returns: `nil` for space outside the root element.
  private mutating func readText() throws(XMLProblem) -> String? {
    let from = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
    guard openNames.isEmpty else { return try unescape(from..<position) }
    if let stray = (from..<position).first(where: { !isSpace(bytes[$0]) }) {
      throw problem(hasSeenRoot ? "text after the root element" : "text before the root element", at: stray)
    }
    return nil
  }

  private mutating func readCharacterData() throws(XMLProblem) -> String? {
    guard !openNames.isEmpty else { throw problem("text outside the root element") }
    let from = position + 9
    try skip(past: "]]>", from: from, what: "CDATA section")
    let text = try decode(from..<position - 3)
    return text.isEmpty ? nil : text
  }

  private mutating func skipDocumentType() throws(XMLProblem) {
    guard !hasSeenRoot else { throw problem("a document type inside the document") }
    var depth = 0
    var quote: UInt8?
    while position < bytes.count {
      let byte = bytes[position]
      if quote == nil, starts(with: "<!--") {
        try skip(past: "-->", from: position + 4, what: "comment")
        continue
      }
      position += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "[") {
        depth += 1
      } else if byte == UInt8(ascii: "]") {
        depth -= 1
      } else if byte == UInt8(ascii: ">"), depth == 0 {
        return
      }
    }
    throw truncated("inside the document type")
  }

  private mutating func readDeclaration() throws(XMLProblem) {
    guard starts(with: "<?xml"), position + 5 < bytes.count, isSpace(bytes[position + 5]) else { return }
    let from = position + 5
    try skip(past: "?>", from: from, what: "XML declaration")
    // By hand: a search of the standard library's would link its regular expressions into every program.
    let declaration = bytes[from..<position - 2]
    let word = Array("encoding".utf8)
    guard let found = declaration.indices.first(where: { declaration[$0...].starts(with: word) }) else { return }
    let value = String(decoding: declaration[(found + word.count)...], as: UTF8.self)
      .drop { $0 == " " || $0 == "=" || $0 == "\t" || $0 == "\n" }
    guard let quote = value.first, quote == "\"" || quote == "'" else {
      throw problem("the encoding in the XML declaration has no quotes")
    }
    let name = value.dropFirst().prefix { $0 != quote }.lowercased()
    switch name {
    case "utf-8", "utf8", "us-ascii", "ascii": isLatin1 = false
    case "iso-8859-1", "iso8859-1", "latin1", "latin-1": isLatin1 = true
    default: throw problem("the encoding \"\(name)\" is not known; only UTF-8 and ISO 8859-1 can be read")
    }
  }
}

extension XMLReader {
  private mutating func readName(of what: String) throws(XMLProblem) -> String {
    localName(try readQualifiedName(of: what))
  }

  private mutating func readQualifiedName(of what: String) throws(XMLProblem) -> String {
    let from = position
    while position < bytes.count, isNameByte(bytes[position]) { position += 1 }
    guard position < bytes.count else { throw truncated("inside the name of an \(what)") }
    guard position > from, !isDigitOrMark(bytes[from]) else {
      throw problem("the name of an \(what) is missing", at: from)
    }
    return try decode(from..<position)
  }

  private func localName(_ qualified: String) -> String {
    guard let colon = qualified.utf8.lastIndex(of: UInt8(ascii: ":")) else { return qualified }
    return String(qualified[qualified.utf8.index(after: colon)...])
  }

  /// Text with its references replaced. A reference needs its semicolon and a character that XML allows.
  private func unescape(_ range: Range<Int>) throws(XMLProblem) -> String {
    guard bytes[range].contains(UInt8(ascii: "&")) else { return try decode(range) }
    var text = ""
    var from = range.lowerBound
    while let ampersand = bytes[from..<range.upperBound].firstIndex(of: UInt8(ascii: "&")) {
      text += try decode(from..<ampersand)
      guard let end = bytes[ampersand..<min(range.upperBound, ampersand + 12)].firstIndex(of: UInt8(ascii: ";")) else {
        if range.upperBound == bytes.count { throw truncated("inside a reference") }
        throw problem("\"&\" without a reference; it is written &amp;", at: ampersand)
      }
      let name = try decode(ampersand + 1..<end)
      guard let scalar = Self.scalar(of: name) else {
        throw problem("the reference &\(name); is not known", at: ampersand)
      }
      text.unicodeScalars.append(scalar)
      from = end + 1
    }
    return text + (try decode(from..<range.upperBound))
  }

  private static func scalar(of reference: String) -> Unicode.Scalar? {
    switch reference {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard reference.first == "#" else { return nil }
    let digits = reference.dropFirst()
    let isHexadecimal = digits.first == "x"
    let number = isHexadecimal ? digits.dropFirst() : digits
    guard number.first?.isHexDigit == true, let value = UInt32(number, radix: isHexadecimal ? 16 : 10) else {
      return nil
    }
    // XML 1.0, production 2: no control characters but the three of white space, no U+FFFE and U+FFFF.
    guard value >= 0x20 || value == 0x9 || value == 0xA || value == 0xD, value != 0xFFFE, value != 0xFFFF else {
      return nil
    }
    return Unicode.Scalar(value)
  }

  private func decode(_ range: Range<Int>) throws(XMLProblem) -> String {
    if isLatin1 {
      var text = ""
      for byte in bytes[range] { text.unicodeScalars.append(Unicode.Scalar(byte)) }
      return text
    }
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      // A character of up to four bytes may be what the end of the file cut through.
      let invalid = firstInvalidByte(in: range)
      if range.upperBound == bytes.count, bytes.count - invalid < 4, bytes[invalid] >= 0xC2 {
        throw truncated("inside a character")
      }
      throw problem("the text is not UTF-8", at: invalid)
    }
    return text
  }

  private func firstInvalidByte(in range: Range<Int>) -> Int {
    var valid = range.lowerBound
    for scalar in String(decoding: bytes[range], as: UTF8.self).unicodeScalars {
      let encoded = Array(String(scalar).utf8)
      guard bytes[valid..<range.upperBound].starts(with: encoded) else { return valid }
      valid += encoded.count
    }
    return valid
  }

  private mutating func skip(past end: StaticString, from: Int, what: String) throws(XMLProblem) {
    position = from
    while position < bytes.count {
      if starts(with: end) {
        position += end.utf8CodeUnitCount
        return
      }
      position += 1
    }
    position = bytes.count
    throw truncated("inside a \(what)")
  }

  private mutating func skipSpace() -> Bool {
    let from = position
    while position < bytes.count, isSpace(bytes[position]) { position += 1 }
    return position > from
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private func starts(with text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard position + length <= bytes.count else { return false }
    return text.withUTF8Buffer { wanted in
      for index in 0..<length where bytes[position + index] != wanted[index] { return false }
      return true
    }
  }

  /// Whether the file ends before it is clear what this "<" begins.
  private var isCutOff: Bool {
    let rest = bytes[position...]
    return rest.count == 1 || ["<!--", "<![CDATA[", "<!DOCTYPE"].contains { $0.utf8.starts(with: rest) }
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 || byte == 0xA || byte == 0xD }

  private func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"): true
    case UInt8(ascii: "."), 0x80...0xFF: true
    default: false
    }
  }

  private func isDigitOrMark(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  private func problem(_ reason: String, at offset: Int? = nil) -> XMLProblem {
    let place = place(of: offset ?? position)
    return XMLProblem(line: place.line, column: place.column, reason: reason)
  }

  /// The end of the file is where it broke off, whatever was begun before.
  private func truncated(_ reason: String) -> XMLProblem {
    let place = place(of: bytes.count)
    return XMLProblem(
      line: place.line, column: place.column, reason: "the file ends \(reason)", isTruncated: true)
  }

  private func place(of offset: Int) -> (line: Int, column: Int) {
    let before = bytes[..<min(offset, bytes.count)]
    let lastBreak = before.lastIndex(of: 0xA)
    return (before.count { $0 == 0xA } + 1, before.count - (lastBreak.map { $0 + 1 } ?? 0) + 1)
  }
}
