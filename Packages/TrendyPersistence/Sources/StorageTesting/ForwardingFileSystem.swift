public import TrendyPersistence

/// File system that forwards the calls it does not implement to a simulated file system.
public protocol ForwardingFileSystem: FileSystem {
  /// File system that receives the forwarded calls.
  var base: SimulatedFileSystem { get }
}

extension ForwardingFileSystem {
  public func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
  public func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile {
    try base.open(path, mode)
  }
  public func names(inDirectory path: String) throws(FileSystemError) -> [String] {
    try base.names(inDirectory: path)
  }
  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.rename(path, to: newPath)
  }
  public func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
  public func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
  public func pause(attempt: Int) -> Duration { base.pause(attempt: attempt) }
  public func watch(
    directory path: String, onChange: @escaping @Sendable () -> Void
  ) throws(FileSystemError) -> any Sendable { try base.watch(directory: path, onChange: onChange) }
}
