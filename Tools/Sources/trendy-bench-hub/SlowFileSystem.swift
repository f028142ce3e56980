import Foundation
import Synchronization
import TrendyPersistence

/// The real file system with a sync counter and, optionally, a delay of 200 ms for each sync.
final class SlowFileSystem: FileSystem {
  private let base = PosixFileSystem()
  private let isSlow = Mutex(false)
  private let counts = Mutex<[String: Int]>([:])

  func slowDown() { isSlow.withLock { $0 = true } }

  func syncs(below folder: String) -> Int {
    counts.withLock { $0.filter { $0.key.hasPrefix(folder) }.values.reduce(0, +) }
  }

  fileprivate func onSync(of path: String) {
    counts.withLock { $0[path, default: 0] += 1 }
    if isSlow.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.2) }
  }

  func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile {
    SlowFile(base: try base.open(path, mode), path: path, files: self)
  }
  func names(inDirectory path: String) throws(FileSystemError) -> [String] { try base.names(inDirectory: path) }
  func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
  func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
  func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
  func pause(attempt: Int) -> Duration { base.pause(attempt: attempt) }
}

private final class SlowFile: OpenFile {
  private let base: any OpenFile
  private let path: String
  private let files: SlowFileSystem

  init(base: any OpenFile, path: String, files: SlowFileSystem) {
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
