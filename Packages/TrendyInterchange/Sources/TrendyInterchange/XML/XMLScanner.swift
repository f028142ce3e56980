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
/// Its parts lie in several files, so that what they share is not private: others call what is above ``source``, and read.
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
    /// To the first `]>` that is in no comment, whatever stands before: for files whose declarations break the rules.
    case toItsBracket
  }

  /// Fills the buffer with the next bytes of the document; 0 only at its end.
  typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  static let tokenLimit = 16 << 20
  static let depthLimit = 100

  var name = 0..<0
  var attributes: [Attribute] = []
  var text = 0..<0
  /// What the source threw; the document is taken to end there, so that a problem is thrown as well.
  var sourceFailure: (any Error)?

  let source: Source?
  let documentType: DocumentType
  var window: UnsafeMutablePointer<UInt8>
  var capacity: Int
  /// The next byte in the window.
  var position = 0
  /// Bytes in the window.
  var count: Int
  /// Whether the window reaches the end of the document.
  var isAtEnd: Bool
  /// What was before the window: bytes, line breaks, and bytes since the last of those.
  var bytesBefore: Int64 = 0
  var linesBefore = 0
  var columnsBefore = 0
  /// Line breaks in the window up to ``countedTo``, so that none is counted twice.
  var countedLines = 0
  var countedTo = 0

  /// Names of the open elements, one behind the other, and where each begins.
  var openNames: [UInt8] = []
  var openStarts: [Int] = []
  var hasPendingEnd = false
  var hasSeenRoot = false
  var isLatin1 = false

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
