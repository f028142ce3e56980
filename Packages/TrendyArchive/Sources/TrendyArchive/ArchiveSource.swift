#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Bytes of known length that can be read anywhere, as a ZIP archive needs: its directory is at its end.
///
/// A pipe cannot be; write it to a temporary file first.
public protocol ArchiveSource: Sendable {
  /// Bytes in all.
  var count: Int64 { get }
  /// Fills the buffer from `offset` on.
  /// - Returns: how many bytes there were; fewer than the buffer holds only at the end.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
}

/// An archive in memory.
public struct ArchiveBytes: ArchiveSource, Hashable {
  public var bytes: [UInt8]

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public var count: Int64 { Int64(bytes.count) }

  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard offset >= 0, offset < count else { return 0 }
    let range = Int(offset)..<min(bytes.count, Int(offset) + buffer.count)
    bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range])) }
    return range.count
  }
}

/// An archive in a file that stays open until the last reference to this is gone.
public final class ArchiveFile: ArchiveSource {
  public let path: String
  /// Bytes at the time of opening.
  public let count: Int64
  private let descriptor: Int32

  /// - Throws: ``ArchiveError/system(path:operation:code:)``; ``ArchiveError/unsupported(entry:reason:)`` for what is not a regular file.
  public init(path: String) throws(ArchiveError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system(path: path, operation: "opening", code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .system(path: path, operation: "looking at it", code: code)
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
