public import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Small files that only their owner may read: an account, a history.
public enum OwnerOnlyFile: Sendable {
  /// What the system said of a file that could not be written.
  public struct WriteError: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String
    public let code: Int32

    public init(path: String, code: Int32) {
      self.path = path
      self.code = code
    }

    public var description: String { "\(path) cannot be written: \(String(cString: strerror(code)))" }
  }

  /// Makes `data` the whole content of the file, or leaves it as it was: written and flushed beside it, then renamed.
  /// Where it is not durable, a power cut may take it, and nothing waits for the disk.
  public static func replace(_ url: URL, with data: Data, isDurable: Bool = true) throws(WriteError) {
    let path = url.path
    // Of this process alone: two that replace the file at once must not write into one temporary file.
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
    // The new name has to outlive a power cut as well: a token is given once.
    let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw WriteError(path: path, code: errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw WriteError(path: path, code: errno) }
  }
}
