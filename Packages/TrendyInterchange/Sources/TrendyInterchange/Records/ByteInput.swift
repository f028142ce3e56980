/// Bytes of a file or a pipe, read in pieces; what was looked at can be read again.
public final class ByteInput {
  private let readPiece: () throws -> [UInt8]
  private var piece: [UInt8] = []
  private var index = 0
  private var isAtEnd = false

  /// - Parameter readPiece: gives the next bytes, as many as it likes; none at the end.
  public init(_ readPiece: @escaping () throws -> [UInt8]) { self.readPiece = readPiece }

  public convenience init(_ bytes: [UInt8]) {
    var rest: [UInt8]? = bytes
    self.init {
      defer { rest = nil }
      return rest ?? []
    }
  }

  /// - Parameters:
  ///   - source: fills a buffer with the next bytes and tells how many; 0 only at the end.
  ///   - size: of the buffer, in bytes.
  public convenience init(size: Int = 1 << 18, from source: @escaping ExportFiles.Source) {
    self.init {
      try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = try source(UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }

  /// The first bytes that nobody took, which stay: at least `count` unless there are fewer.
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

  /// Takes all bytes that are left.
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

  /// As ``rest()``, of files that have a size in reason.
  /// - Returns: `nil` where there are more than `limit` bytes.
  func rest(limit: Int) throws -> [UInt8]? {
    let bytes = try peek(limit + 1)
    return bytes.count > limit ? nil : try rest()
  }

  /// Takes the next bytes into the buffer.
  /// - Returns: how many; 0 only at the end.
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

  /// Takes a byte; `nil` at the end.
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

  /// Gives back the byte that ``next()`` took last.
  func giveBack() { index -= 1 }

  /// Shows bytes that nobody took, as many as there are in one piece, and takes those that `body` says; none where it says 0.
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

  /// Takes bytes up to a line feed, which is left out as is a carriage return before it; `nil` at the end.
  /// - Parameter limit: bytes; what a longer line has beyond them is dropped, and `isWhole` is false.
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
