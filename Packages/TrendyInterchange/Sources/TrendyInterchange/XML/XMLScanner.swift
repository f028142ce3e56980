#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Finds the tags of an XML 1.0 document, strictly, in a stream of any length, and makes no strings.
///
/// It knows what the formats of people's data need and refuses the rest: the five named entities and numeric references, CDATA, comments,
/// processing instructions. A document type is passed over unread, so no entity of its own can be expanded. Names are local names;
/// namespaces are not looked at. UTF-8 with or without its mark, or ISO 8859-1 where declared.
///
/// Tokens are ranges of a window onto the document, and stay valid until the next call of ``next()``. The window grows to the longest tag
/// or text, to ``tokenLimit`` at most.
struct XMLScanner: ~Copyable {
  enum Token {
    /// ``name`` and ``attributes`` tell which.
    case start
    /// ``name`` tells which.
    case end
    /// ``text`` is where it lies, with references; never empty. Neighbouring runs are not joined.
    case text
    /// ``text`` is where it lies, and stands for itself.
    case characterData
    /// The root element is closed and nothing but comments followed.
    case finished
  }

  struct Attribute {
    /// With its prefix.
    var name: Range<Int>
    /// Between its quotes, with references.
    var value: Range<Int>
  }

  /// How a document type is passed over.
  enum DocumentType {
    /// By the rules of XML.
    case strict
    /// To the first line that is `]>`, whatever stands before: for files whose declarations break the rules.
    case toItsLastLine
  }

  /// Fills the buffer with the next bytes of the document; 0 only at its end.
  typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  static let tokenLimit = 16 << 20
  private static let depthLimit = 100

  private(set) var name = 0..<0
  private(set) var attributes: [Attribute] = []
  private(set) var text = 0..<0
  /// What the source threw; the document is taken to end there, so that a problem is thrown as well.
  private(set) var sourceFailure: (any Error)?

  private let source: Source?
  private let documentType: DocumentType
  private var window: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// The next byte in the window.
  private var position = 0
  /// Bytes in the window.
  private var count: Int
  /// Whether the window reaches the end of the document.
  private var isAtEnd: Bool
  /// What was before the window: bytes, line breaks, and bytes since the last of those.
  private var bytesBefore: Int64 = 0
  private var linesBefore = 0
  private var columnsBefore = 0
  /// Line breaks in the window up to ``countedTo``, so that none is counted twice.
  private var countedLines = 0
  private var countedTo = 0

  /// Names of the open elements, one behind the other, and where each begins.
  private var openNames: [UInt8] = []
  private var openStarts: [Int] = []
  private var hasPendingEnd = false
  private var hasSeenRoot = false
  private var isLatin1 = false

  /// A document in memory.
  init(_ bytes: [UInt8]) throws(XMLProblem) {
    source = nil
    documentType = .strict
    capacity = max(1, bytes.count)
    let window = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    bytes.withUnsafeBufferPointer { bytes in
      if let base = bytes.baseAddress { window.initialize(from: base, count: bytes.count) }
    }
    self.window = window
    count = bytes.count
    isAtEnd = true
    try begin()
  }

  init(documentType: DocumentType = .strict, source: @escaping Source) throws(XMLProblem) {
    self.source = source
    self.documentType = documentType
    capacity = 256 << 10
    window = .allocate(capacity: capacity)
    count = 0
    isAtEnd = false
    try begin()
  }

  deinit { window.deallocate() }

  /// Line and column of the next byte, both from 1; the column counts bytes.
  var place: (line: Int, column: Int) { place(of: position) }

  /// The line of ``place``, cheap also where it is asked for often.
  mutating func line() -> Int {
    countedLines += lines(from: countedTo, to: position)
    countedTo = position
    return linesBefore + countedLines + 1
  }

  /// Bytes of the document that were passed.
  var offset: Int64 { bytesBefore + Int64(position) }

  /// After ``Token/start``: whether the element is one of a single tag. It counts as closed already.
  var isEmptyElement: Bool { hasPendingEnd }

  /// How many elements are open.
  var depth: Int { openStarts.count }

  mutating func next() throws(XMLProblem) -> Token {
    if hasPendingEnd {
      hasPendingEnd = false
      return .end
    }
    while true {
      let start = position
      do throws(XMLProblem) {
        if let token = try scan() { return token }
      } catch {
        // Not whole in the window: more of the document is asked for, and the token begun anew.
        guard error.isTruncated, !isAtEnd else { throw error }
        position = start
        try refill()
      }
    }
  }

  /// The bytes of a range, valid until the next call of ``next()``.
  func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: window + range.lowerBound, count: range.count)
  }

  func matches(_ range: Range<Int>, _ text: StaticString) -> Bool {
    range.count == text.utf8CodeUnitCount && memcmp(window + range.lowerBound, text.utf8Start, range.count) == 0
  }

  /// A range as it stands.
  func string(_ range: Range<Int>) throws(XMLProblem) -> String {
    if isLatin1 {
      var text = ""
      for byte in bytes(range) { text.unicodeScalars.append(Unicode.Scalar(byte)) }
      return text
    }
    guard let text = String(validating: bytes(range), as: UTF8.self) else {
      // A character of up to four bytes may be what the end of the file cut through.
      let invalid = firstInvalidByte(in: range)
      if range.upperBound == count, count - invalid < 4, window[invalid] >= 0xC2 {
        throw truncated("inside a character")
      }
      throw problem("the text is not UTF-8", at: invalid)
    }
    return text
  }

  /// A range with its references replaced. A reference needs its semicolon and a character that XML allows.
  func unescaped(_ range: Range<Int>) throws(XMLProblem) -> String {
    guard firstIndex(of: UInt8(ascii: "&"), in: range) != nil else { return try string(range) }
    var text = ""
    var from = range.lowerBound
    while let ampersand = firstIndex(of: UInt8(ascii: "&"), in: from..<range.upperBound) {
      text += try string(from..<ampersand)
      guard let end = firstIndex(of: UInt8(ascii: ";"), in: ampersand..<min(range.upperBound, ampersand + 12)) else {
        if range.upperBound == count { throw truncated("inside a reference") }
        throw problem("\"&\" without a reference; it is written &amp;", at: ampersand)
      }
      let name = try string(ampersand + 1..<end)
      guard let scalar = Self.scalar(of: name) else {
        throw problem("the reference &\(name); is not known", at: ampersand)
      }
      text.unicodeScalars.append(scalar)
      from = end + 1
    }
    return text + (try string(from..<range.upperBound))
  }

  func problem(_ reason: String, at offset: Int? = nil) -> XMLProblem {
    let place = place(of: offset ?? position)
    return XMLProblem(line: place.line, column: place.column, reason: reason)
  }
}

extension XMLScanner {
  /// - Returns: `nil` where something was passed over.
  private mutating func scan() throws(XMLProblem) -> Token? {
    guard position < count else {
      guard isAtEnd else { throw more }
      if !openStarts.isEmpty { throw truncated("inside <\(try string(ofOpen: openStarts.count - 1))>") }
      guard hasSeenRoot else { throw problem("there is no element in the file") }
      return .finished
    }
    guard window[position] == UInt8(ascii: "<") else { return try scanText() }
    guard position + 1 < count else { throw truncated("inside a tag") }
    switch window[position + 1] {
    case UInt8(ascii: "/"):
      return try scanEndTag()
    case UInt8(ascii: "!"):
      if starts(with: "<!--") {
        try skip(past: "-->", from: position + 4, what: "comment")
        return nil
      } else if starts(with: "<![CDATA[") {
        return try scanCharacterData()
      } else if starts(with: "<!DOCTYPE") {
        try skipDocumentType()
        return nil
      } else if isCutOff {
        throw truncated("inside a tag")
      }
      return try scanStartTag()
    case UInt8(ascii: "?"):
      try skip(past: "?>", from: position + 2, what: "processing instruction")
      return nil
    default:
      return try scanStartTag()
    }
  }

  private mutating func scanStartTag() throws(XMLProblem) -> Token {
    let start = position
    position += 1
    name = localName(try scanName(of: "element"))
    guard !openStarts.isEmpty || !hasSeenRoot else {
      throw problem("a second root element <\(try string(name))>", at: start)
    }
    guard openStarts.count < Self.depthLimit else {
      throw problem("elements are nested deeper than \(Self.depthLimit)", at: start)
    }
    attributes.removeAll(keepingCapacity: true)
    while true {
      let hadSpace = skipSpace()
      guard position < count else { throw try insideTag() }
      let byte = window[position]
      if byte == UInt8(ascii: ">") {
        position += 1
        openStarts.append(openNames.count)
        openNames.append(contentsOf: bytes(name))
        break
      }
      if byte == UInt8(ascii: "/") {
        guard position + 1 < count else { throw try insideTag() }
        guard window[position + 1] == UInt8(ascii: ">") else {
          throw problem("a stray \"/\" in the tag <\(try string(name))>")
        }
        position += 2
        hasPendingEnd = true
        break
      }
      guard hadSpace else { throw problem("an unexpected character in the tag <\(try string(name))>") }
      attributes.append(try scanAttribute())
    }
    hasSeenRoot = true
    return .start
  }

  private mutating func scanAttribute() throws(XMLProblem) -> Attribute {
    let qualified = try scanName(of: "attribute")
    _ = skipSpace()
    guard position < count else { throw try insideTag() }
    guard window[position] == UInt8(ascii: "=") else {
      throw problem("the attribute \(try string(qualified)) of <\(try string(name))> has no value")
    }
    position += 1
    _ = skipSpace()
    guard position < count else { throw try insideTag() }
    let quote = window[position]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw problem("the attribute \(try string(qualified)) of <\(try string(name))> has no quotes")
    }
    position += 1
    let from = position
    position = firstIndex(of: quote, or: UInt8(ascii: "<"), from: from)
    guard position < count else { throw try insideTag() }
    guard window[position] == quote else {
      throw problem("\"<\" in the attribute \(try string(qualified)) of <\(try string(name))>")
    }
    let value = from..<position
    position += 1
    return Attribute(name: qualified, value: value)
  }

  private mutating func scanEndTag() throws(XMLProblem) -> Token {
    let start = position
    position += 2
    name = localName(try scanName(of: "closing tag"))
    _ = skipSpace()
    guard position < count else { throw truncated("inside the tag </\(try string(name))>") }
    guard window[position] == UInt8(ascii: ">") else {
      throw problem("an unexpected character in the tag </\(try string(name))>")
    }
    position += 1
    guard let open = openStarts.last else { throw problem("</\(try string(name))> closes nothing", at: start) }
    let isSame =
      openNames.count - open == name.count
      && openNames.withUnsafeBufferPointer { names in
        names.baseAddress.map { memcmp($0 + open, window + name.lowerBound, name.count) == 0 } ?? false
      }
    guard isSame else {
      let expected = try string(ofOpen: openStarts.count - 1)
      throw problem("</\(try string(name))> where </\(expected)> should stand", at: start)
    }
    openStarts.removeLast()
    openNames.removeLast(openNames.count - open)
    return .end
  }

  /// - Returns: `nil` for space outside the root element.
  private mutating func scanText() throws(XMLProblem) -> Token? {
    let from = position
    position = firstIndex(of: UInt8(ascii: "<"), in: from..<count) ?? count
    if position == count, !isAtEnd { throw more }
    guard openStarts.isEmpty else {
      text = from..<position
      return .text
    }
    if let stray = (from..<position).first(where: { !isSpace(window[$0]) }) {
      throw problem(hasSeenRoot ? "text after the root element" : "text before the root element", at: stray)
    }
    return nil
  }

  private mutating func scanCharacterData() throws(XMLProblem) -> Token {
    guard !openStarts.isEmpty else { throw problem("text outside the root element") }
    let from = position + 9
    try skip(past: "]]>", from: from, what: "CDATA section")
    text = from..<position - 3
    return .characterData
  }

  private mutating func skipDocumentType() throws(XMLProblem) {
    guard !hasSeenRoot else { throw problem("a document type inside the document") }
    if documentType == .toItsLastLine { return try skipToLastLineOfDocumentType() }
    var depth = 0
    var quote: UInt8?
    while position < count {
      let byte = window[position]
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

  private mutating func skipToLastLineOfDocumentType() throws(XMLProblem) {
    var hasSubset = false
    while position < count {
      if starts(with: "<!--") {
        try skip(past: "-->", from: position + 4, what: "comment")
        continue
      }
      let byte = window[position]
      position += 1
      if byte == UInt8(ascii: "[") { hasSubset = true }
      if byte == UInt8(ascii: ">"), !hasSubset { return }
      guard byte == 0xA else { continue }
      _ = skipSpace()
      if starts(with: "]>") {
        position += 2
        return
      }
    }
    throw truncated("inside the document type")
  }
}

extension XMLScanner {
  private mutating func begin() throws(XMLProblem) {
    while count < 5, !isAtEnd { try refill() }
    if count >= 3, window[0] == 0xEF, window[1] == 0xBB, window[2] == 0xBF { position = 3 }
    if count >= 2, window[0] == 0xFE && window[1] == 0xFF || window[0] == 0xFF && window[1] == 0xFE {
      throw problem("the file is UTF-16; only UTF-8 and ISO 8859-1 can be read")
    }
    while true {
      let start = position
      do throws(XMLProblem) {
        return try readDeclaration()
      } catch {
        guard error.isTruncated, !isAtEnd else { throw error }
        position = start
        try refill()
      }
    }
  }

  private mutating func readDeclaration() throws(XMLProblem) {
    guard starts(with: "<?xml") else { return }
    guard position + 5 < count else {
      if !isAtEnd { throw more }
      return
    }
    guard isSpace(window[position + 5]) else { return }
    let from = position + 5
    try skip(past: "?>", from: from, what: "XML declaration")
    // By hand: a search of the standard library's would link its regular expressions into every program.
    let declaration = Array(bytes(from..<position - 2))
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

  /// Takes what was passed out of the window and reads more behind the rest.
  private mutating func refill() throws(XMLProblem) {
    if position > 0 {
      let lastBreak = lastIndex(of: 0xA, before: position)
      linesBefore = line() - 1
      (countedLines, countedTo) = (0, 0)
      columnsBefore = lastBreak.map { position - $0 - 1 } ?? columnsBefore + position
      bytesBefore += Int64(position)
      count -= position
      memmove(window, window + position, count)
      position = 0
    }
    if count == capacity {
      guard capacity < Self.tokenLimit else {
        throw problem("a tag or a text is longer than \(Self.tokenLimit >> 20) MiB")
      }
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
      memcpy(larger, window, count)
      window.deallocate()
      window = larger
      capacity *= 2
    }
    guard let source else { preconditionFailure("a document in memory is whole") }
    do {
      let got = try source(UnsafeMutableRawBufferPointer(start: window + count, count: capacity - count))
      count += got
      isAtEnd = got == 0
    } catch {
      sourceFailure = error
      isAtEnd = true
    }
  }

  private mutating func scanName(of what: String) throws(XMLProblem) -> Range<Int> {
    let from = position
    var index = from
    while index < count, isNameByte(window[index]) { index += 1 }
    position = index
    guard index < count else { throw truncated("inside the name of an \(what)") }
    guard index > from, !isDigitOrMark(window[from]) else {
      throw problem("the name of an \(what) is missing", at: from)
    }
    return from..<index
  }

  private func localName(_ qualified: Range<Int>) -> Range<Int> {
    for index in qualified.reversed() where window[index] == UInt8(ascii: ":") {
      return index + 1..<qualified.upperBound
    }
    return qualified
  }

  private func string(ofOpen index: Int) throws(XMLProblem) -> String {
    let end = index + 1 < openStarts.count ? openStarts[index + 1] : openNames.count
    return String(decoding: openNames[openStarts[index]..<end], as: UTF8.self)
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

  private func firstInvalidByte(in range: Range<Int>) -> Int {
    var valid = range.lowerBound
    for scalar in String(decoding: bytes(range), as: UTF8.self).unicodeScalars {
      let encoded = Array(String(scalar).utf8)
      guard bytes(valid..<range.upperBound).starts(with: encoded) else { return valid }
      valid += encoded.count
    }
    return valid
  }

  private mutating func skip(past end: StaticString, from: Int, what: String) throws(XMLProblem) {
    position = from
    while position < count {
      if starts(with: end) {
        position += end.utf8CodeUnitCount
        return
      }
      position += 1
    }
    position = count
    throw truncated("inside a \(what)")
  }

  private mutating func skipSpace() -> Bool {
    let from = position
    while position < count, isSpace(window[position]) { position += 1 }
    return position > from
  }

  private func starts(with text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    return position + length <= count && memcmp(window + position, text.utf8Start, length) == 0
  }

  /// Whether the file ends before it is clear what this "<!" begins.
  private var isCutOff: Bool {
    let rest = bytes(position..<count)
    return ["<!--", "<![CDATA[", "<!DOCTYPE"].contains { $0.utf8.starts(with: rest) }
  }

  private func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    guard let found = memchr(window + range.lowerBound, Int32(byte), range.count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(window)
  }

  private func lastIndex(of byte: UInt8, before end: Int) -> Int? {
    var index = end - 1
    while index >= 0, window[index] != byte { index -= 1 }
    return index >= 0 ? index : nil
  }

  /// Eight bytes at a time.
  /// - Returns: ``count`` where there is none.
  private func firstIndex(of first: UInt8, or second: UInt8, from: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let firsts = ones &* UInt64(first)
    let seconds = ones &* UInt64(second)
    var index = from
    while index + 8 <= count {
      let word = UInt64(littleEndian: UnsafeRawPointer(window + index).loadUnaligned(as: UInt64.self))
      let left = word ^ firsts
      let right = word ^ seconds
      // The lowest high bit that is set marks the first byte that became zero ("Bit Twiddling Hacks", S. E. Anderson).
      let found = ((left &- ones) & ~left | (right &- ones) & ~right) & highs
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < count, window[index] != first, window[index] != second { index += 1 }
    return index
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 || byte == 0xA || byte == 0xD }

  /// Letters, digits, `-`, `.`, `:`, `_` and all beyond ASCII, by two words of a bit for each of ASCII.
  private func isNameByte(_ byte: UInt8) -> Bool {
    if byte >= 0x80 { return true }
    let bits: UInt64 = byte < 0x40 ? 0x07FF_6000_0000_0000 : 0x07FF_FFFE_87FF_FFFE
    return bits >> UInt64(byte & 0x3F) & 1 == 1
  }

  private func isDigitOrMark(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  /// The end of the window was met, and the document goes on.
  private var more: XMLProblem { XMLProblem(line: 0, column: 0, reason: "", isTruncated: true) }

  private func insideTag() throws(XMLProblem) -> XMLProblem { truncated("inside the tag <\(try string(name))>") }

  /// The end of the file is where it broke off, whatever was begun before.
  private func truncated(_ reason: String) -> XMLProblem {
    guard isAtEnd else { return more }
    let place = place(of: count)
    return XMLProblem(
      line: place.line, column: place.column, reason: "the file ends \(reason)", isTruncated: true)
  }

  private func place(of offset: Int) -> (line: Int, column: Int) {
    let end = min(offset, count)
    let column = lastIndex(of: 0xA, before: end).map { end - $0 - 1 } ?? columnsBefore + end
    let isCounted = countedTo <= end
    let lines = (isCounted ? countedLines : 0) + lines(from: isCounted ? countedTo : 0, to: end)
    return (linesBefore + lines + 1, column + 1)
  }

  private func lines(from start: Int, to end: Int) -> Int {
    var lines = 0
    var index = start
    while let found = firstIndex(of: 0xA, in: index..<end) {
      lines += 1
      index = found + 1
    }
    return lines
  }
}
