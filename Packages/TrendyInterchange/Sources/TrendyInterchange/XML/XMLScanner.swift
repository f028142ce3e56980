#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Tokenizer for XML 1.0 documents of any length. Allocates no strings.
///
/// The scanner accepts the five predefined entities, numeric character references, CDATA sections, comments and
/// processing instructions, and rejects all other entities. Document type declarations are skipped without being
/// parsed, so documents cannot define entities. Namespaces are ignored. The encoding is UTF-8, or ISO 8859-1 if
/// declared.
///
/// Tokens are ranges in a window onto the document, and are valid until the next call to ``next()``. The window grows
/// to the length of the longest tag or run of text, up to ``tokenLimit``.
///
/// The implementation spans several files, so the shared members are not private. Other code must use only the members
/// declared before ``source``, and must not change them.
struct XMLScanner: ~Copyable {
  enum Token {
    /// Start tag (see ``name`` and ``attributes``).
    case start
    /// End tag (see ``name``).
    case end
    /// Non-empty text at ``text``, with unresolved references. Consecutive runs of text are not joined.
    case text
    /// CDATA section with literal text at ``text``.
    case characterData
    /// End of the document after the root element.
    case finished
  }

  struct Attribute {
    /// Qualified name, which may have a prefix.
    var name: Range<Int>
    /// Value without its quotes and with unresolved references.
    var value: Range<Int>
  }

  enum DocumentType {
    /// According to the XML grammar.
    case strict
    /// Up to the first `]>` outside of comments, for files with malformed declarations.
    case toItsBracket
  }

  /// Function that writes the next bytes of the document to the buffer and returns the number of bytes written. Returns
  /// 0 only at the end.
  typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  /// Maximum length in bytes of a tag or a run of text.
  static let tokenLimit = 16 << 20
  /// Maximum nesting depth of elements.
  static let depthLimit = 100

  var name = 0..<0
  var attributes: [Attribute] = []
  var text = 0..<0
  /// Error of the source. The scanner treats this error as the end of the document, so ``next()`` may throw a syntax
  /// error.
  var sourceFailure: (any Error)?

  let source: Source?
  let documentType: DocumentType
  var window: UnsafeMutablePointer<UInt8>
  var capacity: Int
  /// Offset of the next byte in the window.
  var position = 0
  /// Number of bytes in the window.
  var count: Int
  /// Whether the window contains the end of the document.
  var isAtEnd: Bool
  var bytesBefore: Int64 = 0
  var linesBefore = 0
  /// Number of bytes between the last line break and the window.
  var columnsBefore = 0
  /// Number of line breaks in the window before offset ``countedTo``. Stored so that no line break is counted twice.
  var countedLines = 0
  var countedTo = 0

  var openNames: [UInt8] = []
  /// Start of each name in ``openNames``.
  var openStarts: [Int] = []
  var hasPendingEnd = false
  var hasSeenRoot = false
  var isLatin1 = false

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

  var place: (line: Int, column: Int) { place(of: position) }

  /// Line of the next byte. The time taken is proportional to the distance from the previous call.
  mutating func line() -> Int {
    countedLines += lines(from: countedTo, to: position)
    countedTo = position
    return linesBefore + countedLines + 1
  }

  /// Offset of the next byte in the document.
  var offset: Int64 { bytesBefore + Int64(position) }

  /// Whether the last start tag belongs to an empty element, which ``depth`` does not include.
  var isEmptyElement: Bool { hasPendingEnd }

  /// Number of open elements.
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
        // The token extends beyond the window, so read more of the document and scan the token again.
        guard error.isTruncated, !isAtEnd else { throw error }
        position = start
        try refill()
      }
    }
  }

  /// Returns the bytes of a range, which are valid until the next call to ``next()``.
  func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: window + range.lowerBound, count: range.count)
  }

  func matches(_ range: Range<Int>, _ text: StaticString) -> Bool {
    range.count == text.utf8CodeUnitCount && memcmp(window + range.lowerBound, text.utf8Start, range.count) == 0
  }

  /// Returns the text of a range without resolving references.
  func string(_ range: Range<Int>) throws(XMLProblem) -> String {
    if isLatin1 {
      var text = ""
      for byte in bytes(range) { text.unicodeScalars.append(Unicode.Scalar(byte)) }
      return text
    }
    guard let text = String(validating: bytes(range), as: UTF8.self) else {
      // The end of the file may have truncated a multi-byte character.
      let invalid = firstInvalidByte(in: range)
      if range.upperBound == count, count - invalid < 4, window[invalid] >= 0xC2 {
        throw truncated("inside a character")
      }
      throw problem("the text is not UTF-8", at: invalid)
    }
    return text
  }

  /// Returns the text of a range with its references resolved.
  ///
  /// A reference must end with a semicolon and denote a character that XML allows.
  func unescaped(_ range: Range<Int>) throws(XMLProblem) -> String {
    guard firstIndex(of: UInt8(ascii: "&"), in: range) != nil else { return try string(range) }
    var text = ""
    var from = range.lowerBound
    while let ampersand = firstIndex(of: UInt8(ascii: "&"), in: from..<range.upperBound) {
      text += try string(from..<ampersand)
      guard let end = firstIndex(of: UInt8(ascii: ";"), in: ampersand..<min(range.upperBound, ampersand + 12)) else {
        if range.upperBound == count { throw truncated("inside a reference") }
        throw problem("\"&\" without a reference; write &amp;", at: ampersand)
      }
      let name = try string(ampersand + 1..<end)
      guard let scalar = Self.scalar(of: name) else {
        throw problem("unknown reference &\(name);", at: ampersand)
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
