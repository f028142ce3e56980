import CZlib

/// Incremental deflate decompressor.
///
/// Uses about 40 KiB of memory regardless of the amount of data. Not copyable, because zlib's state is not. Enforces no
/// limit: for untrusted data, check ``outputCount``, as ``decompress(_:as:limit:)``, ``GzipReader`` and ``ZipReader``
/// do.
public struct Inflater: ~Copyable, @unchecked Sendable {
  // Sendable: the state is accessible only through this value, which is never copied.
  private let stream: UnsafeMutablePointer<z_stream>
  private let format: CompressedFormat
  /// Number of input bytes since the start or the last ``reset()``.
  public private(set) var inputCount: Int64 = 0
  /// Number of output bytes since the start or the last ``reset()``.
  public private(set) var outputCount: Int64 = 0
  /// Whether the stream has ended with a valid checksum. Input after the end is not consumed.
  public private(set) var isFinished = false

  /// Creates a decompressor.
  public init(_ format: CompressedFormat) {
    self.format = format
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let code = inflateInit2_(stream, format.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    // The only other errors are a mismatched zlib version and lack of memory, which terminates a Swift program anyway.
    precondition(code == Z_OK, "zlib cannot decompress: error \(code)")
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Decompresses until the input is consumed, the output is full or the stream ends.
  /// - Returns: numbers of input bytes consumed and output bytes written. Both are 0 only if more input is needed or
  ///   the stream has ended.
  /// - Throws: ``ArchiveError/damaged(entry:reason:)``. Output written before the damage is valid, but no more follows.
  public mutating func inflate(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ArchiveError) -> (taken: Int, given: Int) {
    guard !isFinished, output.count > 0 else { return (0, 0) }
    // zlib counts in 32 bits. The next call processes the remainder.
    let available = min(input.count, Int(Int32.max))
    let capacity = min(output.count, Int(Int32.max))
    stream.pointee.next_in = input.baseAddress.map {
      UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self))
    }
    stream.pointee.avail_in = UInt32(available)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(capacity)
    let code = CZlib.inflate(stream, Z_NO_FLUSH)
    let taken = available - Int(stream.pointee.avail_in)
    let given = capacity - Int(stream.pointee.avail_out)
    inputCount += Int64(taken)
    outputCount += Int64(given)
    switch code {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isFinished = true
    case Z_NEED_DICT: throw .unsupported(entry: nil, reason: "it needs an external dictionary")
    case Z_DATA_ERROR: throw .damaged(entry: nil, reason: zlibMessage)
    default: preconditionFailure("zlib cannot decompress: error \(code)")
    }
    return (taken, given)
  }

  /// Starts a new stream, reusing the memory.
  public mutating func reset() {
    inflateReset(stream)
    inputCount = 0
    outputCount = 0
    isFinished = false
  }

  /// Decompresses bytes in one call, to at most `limit` bytes. Further members of a gzip stream are appended, as
  /// `gunzip` does.
  /// - Throws: ``ArchiveError`` for truncated or damaged data, for more than `limit` bytes, and for other data after
  ///   the end.
  public static func decompress(
    _ bytes: [UInt8], as format: CompressedFormat, limit: Int
  ) throws(ArchiveError) -> [UInt8] {
    var inflater = Inflater(format)
    var output: [UInt8] = []
    var position = 0
    var failure: ArchiveError?
    bytes.withUnsafeBytes { input in
      withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
        do throws(ArchiveError) {
          while true {
            let rest = UnsafeRawBufferPointer(rebasing: input[position...])
            let (taken, given) = try inflater.inflate(rest, into: buffer)
            position += taken
            guard given <= limit - output.count else {
              throw .exceedsLimit(entry: nil, reason: "it contains more than \(limit) bytes")
            }
            output.append(contentsOf: buffer[..<given])
            if inflater.isFinished {
              if position == input.count { return }
              guard format == .gzip, input[position] == 0x1F else {
                throw .damaged(entry: nil, reason: "unexpected data after the end of the compressed data")
              }
              inflater.reset()
            } else if taken == 0, given == 0 {
              throw .truncated(entry: nil, reason: "the compressed data is incomplete")
            }
          }
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    return output
  }

  private var zlibMessage: String {
    let text = stream.pointee.msg.map { String(cString: $0) } ?? "invalid data"
    return "the \(format.name) data is invalid (\(text))"
  }
}
