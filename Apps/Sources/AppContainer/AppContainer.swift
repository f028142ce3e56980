public import AgentLink
public import TrendyAgent
public import TrendyFoundation
public import TrendyPersistence
public import TrendyProtocols
public import TrendySync

/// Composes the parts that need no network: the store and the connection to its agent.
public final class AppContainer: Sendable {
  /// The user's record on this device.
  public let record: DeviceRecord
  /// Notifies the agent of the store.
  public let agent: AgentSignal

  /// Opens the store, or creates it.
  /// - Parameters:
  ///   - storeDirectory: folder of the store.
  ///   - clock: source of the time.
  ///   - onSignal: called after each change with whether an agent was notified.
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
  /// Returns a new id for an entity.
  public func makeID() -> String { record.makeID() }
  /// Returns a store for reading and writing entities.
  public func makeStore() -> any DataStoreProtocol { record.makeStore() }
  /// Returns the store with the paged queries of file stores.
  public func makeLocalStore() -> LocalStore { dataStoreFactory.makeLocalStore() }

  /// Account of the store on its hub.
  public var accountFile: AccountFile { AccountFile(storeDirectory: storeDirectory) }
  /// Results of the last sync rounds.
  public var syncHistory: SyncHistoryFile { SyncHistoryFile(storeDirectory: storeDirectory) }
}
