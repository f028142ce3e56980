/// Buffered sequential reader with lookahead for the bytes of a file or pipe.
public final class ByteInput {
  private let readPiece: () throws -> [UInt8]
  private var piece: [UInt8] = []
  private var index = 0
  private var isAtEnd = false

  /// Creates an input. `readPiece` returns the next bytes in chunks of any size, and an empty array at the end.
  public init(_ readPiece: @escaping () throws -> [UInt8]) { self.readPiece = readPiece }

  /// Creates an input from bytes in memory.
  public convenience init(_ bytes: [UInt8]) {
    var rest: [UInt8]? = bytes
    self.init {
      defer { rest = nil }
      return rest ?? []
    }
  }

  /// Creates an input that reads from a source in chunks of at most `size` bytes.
  public convenience init(size: Int = 1 << 18, from source: @escaping ExportFiles.Source) {
    self.init {
      try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = try source(UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }

  /// Returns the next bytes without consuming them: at least `count`, unless the input ends sooner.
  public func peek(_ count: Int) throws -> ArraySlice<UInt8> {
    while piece.count - index < count, !isAtEnd {
      let more = try readPiece()
      if more.isEmpty { isAtEnd = true }
      if index > 0 {
        piece.removeFirst(index)
        index = 0
      }
      piece += more
    }
    return piece[index...]
  }

  /// Returns all remaining bytes.
  public func rest() throws -> [UInt8] {
    var bytes = index == 0 ? piece : Array(piece[index...])
    piece = []
    index = 0
    while !isAtEnd {
      let more = try readPiece()
      if more.isEmpty { isAtEnd = true }
      bytes += more
    }
    return bytes
  }

  func rest(limit: Int) throws -> [UInt8]? {
    let bytes = try peek(limit + 1)
    return bytes.count > limit ? nil : try rest()
  }

  /// Reads the next bytes into the buffer and returns the number of bytes read. Returns 0 only at the end.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if index == piece.count {
      guard !isAtEnd else { return 0 }
      piece = try readPiece()
      index = 0
      guard !piece.isEmpty else {
        isAtEnd = true
        return 0
      }
    }
    let count = min(buffer.count, piece.count - index)
    piece.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[index..<(index + count)])) }
    index += count
    return count
  }

  /// Returns and consumes the next byte, or returns `nil` at the end.
  func next() throws -> UInt8? {
    if index == piece.count {
      guard !isAtEnd else { return nil }
      piece = try readPiece()
      index = 0
      guard !piece.isEmpty else {
        isAtEnd = true
        return nil
      }
    }
    defer { index += 1 }
    return piece[index]
  }

  /// Pushes the byte that ``next()`` last returned back to the input.
  func giveBack() { index -= 1 }

  /// Passes the buffered bytes to `body` and consumes as many as `body` returns. The buffer is empty only at the end.
  func withPiece<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> (count: Int, Result)) throws -> Result {
    if index == piece.count, !isAtEnd {
      piece = try readPiece()
      index = 0
      isAtEnd = piece.isEmpty
    }
    let (count, result) = try piece.withUnsafeBufferPointer { bytes in
      try body(UnsafeBufferPointer(rebasing: bytes[index...]))
    }
    index += count
    return result
  }

  /// Returns the next line without its line break (LF or CRLF), or `nil` at the end.
  ///
  /// A line of more than `limit` bytes is truncated, and `isWhole` is `false`.
  func line(limit: Int) throws -> (bytes: [UInt8], isWhole: Bool)? {
    var line: [UInt8] = []
    var isWhole = true
    var isAnything = false
    while true {
      if index == piece.count {
        guard !isAtEnd else { break }
        piece = try readPiece()
        index = 0
        guard !piece.isEmpty else {
          isAtEnd = true
          break
        }
      }
      isAnything = true
      let end = piece[index...].firstIndex(of: 0xA)
      let part = piece[index..<(end ?? piece.count)]
      line += part.prefix(max(0, limit - line.count))
      if line.count >= limit, !part.isEmpty { isWhole = false }
      index = end.map { $0 + 1 } ?? piece.count
      if end != nil { break }
    }
    guard isAnything else { return nil }
    if line.last == 0xD { line.removeLast() }
    return (line, isWhole)
  }
}

@available(*, unavailable)
extension ByteInput: Sendable {}
