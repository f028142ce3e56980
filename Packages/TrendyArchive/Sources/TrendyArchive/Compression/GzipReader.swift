/// Streaming reader for gzip files (RFC 1952) of any length with any number of members.
///
/// Zeros after the last member are padding, as written by `tar` and tape drives. Any other data after the last member
/// is an error.
public struct GzipReader: ~Copyable {
  /// Reads the next bytes of the compressed file into the buffer.
  /// - Returns: number of bytes, which is 0 only at the end of the file.
  public typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  private enum State {
    case member
    case between
    case finished
  }

  private let source: Source
  private let limits: ArchiveLimits
  private var inflater = Inflater(.gzip)
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var state = State.member
  private var hasMember = false
  private var taken: Int64 = 0
  private var given: Int64 = 0

  /// Creates a reader for a compressed source.
  public init(limits: ArchiveLimits = ArchiveLimits(), source: @escaping Source) {
    self.source = source
    self.limits = limits
    buffer = .allocate(byteCount: 64 << 10, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Reads the next decompressed bytes.
  /// - Returns: number of bytes, which is 0 only at the end, after all checksums have been verified.
  /// - Throws: ``ArchiveError``, and errors from the source.
  public mutating func read(into output: UnsafeMutableRawBufferPointer) throws -> Int {
    precondition(output.count > 0, "empty buffer")
    while state != .finished {
      if start == end {
        start = 0
        end = try source(buffer)
        taken += Int64(end)
        if end == 0 {
          if state == .between { break }
          throw hasMember || taken > 0
            ? ArchiveError.truncated(entry: nil, reason: "the gzip data is incomplete")
            : ArchiveError.notAnArchive(expected: "a gzip file")
        }
      }
      if state == .between {
        if try !beginMember() { continue }
      }
      let input = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      if !hasMember, inflater.inputCount == 0, input[0] != 0x1F {
        throw ArchiveError.notAnArchive(expected: "a gzip file")
      }
      let progress = try inflater.inflate(input, into: output)
      start += progress.taken
      given += Int64(progress.given)
      try limits.check(entry: nil, given: given, taken: taken)
      if inflater.isFinished {
        hasMember = true
        state = .between
      }
      if progress.given > 0 { return progress.given }
    }
    state = .finished
    return 0
  }

  /// Skips padding and starts the next member. Returns whether the buffer contains one.
  private mutating func beginMember() throws -> Bool {
    while start < end, buffer[start] == 0 { start += 1 }
    guard start < end else { return false }
    guard buffer[start] == 0x1F else {
      throw ArchiveError.damaged(entry: nil, reason: "unexpected data after the end of the gzip data")
    }
    inflater.reset()
    state = .member
    return true
  }
}

// Not `Sendable`, because the source closure is not.
@available(*, unavailable)
extension GzipReader: Sendable {}
