/// Strict JSON validator (RFC 8259) that runs in one pass without recursion.
///
/// Beyond the grammar, the scanner rejects invalid UTF-8, unpaired surrogates in escapes, duplicate names in an object
/// (parsers disagree about which value counts), a byte order mark, and documents that exceed the limits. Names are
/// duplicates if they are equal as `String`s, so composed and decomposed accents are equal.
struct JSONScanner {
  private let bytes: UnsafePointer<UInt8>
  private let count: Int
  private let limits: JSONLimits
  private var position = 0
  private var tokens: UnsafeMutablePointer<JSONToken>
  private var tokenCount = 0
  private var capacity: Int
  /// Token of the innermost array or object that is still open.
  private var open = Self.none
  private var depth = 0

  private static let none = UInt32.max

  /// Validates JSON text: `count` bytes followed by ``JSONDocument/padding`` zeros.
  /// - Returns: the tokens, which the caller deallocates.
  static func scan(
    _ bytes: UnsafePointer<UInt8>, count: Int, limits: JSONLimits
  ) throws(JSONError) -> UnsafeMutablePointer<JSONToken> {
    guard count < UInt32.max else {
      throw JSONError(path: "", byte: nil, reason: "the document exceeds 4 GiB")
    }
    var scanner = JSONScanner(bytes, count, limits)
    do throws(JSONError) {
      try scanner.document()
    } catch {
      scanner.tokens.deallocate()
      throw error
    }
    return scanner.tokens
  }

  private init(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ limits: JSONLimits) {
    self.bytes = bytes
    self.count = count
    self.limits = limits
    // Documents from the hub average about 15 bytes per token.
    capacity = count / 12 + 8
    tokens = .allocate(capacity: capacity)
  }

  private mutating func document() throws(JSONError) {
    skipBlanks()
    values: while true {
      switch bytes[position] {
      case UInt8(ascii: "\""): try string(.string)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
      case UInt8(ascii: "{"):
        try begin(.object)
        guard bytes[position] == UInt8(ascii: "}") else {
          try name()
          continue values
        }
        try end()
      case UInt8(ascii: "["):
        try begin(.array)
        guard bytes[position] == UInt8(ascii: "]") else {
          tokens[Int(open)].length = 1
          continue values
        }
        try end()
      case UInt8(ascii: "t"): try literal("true", .yes)
      case UInt8(ascii: "f"): try literal("false", .no)
      case UInt8(ascii: "n"): try literal("null", .null)
      default: throw expected("a value")
      }
      // A value is followed by a comma, the end of the enclosing array or object, or the end of the document.
      while open != Self.none {
        skipBlanks()
        let isObject = tokens[Int(open)].kind == .object
        if bytes[position] == UInt8(ascii: ",") {
          position += 1
          skipBlanks()
          if isObject { try name() } else { tokens[Int(open)].length += 1 }
          continue values
        }
        guard bytes[position] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw expected("a comma or the end of the \(isObject ? "object" : "array")", inLast: false)
        }
        try end()
      }
      break
    }
    skipBlanks()
    guard position == count else { throw expected("the end of the document") }
  }

  private mutating func begin(_ kind: JSONToken.Kind) throws(JSONError) {
    depth += 1
    guard depth <= limits.depth else {
      throw failure("more than \(limits.depth) levels of nesting", at: position)
    }
    let index = UInt32(tokenCount)
    append(JSONToken(offset: UInt32(position), length: 0, next: open, kind: kind))
    open = index
    position += 1
    skipBlanks()
  }

  private mutating func end() throws(JSONError) {
    let index = Int(open)
    let around = tokens[index].next
    if tokens[index].kind == .object, tokens[index].length > 1 { try refuseDuplicates(in: index) }
    tokens[index].next = UInt32(tokenCount)
    open = around
    depth -= 1
    position += 1
  }

  /// Scans a member name and the colon before its value.
  private mutating func name() throws(JSONError) {
    tokens[Int(open)].length += 1
    guard bytes[position] == UInt8(ascii: "\"") else { throw expected("a member name") }
    try string(.name)
    skipBlanks()
    guard bytes[position] == UInt8(ascii: ":") else { throw expected("a colon") }
    position += 1
    skipBlanks()
  }

  private mutating func literal(_ text: StaticString, _ kind: JSONToken.Kind) throws(JSONError) {
    let length = text.utf8CodeUnitCount
    for index in 0..<length where bytes[position + index] != text.utf8Start[index] { throw expected("a value") }
    append(JSONToken(offset: UInt32(position), length: UInt32(length), next: 0, kind: kind))
    position += length
  }

  private mutating func number() throws(JSONError) {
    let start = position
    var isWhole = true
    var hasExponent = false
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    if bytes[position] == UInt8(ascii: "0") {
      position += 1
      guard !isDigit else { throw failure("a number has a leading zero", at: start) }
    } else {
      try digits()
    }
    if bytes[position] == UInt8(ascii: ".") {
      isWhole = false
      position += 1
      try digits()
    }
    if bytes[position] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      hasExponent = true
      position += 1
      if bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
    let length = position - start
    // The greatest double has 309 digits before its decimal point, so only numbers that may exceed it are converted.
    if hasExponent || length > 308, JSONNode.double(bytes + start, length).isInfinite {
      throw failure("expected a number below 1.8e308", at: start)
    }
    append(
      JSONToken(
        offset: UInt32(start), length: UInt32(length), next: 0, kind: .number, isSimple: isWhole))
  }

  private var isDigit: Bool { bytes[position] &- UInt8(ascii: "0") <= 9 }

  private mutating func digits() throws(JSONError) {
    guard isDigit else { throw expected("a digit") }
    repeat { position += 1 } while isDigit
  }

  private mutating func string(_ kind: JSONToken.Kind) throws(JSONError) {
    let start = position + 1
    var index = start
    var isPlain = true
    var isASCII = true
    while true {
      // Check eight bytes at a time. A borrow can cause a false match only in a byte after a true one, and the first
      // match counts.
      let word = UInt64(littleEndian: UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self))
      let control = (word &- 0x2020_2020_2020_2020) & ~word
      let quote = Self.zeros(in: word ^ 0x2222_2222_2222_2222)
      let escape = Self.zeros(in: word ^ 0x5C5C_5C5C_5C5C_5C5C)
      let found = (word | control | quote | escape) & 0x8080_8080_8080_8080
      guard found != 0 else {
        index += 8
        continue
      }
      index += found.trailingZeroBitCount / 8
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        isPlain = false
        position = index + 1
        try escapeSequence()
        index = position
      } else if byte >= 0x80 {
        isASCII = false
        let length = Self.lengthOfCharacter(bytes + index)
        guard length > 0 else { throw failure("a string contains invalid UTF-8", at: index) }
        index += length
      } else {
        position = index
        throw index == count
          ? expected("the end of the string that begins at byte \(start - 1)")
          : expected("an escaped control character")
      }
    }
    guard index - start <= limits.stringBytes else {
      throw failure("a string is longer than \(limits.stringBytes) bytes", at: start - 1)
    }
    append(
      JSONToken(
        offset: UInt32(start), length: UInt32(index - start), next: 0, kind: kind, isPlain: isPlain,
        isSimple: isASCII))
    position = index + 1
  }

  /// Returns a word with the high bit of each zero byte set.
  private static func zeros(in word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }

  /// Returns the length of a UTF-8 sequence in bytes (Unicode, table 3-7), or 0 if it is invalid.
  private static func lengthOfCharacter(_ text: UnsafePointer<UInt8>) -> Int {
    func isTail(_ index: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool { range.contains(text[index]) }
    return switch text[0] {
    case 0xC2...0xDF: isTail(1) ? 2 : 0
    case 0xE0: isTail(1, 0xA0...0xBF) && isTail(2) ? 3 : 0
    case 0xE1...0xEC, 0xEE...0xEF: isTail(1) && isTail(2) ? 3 : 0
    case 0xED: isTail(1, 0x80...0x9F) && isTail(2) ? 3 : 0
    case 0xF0: isTail(1, 0x90...0xBF) && isTail(2) && isTail(3) ? 4 : 0
    case 0xF1...0xF3: isTail(1) && isTail(2) && isTail(3) ? 4 : 0
    case 0xF4: isTail(1, 0x80...0x8F) && isTail(2) && isTail(3) ? 4 : 0
    default: 0
    }
  }

  /// Scans the part of an escape sequence after the backslash.
  private mutating func escapeSequence() throws(JSONError) {
    switch bytes[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      let start = position - 1
      position += 1
      let code = try hexadecimal()
      if (0xD800..<0xDC00).contains(code), bytes[position] == UInt8(ascii: "\\"),
        bytes[position + 1] == UInt8(ascii: "u")
      {
        position += 2
        guard (0xDC00..<0xE000).contains(try hexadecimal()) else {
          throw failure("an unpaired surrogate in an escape", at: start)
        }
      } else if (0xD800..<0xE000).contains(code) {
        throw failure("an unpaired surrogate in an escape", at: start)
      }
    default: throw expected("an escape")
    }
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = JSONNode.hexadecimalDigit(bytes[position]) else { throw expected("a hexadecimal digit") }
      code = code << 4 | digit
      position += 1
    }
    return code
  }

  private mutating func skipBlanks() {
    while true {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  private mutating func append(_ token: JSONToken) {
    if tokenCount == capacity { grow() }
    tokens[tokenCount] = token
    tokenCount += 1
    // While an array or object is open, its `next` is the index of the enclosing one.
    if token.kind != .array, token.kind != .object { tokens[tokenCount - 1].next = UInt32(tokenCount) }
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<JSONToken>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: tokens, count: tokenCount)
    tokens.deallocate()
    tokens = larger
    capacity *= 2
  }
}

// MARK: - Duplicate names

extension JSONScanner {
  private func refuseDuplicates(in object: Int) throws(JSONError) {
    // Compare each name with the previous name first. This suffices for objects written by Trendy, whose names are in
    // ascending order.
    var isRising = true
    var areSimple = true
    var before = object + 1
    for _ in 1..<tokens[object].length {
      let name = Int(tokens[before + 1].next)
      if isRising, !isBelow(before, name) { isRising = false }
      if !tokens[before].isPlain || !tokens[before].isSimple { areSimple = false }
      before = name
    }
    if !tokens[before].isPlain || !tokens[before].isSimple { areSimple = false }
    guard !areSimple || !isRising else { return }
    var seen: Set<String> = []
    var name = object + 1
    for _ in 0..<tokens[object].length {
      let text = JSONNode.string(of: tokens[name], in: bytes)
      guard seen.insert(text).inserted else {
        throw failure(
          "duplicate member \"\(text.prefix(60))\" in an object", at: tokens[name].firstByte, inLast: false)
      }
      name = Int(tokens[name + 1].next)
    }
  }

  private func isBelow(_ left: Int, _ right: Int) -> Bool {
    let (left, right) = (tokens[left], tokens[right])
    let length = min(left.length, right.length)
    for index in 0..<Int(length) {
      let (a, b) = (bytes[Int(left.offset) + index], bytes[Int(right.offset) + index])
      if a != b { return a < b }
    }
    return left.length < right.length
  }
}

// MARK: - Errors

extension JSONScanner {
  private func expected(_ what: String, inLast: Bool = true) -> JSONError {
    failure(
      position >= count ? "unexpected end of the document, expected \(what)" : "expected \(what)", at: position,
      inLast: inLast)
  }

  private func failure(_ reason: String, at byte: Int, inLast: Bool = true) -> JSONError {
    JSONError(path: path(inLast: inLast), byte: byte, reason: reason)
  }

  /// Returns the path of the value that is being scanned, through all open arrays and objects.
  ///
  /// - Parameter inLast: whether the path includes the value in the innermost array or object.
  private func path(inLast: Bool) -> String {
    var around: [Int] = []
    var index = open
    while index != Self.none {
      around.append(Int(index))
      index = tokens[Int(index)].next
    }
    var path = ""
    for container in around.reversed() where tokens[container].length > 0 {
      if container == around.first, !inLast { break }
      guard tokens[container].kind == .object else {
        path += "[\(tokens[container].length - 1)]"
        continue
      }
      var name = container + 1
      for _ in 1..<tokens[container].length { name = Int(tokens[name + 1].next) }
      if name < tokenCount { JSONNode.append(JSONNode.string(of: tokens[name], in: bytes), to: &path) }
    }
    return path
  }
}
