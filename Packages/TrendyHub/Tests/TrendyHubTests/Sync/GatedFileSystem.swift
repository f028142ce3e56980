import Foundation
import TrendyPersistence

/// File system on the real disk that counts syncs and can block those in one directory.
///
/// @unchecked: all mutable state is accessed only while `changed` is locked.
final class GatedFileSystem: FileSystem, @unchecked Sendable {
  private let base = PosixFileSystem()
  private let changed = NSCondition()
  private var held: String?
  private var waiting = 0
  private var counts: [String: Int] = [:]

  /// Blocks every sync of a file in the directory until `release()`.
  func hold(_ folder: String) { changed.withLock { held = folder } }

  func release() {
    changed.withLock {
      held = nil
      changed.broadcast()
    }
  }

  var heldCount: Int { changed.withLock { waiting } }

  /// Returns the number of syncs that have begun on files in a directory.
  func syncs(below folder: String) -> Int {
    changed.withLock { counts.filter { $0.key.hasPrefix(folder) }.values.reduce(0, +) }
  }

  fileprivate func onSync(of path: String) {
    changed.withLock {
      counts[path, default: 0] += 1
      guard let held, path.hasPrefix(held) else { return }
      waiting += 1
      while self.held == held { changed.wait() }
      waiting -= 1
    }
  }

  func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile {
    GatedFile(base: try base.open(path, mode), path: path, files: self)
  }
  func names(inDirectory path: String) throws(FileSystemError) -> [String] { try base.names(inDirectory: path) }
  func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
  func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
  func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
  func pause(attempt: Int) -> Duration { base.pause(attempt: attempt) }
}

private final class GatedFile: OpenFile {
  private let base: any OpenFile
  private let path: String
  private let files: GatedFileSystem

  init(base: any OpenFile, path: String, files: GatedFileSystem) {
    self.base = base
    self.path = path
    self.files = files
  }

  func synchronize() throws(FileSystemError) {
    files.onSync(of: path)
    try base.synchronize()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
    try base.read(into: buffer, at: offset)
  }
  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    try base.write(buffer, at: offset)
  }
  func size() throws(FileSystemError) -> Int { try base.size() }
  func truncate(to size: Int) throws(FileSystemError) { try base.truncate(to: size) }
  func allocate(_ size: Int) throws(FileSystemError) { try base.allocate(size) }
  func isInPlace() throws(FileSystemError) -> Bool { try base.isInPlace() }
  func tryLock() throws(FileSystemError) -> Bool { try base.tryLock() }
  func unlock() throws(FileSystemError) { try base.unlock() }
  func map(size: Int) throws(FileSystemError) -> any MappedFile { try base.map(size: size) }
  func counter() throws(FileSystemError) -> (any SharedCounter)? { try base.counter() }
}
