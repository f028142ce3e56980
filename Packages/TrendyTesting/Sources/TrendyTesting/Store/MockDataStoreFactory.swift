import Synchronization
public import TrendyProtocols

/// Factory that always returns the same ``MockDataStore``, so that a test can inspect it.
///
/// A real factory creates a unit per caller. This factory supports a single caller, and the test may use the store only
/// while that caller is idle: see <doc:Mocking>.
///
/// `@unchecked Sendable` because the store is not `Sendable`. The factory assigns `mockStore` once and uses it only in
/// ``resetDataStore()`` and ``removeAll()``, which a test must call where it uses the store. A lock protects the
/// counts.
public final class MockDataStoreFactory: DataStoreFactory, @unchecked Sendable {
  /// Store returned to every caller.
  public let mockStore: MockDataStore
  private let calls = Mutex(0)
  private let orders = Mutex(0)

  /// Creates a factory for a store.
  public init(mockStore: MockDataStore) {
    self.mockStore = mockStore
  }

  /// Creates a factory with a new store.
  public convenience init() {
    self.init(mockStore: MockDataStore())
  }

  /// Number of calls to ``makeDataStore()``.
  public var makeDataStoreCallCount: Int { calls.withLock { $0 } }
  /// Whether ``makeDataStore()`` was called.
  public var makeDataStoreCalled: Bool { makeDataStoreCallCount > 0 }
  /// Same as ``makeDataStoreCallCount``, named like the counts of ``MockDataStore``.
  public var makeDataStoreCalls: Int { makeDataStoreCallCount }

  /// Number of calls to ``performMaintenance()``, which does nothing else.
  public var tidyUpCalls: Int { orders.withLock { $0 } }

  /// Records the call.
  public func performMaintenance() { orders.withLock { $0 += 1 } }

  /// Records the call and returns ``mockStore``.
  public func makeDataStore() -> any DataStoreProtocol {
    calls.withLock { $0 += 1 }
    return mockStore
  }

  /// Observes the saved data of the store, through units without the spy. ``removeAll()`` starts a new store, which
  /// earlier observers do not see.
  public func makeObserver() throws -> (any StoreObserver)? { try mockStore.otherUnits.makeObserver() }

  /// Clears the recorded calls of factory and store. Rows and injected errors are kept.
  public func resetDataStore() {
    calls.withLock { $0 = 0 }
    orders.withLock { $0 = 0 }
    mockStore.resetRecords()
  }

  /// Clears ``makeDataStoreCallCount`` and ``makeDataStoreCalled``, and nothing else.
  public func reset() { calls.withLock { $0 = 0 } }

  /// Clears the recorded calls of the factory and resets the store, including its rows; see ``MockDataStore/reset()``.
  public func removeAll() {
    resetDataStore()
    mockStore.reset()
  }
}
