#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Random-access source of bytes with a known length. ZIP archives need random access because their central directory
/// is at the end.
///
/// Copy data from a pipe to a temporary file first.
public protocol ArchiveSource: Sendable {
  /// Length in bytes.
  var count: Int64 { get }
  /// Reads bytes starting at `offset`.
  /// - Returns: number of bytes read, which is less than the buffer's length only at the end of the source.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
}

/// Archive in memory.
public struct ArchiveBytes: ArchiveSource, Hashable {
  /// Contents of the archive.
  public var bytes: [UInt8]

  /// Creates a source from bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Length in bytes.
  public var count: Int64 { Int64(bytes.count) }

  /// Copies bytes starting at `offset` and returns their number.
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard offset >= 0, offset < count else { return 0 }
    let range = Int(offset)..<min(bytes.count, Int(offset) + buffer.count)
    bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range])) }
    return range.count
  }
}

/// Archive in a file. The file is closed when the last reference is dropped.
public final class ArchiveFile: ArchiveSource {
  /// Path of the file.
  public let path: String
  /// Length of the file in bytes when it was opened.
  public let count: Int64
  private let descriptor: Int32

  /// Opens a regular file.
  ///
  /// - Throws: ``ArchiveError/system(path:operation:code:)``; ``ArchiveError/unsupported(entry:reason:)`` unless it is
  ///   a regular file.
  public init(path: String) throws(ArchiveError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system(path: path, operation: "opening", code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .system(path: path, operation: "checking its type", code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .unsupported(entry: nil, reason: "\(path) is not a regular file")
    }
    self.path = path
    self.descriptor = descriptor
    count = Int64(status.st_size)
  }

  deinit { close(descriptor) }

  /// Reads bytes starting at `offset` and returns their number, which is less than requested only at the end of the
  /// file.
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    var done = 0
    while done < buffer.count {
      let got = pread(descriptor, base + done, buffer.count - done, off_t(offset) + off_t(done))
      if got < 0 {
        if errno == EINTR { continue }
        throw .system(path: path, operation: "reading", code: errno)
      }
      if got == 0 { break }
      done += got
    }
    return done
  }
}
