import CZlib

/// Incremental deflate compressor.
///
/// Uses about 256 KiB of memory regardless of the amount of data. Not copyable, because zlib's state is not.
///
/// ```swift
/// var deflater = Deflater(.gzip)
/// var compressed: [UInt8] = []
/// for part in parts { deflater.write(part, to: &compressed) }
/// deflater.finish(to: &compressed)
/// ```
public struct Deflater: ~Copyable, @unchecked Sendable {
  // Sendable: the state is accessible only through this value, which is never copied.
  private let stream: UnsafeMutablePointer<z_stream>
  private let format: CompressedFormat
  /// Number of input bytes since the start or the last ``reset()``.
  public private(set) var inputCount: Int64 = 0
  /// Number of output bytes since the start or the last ``reset()``.
  public private(set) var outputCount: Int64 = 0
  /// Whether the end of the stream has been written. After that, only ``reset()`` may be called.
  public private(set) var isFinished = false

  /// Creates a compressor.
  /// - Parameters:
  ///   - format: container format.
  ///   - level: compression level from 0 (none) and 1 (fastest) to 9 (smallest). The default in zlib is 6.
  public init(_ format: CompressedFormat, level: Int = 6) {
    precondition((0...9).contains(level), "invalid level \(level)")
    self.format = format
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let code = deflateInit2_(
      stream, Int32(level), Z_DEFLATED, format.windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    // The only other errors are a mismatched zlib version and lack of memory, which terminates a Swift program anyway.
    precondition(code == Z_OK, "zlib cannot compress: error \(code)")
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Compresses bytes and appends any output that is available.
  public mutating func write(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    run(bytes, Z_NO_FLUSH, &output)
  }

  /// Compresses bytes and appends any output that is available.
  public mutating func write(_ bytes: [UInt8], to output: inout [UInt8]) {
    bytes.withUnsafeBytes { run($0, Z_NO_FLUSH, &output) }
  }

  /// Appends all pending output, so that the receiver can decode everything written so far. Flushing reduces
  /// compression, so call this method at most once per message.
  public mutating func flush(to output: inout [UInt8]) {
    run(UnsafeRawBufferPointer(start: nil, count: 0), Z_SYNC_FLUSH, &output)
  }

  /// Appends the remaining output and the format's checksum.
  public mutating func finish(to output: inout [UInt8]) {
    run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH, &output)
  }

  /// Starts a new stream with the same settings, reusing the memory.
  public mutating func reset() {
    deflateReset(stream)
    inputCount = 0
    outputCount = 0
    isFinished = false
  }

  /// Compresses bytes in one call.
  public static func compress(_ bytes: [UInt8], as format: CompressedFormat, level: Int = 6) -> [UInt8] {
    var deflater = Deflater(format, level: level)
    var output: [UInt8] = []
    deflater.write(bytes, to: &output)
    deflater.finish(to: &output)
    return output
  }
}

extension Deflater {
  private static let step = 32 << 10

  private mutating func run(_ bytes: UnsafeRawBufferPointer, _ flush: Int32, _ output: inout [UInt8]) {
    precondition(!isFinished, "cannot write to a finished stream")
    var taken = 0
    let start = output.count
    repeat {
      // zlib counts in 32 bits.
      let part = min(bytes.count - taken, Int(Int32.max))
      stream.pointee.next_in = bytes.baseAddress.map {
        UnsafeMutablePointer(mutating: ($0 + taken).assumingMemoryBound(to: UInt8.self))
      }
      stream.pointee.avail_in = UInt32(part)
      taken += part
      let isLast = taken == bytes.count
      // A full buffer means that there is more output.
      while true {
        let code = append(isLast ? flush : Z_NO_FLUSH, to: &output)
        precondition(code != Z_STREAM_ERROR, "invalid zlib state")
        if code == Z_STREAM_END { isFinished = true }
        if stream.pointee.avail_out > 0 || isFinished { break }
      }
    } while taken < bytes.count
    stream.pointee.next_in = nil
    inputCount += Int64(bytes.count)
    outputCount += Int64(output.count - start)
  }

  private func append(_ flush: Int32, to output: inout [UInt8]) -> Int32 {
    let old = output.count
    let capacity = Self.step
    let stream = stream
    return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { buffer in
      stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(capacity)
      let code = deflate(stream, flush)
      output.reserveCapacity(old + capacity - Int(stream.pointee.avail_out))
      output.append(contentsOf: buffer[..<(capacity - Int(stream.pointee.avail_out))])
      stream.pointee.next_out = nil
      return code
    }
  }
}
