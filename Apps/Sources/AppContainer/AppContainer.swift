#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Synchronization
import TrendyModels
public import TrendyPersistence
public import TrendyProtocols
public import TrendySync

/// Composes what needs no network: the store, the recorder on it, what imports.
public final class AppContainer: Sendable {
  public let storeDirectory: URL
  public let clock: any TimeSource
  public let dataStoreFactory: DefaultDataStoreFactory
  public let recorder: Recorder
  private let ids = Mutex(UUIDv7.Generator())

  /// Opens the store, or makes it where there is none.
  /// - Throws: `StorageError`.
  public init(storeDirectory: URL, clock: any TimeSource = SystemTime()) throws {
    self.storeDirectory = storeDirectory
    self.clock = clock
    dataStoreFactory = try DefaultDataStoreFactory(directory: storeDirectory)
    recorder = Recorder(dataStoreFactory: dataStoreFactory, clock: clock, generator: SystemRandomNumberGenerator())
  }

  /// Whether a store stands in the folder.
  public static func storeExists(at directory: URL) -> Bool {
    FileManager.default.fileExists(atPath: directory.appending(path: "manifest").path)
  }

  /// A new id, above every one before it in this process.
  public func makeID() -> String {
    var generator = SystemRandomNumberGenerator()
    return ids.withLock { $0.next(at: clock.now, using: &generator).description }
  }

  /// A step of what keeps the store quick to open, for when nobody waits.
  ///
  /// - Returns: whether there may be more to do at once.
  public func maintainStore() throws -> Bool { try dataStoreFactory.maintain() }

  public func makeStore() -> any DataStoreProtocol { dataStoreFactory.makeDataStore() }

  public var accountFile: AccountFile { AccountFile(storeDirectory: storeDirectory) }
  public var syncHistory: SyncHistoryFile { SyncHistoryFile(storeDirectory: storeDirectory) }
  public var agent: AgentSignal { AgentSignal(storeDirectory: storeDirectory) }
}
