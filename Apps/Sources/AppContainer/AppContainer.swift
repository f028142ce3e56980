public import AgentLink
public import TrendyAgent
public import TrendyFoundation
public import TrendyPersistence
public import TrendyProtocols
public import TrendySync

/// Components that need no network: the store and the connection to its agent.
public final class AppContainer: Sendable {
  /// The user's record in the store.
  public let record: DeviceRecord
  /// Connection to the store's agent.
  public let agent: AgentSignal

  /// Opens a store, creating it if it does not exist.
  ///
  /// `onSignal` is called after each saved change, with `true` if a running agent was notified.
  /// - Throws: `StorageError`.
  public init(
    storeDirectory: URL, clock: any TimeSource = SystemTime(), onSignal: @escaping @Sendable (Bool) -> Void = { _ in }
  ) throws {
    let agent = AgentSignal(storeDirectory: storeDirectory)
    self.agent = agent
    record = try DeviceRecord(directory: storeDirectory, clock: clock) { onSignal(agent.send()) }
  }

  /// Folder of the store.
  public var storeDirectory: URL { record.directory }
  public var clock: any TimeSource { record.clock }
  public var dataStoreFactory: DefaultDataStoreFactory { record.dataStoreFactory }
  public var recorder: Recorder { record.recorder }
  /// Returns a new unique id for an entity.
  public func makeID() -> String { record.makeID() }
  /// Returns a store for reading and writing entities.
  public func makeStore() -> any DataStoreProtocol { record.makeStore() }
  /// Returns a store that also supports paged queries.
  public func makeLocalStore() -> LocalStore { dataStoreFactory.makeLocalStore() }

  /// File that contains the store's account on a hub.
  public var accountFile: AccountFile { AccountFile(storeDirectory: storeDirectory) }
  /// File with the results of recent syncs.
  public var syncHistory: SyncHistoryFile { SyncHistoryFile(storeDirectory: storeDirectory) }
}
