public import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes small files that only their owner can read, such as the account and the sync history.
public enum OwnerOnlyFile: Sendable {
  /// Error thrown if a write fails.
  public struct WriteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Path of the file.
    public let path: String
    /// Value of `errno`.
    public let code: Int32

    public init(path: String, code: Int32) {
      self.path = path
      self.code = code
    }

    public var description: String { "cannot write \(path): \(String(cString: strerror(code)))" }
  }

  /// Replaces a file atomically: writes and flushes a temporary file, then renames it.
  /// - Parameters:
  ///   - url: File to replace.
  ///   - data: New content.
  ///   - isDurable: Whether to wait until the new content would survive a power failure.
  /// - Throws: ``WriteError``. In this case, the file is unchanged, unless only flushing the directory failed.
  public static func replace(_ url: URL, with data: Data, isDurable: Bool = true) throws(WriteError) {
    let path = url.path
    // The process id prevents two processes from writing to the same temporary file.
    let temporary = "\(path).new-\(getpid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw WriteError(path: path, code: errno) }
    var failure: Int32 = 0
    data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty, failure == 0 {
        let base = UnsafeRawBufferPointer(rebasing: rest)
        let written = write(descriptor, base.baseAddress, base.count)
        if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR { failure = errno }
      }
    }
    if failure == 0, isDurable, fsync(descriptor) != 0 { failure = errno }
    if close(descriptor) != 0, failure == 0 { failure = errno }
    if failure == 0, rename(temporary, path) != 0 { failure = errno }
    if failure != 0 {
      unlink(temporary)
      throw WriteError(path: path, code: failure)
    }
    guard isDurable else { return }
    // Flush the directory so that the rename survives a power failure, because the hub issues a token only once.
    let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw WriteError(path: path, code: errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw WriteError(path: path, code: errno) }
  }
}
