import TrendyFoundation
import TrendyModels

/// Scans JSON documents of any length in constant memory.
///
/// Only brackets, separators and strings are interpreted. The caller validates values when parsing them.
struct JSONStreamScanner: ~Copyable {
  struct Failure: Error {
    let line: Int
    let column: Int
    let reason: String
    let isTruncated: Bool
  }

  private let input: ByteInput
  /// Maximum size in bytes of a value passed to the caller.
  private let longestValue: Int
  private var window: UnsafeMutablePointer<UInt8>
  private var capacity = 256 << 10
  private var count = 0
  private var position = 0
  /// Offset in the window of the first byte to retain, or `nil`.
  private var kept: Int?
  private var isAtEnd = false
  private var linesBefore = 0
  private var columnsBefore = 0

  /// Creates a scanner for JSON text with or without a byte order mark. `longestValue` is the maximum size in bytes of
  /// a value passed to the caller, at least 256 KiB.
  init(_ input: ByteInput, longestValue: Int) throws {
    self.input = input
    self.longestValue = longestValue
    window = .allocate(capacity: capacity)
    if try input.peek(3).starts(with: [0xEF, 0xBB, 0xBF]) { for _ in 0..<3 { _ = try input.next() } }
  }

  deinit { window.deallocate() }

  /// Returns the next non-whitespace byte without consuming it. Throws at the end of the input.
  mutating func significant() throws -> UInt8 {
    guard let byte = try next() else { throw failure("the JSON document is not closed", isTruncated: true) }
    return byte
  }

  /// Returns the next non-whitespace byte without consuming it, or `nil` at the end.
  mutating func next() throws -> UInt8? {
    while true {
      while position < count {
        if !window[position].isSpace { return window[position] }
        position += 1
      }
      guard try refill() else { return nil }
    }
  }

  /// Consumes the byte that ``significant()`` returned.
  mutating func pass() { position += 1 }

  /// Calls `body` for each member of the object that starts at the next byte. `body` must consume the value.
  mutating func members(_ body: (inout JSONStreamScanner, _ name: String) throws -> Void) throws {
    try list(until: UInt8(ascii: "}")) { scanner in
      guard try scanner.significant() == UInt8(ascii: "\""),
        let name = try scanner.value({ try? WireJSON.decode(JSONValue.self, from: Data($0)).stringValue })
      else { throw scanner.failure("expected a member name") }
      guard try scanner.significant() == UInt8(ascii: ":") else { throw scanner.failure("expected a colon") }
      scanner.pass()
      _ = try scanner.significant()
      try body(&scanner, name)
    }
  }

  /// Calls `body` for each element of the array that starts at the next byte. `body` must consume the element.
  mutating func elements(_ body: (inout JSONStreamScanner, _ index: Int) throws -> Void) throws {
    var index = 0
    try list(until: UInt8(ascii: "]")) { scanner in
      try body(&scanner, index)
      index += 1
    }
  }

  /// Calls `part` for each item up to the closing bracket. Accepts a trailing comma because some programs write one.
  private mutating func list(until bracket: UInt8, _ part: (inout JSONStreamScanner) throws -> Void) throws {
    pass()
    while try significant() != bracket {
      try part(&self)
      switch try significant() {
      case UInt8(ascii: ","): pass()
      case bracket: break
      default: throw failure("expected a comma or a closing bracket")
      }
    }
    pass()
  }

  /// Consumes the value that starts at the next byte and passes its bytes to `body`.
  mutating func value<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) throws -> Result {
    kept = position
    defer { kept = nil }
    try passValue()
    let start = kept ?? position
    return try body(UnsafeBufferPointer(start: window + start, count: position - start))
  }

  mutating func passValue() throws {
    switch window[position] {
    case UInt8(ascii: "\""):
      position += 1
      try string()
    case UInt8(ascii: "{"), UInt8(ascii: "["): try nested()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): try scalar()
    default: throw failure("expected a value")
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
      // The document may consist of a single number or literal.
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

  /// Moves the retained bytes to the front of the window and reads more bytes after them. Returns whether there were
  /// more bytes.
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
      guard capacity < longestValue else { throw failure("a value is larger than \(longestValue >> 20) MiB") }
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
