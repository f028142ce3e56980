import StorageTesting
import Synchronization
import TrendyPersistence

/// Disk that runs a closure just before chosen openings of a file.
final class IntrudedFileSystem: ForwardingFileSystem {
  let base: SimulatedFileSystem
  private let prefix: String
  private let intruded: Set<Int>
  private let openings = Mutex(0)
  private let intrude: @Sendable () -> Void

  init(
    _ base: SimulatedFileSystem, beforeOpenings openings: Set<Int>, of prefix: String,
    intrude: @escaping @Sendable () -> Void
  ) {
    self.base = base
    intruded = openings
    self.prefix = prefix
    self.intrude = intrude
  }

  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile {
    if path.hasPrefix(prefix) {
      let count = openings.withLock { count in
        count += 1
        return count
      }
      if intruded.contains(count) { intrude() }
    }
    return try base.open(path, mode)
  }
}
