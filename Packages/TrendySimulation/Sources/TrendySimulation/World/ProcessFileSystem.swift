import StorageTesting
import Synchronization
import TrendyPersistence

/// File system of one process. Once the process has ended, its remaining tasks can no longer access the disk.
final class ProcessFileSystem: FileSystem {
  private let base: SimulatedFileSystem
  private let dead = Mutex(false)

  init(_ disk: SimulatedFileSystem) { base = disk.anotherProcess() }

  var isDead: Bool { dead.withLock { $0 } }

  func end() {
    dead.withLock { $0 = true }
    base.kill()
  }

  func createDirectory(_ path: String) throws(FileSystemError) {
    try check(.createDirectory, path)
    try base.createDirectory(path)
  }

  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile {
    try check(.open, path)
    return try base.open(path, mode)
  }

  func names(inDirectory path: String) throws(FileSystemError) -> [String] {
    try check(.list, path)
    return try base.names(inDirectory: path)
  }

  func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try check(.rename, path)
    try base.rename(path, to: newPath)
  }

  func remove(_ path: String) throws(FileSystemError) {
    try check(.remove, path)
    try base.remove(path)
  }

  func syncDirectory(_ path: String) throws(FileSystemError) {
    try check(.syncDirectory, path)
    try base.syncDirectory(path)
  }

  func pause(attempt: Int) -> Duration { .milliseconds(50) }

  func watch(directory path: String, onChange: @escaping @Sendable () -> Void) throws(FileSystemError) -> any Sendable {
    try check(.watch, path)
    return try base.watch(directory: path, onChange: onChange)
  }

  private func check(_ operation: FileSystemError.Operation, _ path: String) throws(FileSystemError) {
    if isDead { throw FileSystemError(operation: operation, path: path, code: 5) }
  }
}
