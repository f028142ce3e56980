import Foundation
import Synchronization
public import TrendyHub
public import TrendyPersistence

/// Hub storage in memory that satisfies the contract, for tests with many hubs.
///
/// @unchecked: `people` and `directory` are each accessed only under their lock.
public final class MemoryHubStorage: HubStorage, @unchecked Sendable {
  private var people = MemoryHubPeople()
  private var directory = MemoryHubDirectory()
  private let peopleLock = NSLock()
  private let directoryLock = NSLock()
  private let logs = Mutex<[String: MemoryTrackRows]>([:])

  private let life: String?

  /// Creates a storage. `life` is its epoch, for tests in which several hubs share it; `nil` if each hub start begins
  /// an epoch.
  public init(life: String? = nil) { self.life = life }

  public func read<Result>(person: String, _ body: (any HubReading) throws -> Result) throws -> Result {
    try peopleLock.withLock { people }.read(person, life: life, body)
  }

  public func write<Result>(person: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    try peopleLock.withLock { try people.write(person, life: life, body) }
  }

  public func erase(person: String) throws {
    peopleLock.withLock { people.erase(person) }
    logs.withLock { $0[person] = nil }
  }

  public func tracks(of person: String) throws -> any TrackRows {
    try peopleLock.withLock { try people.checkKept(person) }
    return logs.withLock { logs in
      let rows = logs[person] ?? MemoryTrackRows()
      logs[person] = rows
      return rows
    }
  }

  public func hasTracks(of person: String) throws -> Bool { logs.withLock { $0[person] != nil } }

  public func size(of person: String) throws -> Int64? { peopleLock.withLock { people }.size(of: person) }

  public func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
    try directoryLock.withLock { directory }.read(body)
  }

  public func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
    try directoryLock.withLock { try directory.write(body) }
  }
}
