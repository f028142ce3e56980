#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Read-only view of another file system. Rejects every change with `EROFS`.
struct ReadOnlyFileSystem: FileSystem {
  let base: any FileSystem

  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile {
    guard mode == .read else { throw rejection(.open, path) }
    return try base.open(path, .read)
  }

  func names(inDirectory path: String) throws(FileSystemError) -> [String] { try base.names(inDirectory: path) }
  func pause(attempt: Int) -> Duration { base.pause(attempt: attempt) }
  func watch(
    directory path: String, onChange: @escaping @Sendable () -> Void
  ) throws(FileSystemError) -> any Sendable { try base.watch(directory: path, onChange: onChange) }

  func createDirectory(_ path: String) throws(FileSystemError) { throw rejection(.createDirectory, path) }
  func rename(_ path: String, to newPath: String) throws(FileSystemError) { throw rejection(.rename, path) }
  func remove(_ path: String) throws(FileSystemError) { throw rejection(.remove, path) }
  func syncDirectory(_ path: String) throws(FileSystemError) { throw rejection(.syncDirectory, path) }

  private func rejection(_ operation: FileSystemError.Operation, _ path: String) -> FileSystemError {
    FileSystemError(operation: operation, path: path, code: EROFS)
  }
}
