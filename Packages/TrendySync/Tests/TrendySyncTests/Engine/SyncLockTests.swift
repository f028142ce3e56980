import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Factory whose sync lock is held by another program until ``letGo()`` is called.
private final class ContestedFactory: DataStoreFactory {
  let base = MockDataStoreFactory()
  private let content = Mutex((isTaken: true, given: 0))

  var given: Int { content.withLock { $0.given } }
  func letGo() { content.withLock { $0.isTaken = false } }

  func makeDataStore() -> any DataStoreProtocol { base.makeDataStore() }

  func lockForSync() throws -> (any Sendable)? {
    content.withLock { content -> (any Sendable)? in
      if content.isTaken { return nil }
      content.given += 1
      return content.given
    }
  }
}

@Suite("Sync lock of a store", .timeLimit(.minutes(10)))
struct SyncLockTests {
  private let factory = ContestedFactory()
  private let network = MockNetworkClient()

  @Test func `an engine does not sync while another program syncs the store`() async throws {
    let engine = SyncEngine(networkClient: network, dataStoreFactory: factory, clock: ManualClock())
    await engine.performSync()
    #expect(await engine.lastFailure == .elsewhere)
    #expect(network.getEventTypesCalls.isEmpty && network.getChangesCalls.isEmpty, "the hub is not asked")
    await #expect(throws: SyncFailure.elsewhere) { try await engine.skipToLatestCursor() }
    factory.letGo()
    await engine.performSync()
    #expect(await engine.lastFailure == nil)
    #expect(factory.given == 1, "one for the round")
  }

  @Test func `an engine uses the lock that its caller already holds`() async throws {
    let engine = SyncEngine(networkClient: network, dataStoreFactory: factory, clock: ManualClock(), syncLock: 1)
    await engine.performSync()
    #expect(await engine.lastFailure == nil)
    #expect(factory.given == 0)
  }
}
