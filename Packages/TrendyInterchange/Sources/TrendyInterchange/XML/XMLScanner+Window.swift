#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Manages the window onto the document: reads more bytes, searches, and converts offsets to lines and columns.
extension XMLScanner {
  /// Discards the bytes before the current position and reads more bytes after the rest.
  mutating func refill() throws(XMLProblem) {
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
        throw problem("a tag or text section is longer than \(Self.tokenLimit >> 20) MiB")
      }
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
      memcpy(larger, window, count)
      window.deallocate()
      window = larger
      capacity *= 2
    }
    guard let source else { preconditionFailure("a document in memory has no further input") }
    do {
      let got = try source(UnsafeMutableRawBufferPointer(start: window + count, count: capacity - count))
      count += got
      isAtEnd = got == 0
    } catch {
      sourceFailure = error
      isAtEnd = true
    }
  }

  mutating func skip(past end: StaticString, from: Int, what: String) throws(XMLProblem) {
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

  mutating func skipSpace() -> Bool {
    let from = position
    while position < count, isSpace(window[position]) { position += 1 }
    return position > from
  }

  func starts(with text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    return position + length <= count && memcmp(window + position, text.utf8Start, length) == 0
  }

  /// Whether the file ends too early to recognise `<!` as a comment, a CDATA section or a document type declaration.
  var isCutOff: Bool {
    let rest = bytes(position..<count)
    return ["<!--", "<![CDATA[", "<!DOCTYPE"].contains { $0.utf8.starts(with: rest) }
  }

  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    guard let found = memchr(window + range.lowerBound, Int32(byte), range.count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(window)
  }

  private func lastIndex(of byte: UInt8, before end: Int) -> Int? {
    var index = end - 1
    while index >= 0, window[index] != byte { index -= 1 }
    return index >= 0 ? index : nil
  }

  /// Returns the index of the first occurrence of either byte, or ``count`` if there is none. Compares eight bytes at a
  /// time.
  func firstIndex(of first: UInt8, or second: UInt8, from: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let firsts = ones &* UInt64(first)
    let seconds = ones &* UInt64(second)
    var index = from
    while index + 8 <= count {
      let word = UInt64(littleEndian: UnsafeRawPointer(window + index).loadUnaligned(as: UInt64.self))
      let left = word ^ firsts
      let right = word ^ seconds
      // The lowest set high bit identifies the first zero byte ("Bit Twiddling Hacks", S. E. Anderson).
      let found = ((left &- ones) & ~left | (right &- ones) & ~right) & highs
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < count, window[index] != first, window[index] != second { index += 1 }
    return index
  }

  /// Error that never leaves the scanner: the token extends beyond the window.
  var more: XMLProblem { XMLProblem(line: 0, column: 0, reason: "", isTruncated: true) }

  func insideTag() throws(XMLProblem) -> XMLProblem { truncated("inside the tag <\(try string(name))>") }

  /// Returns the error for a token that the end of the file truncates.
  func truncated(_ reason: String) -> XMLProblem {
    guard isAtEnd else { return more }
    let place = place(of: count)
    return XMLProblem(
      line: place.line, column: place.column, reason: "the file ends \(reason)", isTruncated: true)
  }

  func place(of offset: Int) -> (line: Int, column: Int) {
    let end = min(offset, count)
    let column = lastIndex(of: 0xA, before: end).map { end - $0 - 1 } ?? columnsBefore + end
    let isCounted = countedTo <= end
    let lines = (isCounted ? countedLines : 0) + lines(from: isCounted ? countedTo : 0, to: end)
    return (linesBefore + lines + 1, column + 1)
  }

  func lines(from start: Int, to end: Int) -> Int {
    var lines = 0
    var index = start
    while let found = firstIndex(of: 0xA, in: index..<end) {
      lines += 1
      index = found + 1
    }
    return lines
  }
}
