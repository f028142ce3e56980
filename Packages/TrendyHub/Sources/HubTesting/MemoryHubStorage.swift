import Foundation
import Synchronization
public import TrendyHub
public import TrendyPersistence

/// In-memory hub storage that satisfies the contract, for tests with many hubs.
///
/// @unchecked: `users` and `directory` are each accessed only under their lock.
public final class MemoryHubStorage: HubStorage, @unchecked Sendable {
  private var users = MemoryHubPeople()
  private var directory = MemoryHubDirectory()
  private let peopleLock = NSLock()
  private let directoryLock = NSLock()
  private let logs = Mutex<[String: MemoryTrackRows]>([:])

  private let epoch: String?

  /// Creates a storage.
  ///
  /// `epoch` is the storage's epoch, for tests in which several hubs share the storage. If it is `nil`, each hub start
  /// begins an epoch.
  public init(epoch: String? = nil) { self.epoch = epoch }

  public func read<Result>(user: String, _ body: (any HubReadTransaction) throws -> Result) throws -> Result {
    try peopleLock.withLock { users }.read(user, epoch: epoch, body)
  }

  public func write<Result>(user: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    try peopleLock.withLock { try users.write(user, epoch: epoch, body) }
  }

  public func erase(user: String) throws {
    peopleLock.withLock { users.erase(user) }
    logs.withLock { $0[user] = nil }
  }

  public func tracks(of user: String) throws -> any TrackRows {
    try peopleLock.withLock { try users.checkKept(user) }
    return logs.withLock { logs in
      let rows = logs[user] ?? MemoryTrackRows()
      logs[user] = rows
      return rows
    }
  }

  public func hasTracks(of user: String) throws -> Bool { logs.withLock { $0[user] != nil } }

  public func size(of user: String) throws -> Int64? { peopleLock.withLock { users }.size(of: user) }

  public func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
    try directoryLock.withLock { directory }.read(body)
  }

  public func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
    try directoryLock.withLock { try directory.write(body) }
  }
}
