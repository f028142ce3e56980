import Synchronization
public import TrendyProtocols

/// Gives the same ``MockDataStore`` to everyone who asks, so that a test can look at what the code under test did with it.
///
/// A real factory gives each asker a unit of its own. With this one there is a single unit, so there may be a single asker,
/// and the test looks only while that one is at rest: see <doc:Mocking>.
///
/// It is `@unchecked Sendable` because a factory must be and the store is not: `mockStore` is set once and this class never
/// touches it but in ``reset()`` and ``resetDataStore()``, which the test calls from where it uses the store; the count is behind a lock.
public final class MockDataStoreFactory: DataStoreFactory, @unchecked Sendable {
  public let mockStore: MockDataStore
  private let calls = Mutex(0)
  private let orders = Mutex(0)

  public init(mockStore: MockDataStore) {
    self.mockStore = mockStore
  }

  /// With a store of its own.
  public convenience init() {
    self.init(mockStore: MockDataStore())
  }

  /// How often a store was asked for.
  public var makeDataStoreCallCount: Int { calls.withLock { $0 } }
  public var makeDataStoreCalled: Bool { makeDataStoreCallCount > 0 }
  /// As ``makeDataStoreCallCount``, by the name that the counts of ``MockDataStore`` have.
  public var makeDataStoreCalls: Int { makeDataStoreCallCount }

  /// How often the store was to be put in order; there is nothing to do.
  public var tidyUpCalls: Int { orders.withLock { $0 } }

  public func tidyUp() { orders.withLock { $0 += 1 } }

  public func makeDataStore() -> any DataStoreProtocol {
    calls.withLock { $0 += 1 }
    return mockStore
  }

  /// Forgets what was asked, of it and of the store; rows and injected errors stay.
  public func resetDataStore() {
    calls.withLock { $0 = 0 }
    orders.withLock { $0 = 0 }
    mockStore.resetRecords()
  }

  /// As new, the store too: see ``MockDataStore/reset()``.
  public func reset() {
    resetDataStore()
    mockStore.reset()
  }
}
