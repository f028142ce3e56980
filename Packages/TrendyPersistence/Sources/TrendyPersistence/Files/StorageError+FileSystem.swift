#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension StorageError {
  /// Converts a file system error to a store error.
  public init(_ error: FileSystemError) {
    switch error.code {
    case ENOSPC where error.operation == .watch: self = .failed(error)  // the system's limit of watches
    case ENOSPC, EDQUOT, EFBIG: self = .diskFull(path: error.path)
    case EACCES, EPERM: self = .permissionDenied(path: error.path)
    case EROFS: self = .readOnly(path: error.path)
    case ENOENT: self = .missing(path: error.path)
    // The parent of the path is not a directory.
    case ENOTDIR where error.operation != .createDirectory:
      self = .notAFolder(path: error.path.lastIndex(of: "/").map { String(error.path[..<$0]) } ?? error.path)
    case ENOTDIR, EISDIR: self = .notAFolder(path: error.path)
    case EEXIST where error.operation == .createDirectory: self = .notAFolder(path: error.path)
    default: self = .failed(error)
    }
  }
}

func storing<Result: ~Copyable>(_ body: () throws(FileSystemError) -> Result) throws(StorageError) -> Result {
  do { return try body() } catch { throw StorageError(error) }
}

extension FileSystem {
  /// Waits for a file's lock.
  /// - Throws: ``StorageError/busy(path:)`` with `path` if the lock is not released within `limit`.
  func take(_ lock: any OpenFile, of path: String, atMost limit: Duration) throws(StorageError) {
    var waited = Duration.zero
    var attempt = 0
    while try storing({ () throws(FileSystemError) in try !lock.tryLock() }) {
      guard waited < limit else { throw .busy(path: path) }
      waited += pause(attempt: attempt)
      attempt += 1
    }
  }
}

extension StorageError {
  /// Whether the process or the machine has run out of file descriptors. This is temporary, because descriptors become
  /// available as other files are closed.
  public var isShortOfDescriptors: Bool {
    guard case .failed(let error) = self else { return false }
    return error.code == EMFILE || error.code == ENFILE
  }
}
