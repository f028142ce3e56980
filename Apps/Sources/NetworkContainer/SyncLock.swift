import AppContainer
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One sync at a time on a store, over all processes: held while a round runs, freed by the kernel when its holder dies.
final class SyncLock: Sendable {
  private let descriptor: Int32

  /// `nil` while another process syncs.
  init?(storeDirectory: URL) throws(OwnerOnlyFile.WriteError) {
    let path = storeDirectory.appending(path: "sync.lock").path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OwnerOnlyFile.WriteError(path: path, code: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }
}
