import TrendyFoundation
import TrendyModels

/// Goes through the bytes of JSON documents, in memory that does not grow with them.
///
/// Brackets and strings are followed, and nothing else of the grammar: whoever reads a value finds out whether it is JSON.
struct JSONStreamScanner: ~Copyable {
  /// What breaks a document off. Line and column count from 1, the column in bytes.
  struct Failure: Error {
    let line: Int
    let column: Int
    let reason: String
    let isTruncated: Bool
  }

  private let input: ByteInput
  /// Bytes of a value that is kept.
  private let longestValue: Int
  private var window: UnsafeMutablePointer<UInt8>
  private var capacity = 256 << 10
  private var count = 0
  private var position = 0
  /// First byte of the window that must stay.
  private var kept: Int?
  private var isAtEnd = false
  private var linesBefore = 0
  private var columnsBefore = 0

  /// - Parameters:
  ///   - input: the text, with or without a byte order mark.
  ///   - longestValue: bytes of a value that is kept, at least 256 KiB.
  init(_ input: ByteInput, longestValue: Int) throws {
    self.input = input
    self.longestValue = longestValue
    window = .allocate(capacity: capacity)
    if try input.peek(3).starts(with: [0xEF, 0xBB, 0xBF]) { for _ in 0..<3 { _ = try input.next() } }
  }

  deinit { window.deallocate() }

  /// The next byte that is not white space; it stays.
  mutating func significant() throws -> UInt8 {
    guard let byte = try next() else { throw failure("the JSON document is not closed", isTruncated: true) }
    return byte
  }

  /// As ``significant()``; `nil` at the end.
  mutating func next() throws -> UInt8? {
    while true {
      while position < count {
        if !window[position].isSpace { return window[position] }
        position += 1
      }
      guard try refill() else { return nil }
    }
  }

  /// Passes the byte that ``significant()`` found.
  mutating func pass() { position += 1 }

  /// Gives the members of an object, which begins at the next byte: `body` passes the value of each.
  /// - Throws: ``Failure``, or what `body` throws.
  mutating func members(_ body: (inout JSONStreamScanner, _ name: String) throws -> Void) throws {
    try list(until: UInt8(ascii: "}")) { scanner in
      guard try scanner.significant() == UInt8(ascii: "\""),
        let name = try scanner.value({ try? WireJSON.decode(JSONValue.self, from: Data($0)).stringValue })
      else { throw scanner.failure("the name of a member was expected") }
      guard try scanner.significant() == UInt8(ascii: ":") else { throw scanner.failure("a colon was expected") }
      scanner.pass()
      _ = try scanner.significant()
      try body(&scanner, name)
    }
  }

  /// Gives the elements of an array, which begins at the next byte: `body` passes each.
  /// - Throws: ``Failure``, or what `body` throws.
  mutating func elements(_ body: (inout JSONStreamScanner, _ index: Int) throws -> Void) throws {
    var index = 0
    try list(until: UInt8(ascii: "]")) { scanner in
      try body(&scanner, index)
      index += 1
    }
  }

  /// A comma behind the last is no fault: some programs write one.
  private mutating func list(until bracket: UInt8, _ part: (inout JSONStreamScanner) throws -> Void) throws {
    pass()
    while try significant() != bracket {
      try part(&self)
      switch try significant() {
      case UInt8(ascii: ","): pass()
      case bracket: break
      default: throw failure("a comma or the end was expected")
      }
    }
    pass()
  }

  /// Passes a value, which begins at the next byte, and gives its bytes.
  mutating func value<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) throws -> Result {
    kept = position
    defer { kept = nil }
    try passValue()
    let start = kept ?? position
    return try body(UnsafeBufferPointer(start: window + start, count: position - start))
  }

  /// Passes a value, which begins at the next byte.
  mutating func passValue() throws {
    switch window[position] {
    case UInt8(ascii: "\""):
      position += 1
      try string()
    case UInt8(ascii: "{"), UInt8(ascii: "["): try nested()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): try scalar()
    default: throw failure("a value was expected")
    }
  }

  private mutating func scalar() throws {
    while true {
      while position < count {
        switch window[position] {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x9, 0xA, 0xD: return
        default: position += 1
        }
      }
      // A number or a word may be the whole document.
      guard try refill() else { return }
    }
  }

  private mutating func nested() throws {
    var depth = 0
    while true {
      while position < count {
        let byte = window[position]
        position += 1
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth == 0 { return }
        case UInt8(ascii: "\""): try string()
        default: break
        }
      }
      guard try refill() else { throw failure("the JSON document is not closed", isTruncated: true) }
    }
  }

  /// Passes the rest of a string and its quotation mark.
  private mutating func string() throws {
    while true {
      while position < count {
        let byte = window[position]
        position += 1
        if byte == UInt8(ascii: "\"") { return }
        if byte == UInt8(ascii: "\\") {
          if position == count, try !refill() { break }
          position += 1
        }
      }
      guard try refill() else { throw failure("a string is not closed", isTruncated: true) }
    }
  }

  /// Moves what is kept to the front of the window and reads on behind it.
  /// - Returns: whether there was more.
  private mutating func refill() throws -> Bool {
    guard !isAtEnd else { return false }
    let start = min(kept ?? position, count)
    for index in 0..<start {
      if window[index] == 0xA {
        linesBefore += 1
        columnsBefore = 0
      } else {
        columnsBefore += 1
      }
    }
    if start > 0 {
      window.update(from: window + start, count: count - start)
      count -= start
      position -= start
      if kept != nil { kept = 0 }
    }
    if count == capacity {
      guard capacity < longestValue else { throw failure("one value has more than \(longestValue >> 20) MiB") }
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
      larger.update(from: window, count: count)
      window.deallocate()
      window = larger
      capacity *= 2
    }
    let got = try input.read(into: UnsafeMutableRawBufferPointer(start: window + count, count: capacity - count))
    count += got
    isAtEnd = got == 0
    return got > 0
  }

  func failure(_ reason: String, isTruncated: Bool = false) -> Failure {
    var line = linesBefore + 1
    var column = columnsBefore + 1
    for index in 0..<min(position, count) {
      if window[index] == 0xA {
        line += 1
        column = 1
      } else {
        column += 1
      }
    }
    return Failure(line: line, column: column, reason: reason, isTruncated: isTruncated)
  }
}
