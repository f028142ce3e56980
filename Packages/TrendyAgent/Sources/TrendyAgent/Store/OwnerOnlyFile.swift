public import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Small files that only their owner can read, such as the account and the sync history.
public enum OwnerOnlyFile: Sendable {
  /// System error of a failed write.
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

  /// Replaces the content of a file atomically: writes and flushes a temporary file, then renames it.
  /// - Parameters:
  ///   - url: The file.
  ///   - data: The new content.
  ///   - isDurable: Whether to wait until the file survives a power loss.
  /// - Throws: ``WriteError``; the file is then unchanged.
  public static func replace(_ url: URL, with data: Data, isDurable: Bool = true) throws(WriteError) {
    let path = url.path
    // Includes the process id, so that two processes do not write to the same temporary file.
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
    // The rename must survive a power loss as well: a token is issued only once.
    let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw WriteError(path: path, code: errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw WriteError(path: path, code: errno) }
  }
}
