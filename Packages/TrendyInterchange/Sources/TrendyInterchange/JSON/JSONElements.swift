/// Cuts the elements out of the large arrays of a JSON document, one at a time, in memory that does not grow with the document.
///
/// The document is an array, or an object some of whose members are arrays. Brackets and strings are followed, and nothing else of the
/// grammar: whoever reads an element finds out whether it is JSON.
struct JSONElements: ~Copyable {
  /// Bytes of an element, and of a name.
  static let elementLimit = 16 << 20

  typealias Handler = (_ array: String, _ index: Int, _ element: UnsafeBufferPointer<UInt8>) throws -> Void

  private let input: ByteInput
  private var window: UnsafeMutablePointer<UInt8>
  private var capacity = 256 << 10
  private var count = 0
  private var position = 0
  /// First byte of the window that must stay.
  private var kept: Int?
  private var isAtEnd = false
  private var linesBefore = 0
  private var columnsBefore = 0
  private var elements = 0

  private init(_ input: ByteInput) {
    self.input = input
    window = .allocate(capacity: capacity)
  }

  deinit { window.deallocate() }

  /// Gives the elements of the arrays of these names, in the order of the document; of a document that is an array those of `""`.
  /// - Throws: ``InterchangeError`` with line and column where it is cut off or broken, after what was whole was given; or what the input or
  ///   `body` throws.
  /// - Returns: the names of the other members.
  @discardableResult
  static func read(_ input: ByteInput, arrays: Set<String>, _ body: Handler) throws -> [String] {
    var elements = JSONElements(input)
    return try elements.document(arrays, body)
  }

  private mutating func document(_ arrays: Set<String>, _ body: Handler) throws -> [String] {
    if try input.peek(3).starts(with: [0xEF, 0xBB, 0xBF]) { for _ in 0..<3 { _ = try input.next() } }
    var others: [String] = []
    switch try significant() {
    case UInt8(ascii: "["): try array("", body)
    case UInt8(ascii: "{"):
      try members { elements, name throws in
        let isArray = try elements.significant() == UInt8(ascii: "[")
        if isArray, arrays.contains(name) { return try elements.array(name, body) }
        others.append(name)
        _ = try elements.value(isKept: false)
      }
    default: throw failure("this is not a JSON document")
    }
    if try next() != nil { throw failure("something follows the JSON document") }
    return others
  }

  private mutating func members(_ body: (inout JSONElements, String) throws -> Void) throws {
    position += 1
    if try significant() == UInt8(ascii: "}") {
      position += 1
      return
    }
    while true {
      guard try significant() == UInt8(ascii: "\"") else { throw failure("the name of a member was expected") }
      let range = try value(isKept: true)
      let bytes = UnsafeBufferPointer(start: window + range.lowerBound + 1, count: max(0, range.count - 2))
      let name = String(decoding: bytes.prefix(64), as: UTF8.self)
      guard try significant() == UInt8(ascii: ":") else { throw failure("a colon was expected") }
      position += 1
      try body(&self, name)
      if try isLast(UInt8(ascii: "}")) { return }
    }
  }

  private mutating func array(_ name: String, _ body: Handler) throws {
    position += 1
    if try significant() == UInt8(ascii: "]") {
      position += 1
      return
    }
    var index = 0
    while true {
      _ = try significant()
      let range = try value(isKept: true)
      try body(name, index, UnsafeBufferPointer(start: window + range.lowerBound, count: range.count))
      index += 1
      elements += 1
      if try isLast(UInt8(ascii: "]")) { return }
    }
  }

  /// Passes a comma or the bracket that closes.
  private mutating func isLast(_ bracket: UInt8) throws -> Bool {
    let byte = try significant()
    guard byte == bracket || byte == UInt8(ascii: ",") else { throw failure("a comma or the end was expected") }
    position += 1
    return byte == bracket
  }

  // MARK: Bytes

  /// The next byte that is not white space; it stays.
  private mutating func significant() throws -> UInt8 {
    guard let byte = try next() else { throw failure("the JSON document is not closed", isTruncated: true) }
    return byte
  }

  private mutating func next() throws -> UInt8? {
    while true {
      while position < count {
        if !window[position].isSpace { return window[position] }
        position += 1
      }
      guard try refill() else { return nil }
    }
  }

  /// Passes a value, which begins at the next byte.
  /// - Returns: where it lies, until the next call; of one that is not kept nothing.
  private mutating func value(isKept: Bool) throws -> Range<Int> {
    kept = isKept ? position : nil
    defer { kept = nil }
    switch window[position] {
    case UInt8(ascii: "\""):
      position += 1
      try string()
    case UInt8(ascii: "{"), UInt8(ascii: "["): try nested()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): try scalar()
    default: throw failure("a value was expected")
    }
    return (kept ?? position)..<position
  }

  private mutating func scalar() throws {
    while true {
      while position < count {
        switch window[position] {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x9, 0xA, 0xD: return
        default: position += 1
        }
      }
      guard try refill() else { throw failure("the JSON document is not closed", isTruncated: true) }
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
      guard capacity < Self.elementLimit else { throw failure("one element has more than 16 MiB") }
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

  private func failure(_ reason: String, isTruncated: Bool = false) -> InterchangeError {
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
    return isTruncated
      ? .truncated(line: line, column: column, reason: reason, pointsRead: elements)
      : .malformed(line: line, column: column, reason: reason, pointsRead: elements)
  }
}
