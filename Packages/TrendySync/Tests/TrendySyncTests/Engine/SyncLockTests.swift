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

  /// Lock that is released with its last reference, like a file lock.
  private final class Lock: Sendable {
    let release: @Sendable () -> Void
    init(release: @escaping @Sendable () -> Void) { self.release = release }
    deinit { release() }
  }

  var given: Int { content.withLock { $0.given } }
  var isTaken: Bool { content.withLock { $0.isTaken } }
  func letGo() { content.withLock { $0.isTaken = false } }

  func makeDataStore() -> any DataStoreProtocol { base.makeDataStore() }

  func lockForSync() throws -> (any Sendable)? {
    content.withLock { content -> (any Sendable)? in
      if content.isTaken { return nil }
      content.given += 1
      content.isTaken = true
      return Lock { [self] in letGo() }
    }
  }
}

/// Runs an action while a selected request to a hub waits for its response.
private final class RequestHook: Sendable {
  private let content: Mutex<(count: Int, target: Int)>

  init(request: Int) { content = Mutex((0, request)) }

  var count: Int { content.withLock { $0.count } }

  func pass(_ action: () async -> Void) async {
    let isTarget = content.withLock { content in
      content.count += 1
      return content.count == content.target
    }
    if isTarget { await action() }
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

  /// Requests 1 to 4 are the health check, the push of a type, the push of an event, and the pull. The total includes
  /// the round of the other process, which has nothing to push during request 4.
  @Test(
    "suspend() releases the lock during each request, and the response is discarded",
    arguments: zip(1...4, [5, 7, 7, 6]))
  func suspension(request: Int, total: Int) async throws {
    factory.letGo()
    factory.base.mockStore.storedSyncCursor = 10
    let recorder = Recorder(dataStoreFactory: factory, clock: ManualClock())
    let type = EventType(id: "coffee", name: "Coffee", colorHex: "#6F4E37", iconName: "cup")
    try recorder.record(type)
    try recorder.log(type)
    let engine = SyncEngine(networkClient: network, dataStoreFactory: factory, clock: ManualClock())
    let otherProcess = SyncEngine(networkClient: network, dataStoreFactory: factory, clock: ManualClock())
    let hook = RequestHook(request: request)
    network.beforeAnswering = { [factory] _ in
      await hook.pass {
        #expect(factory.isTaken)
        await engine.suspend()
        #expect(!factory.isTaken)
        await otherProcess.performSync()
        #expect(await otherProcess.lastFailure == nil)
      }
    }

    await engine.performSync()
    #expect(factory.given == 2, "the other process has synced")
    #expect(await engine.lastFailure == .cancelled)
    let requests = hook.count
    #expect(requests == total, "no request follows the discarded response")
    #expect(try factory.base.mockStore.fetchPendingMutations().isEmpty)

    await engine.performSync()
    #expect(hook.count == requests, "a suspended engine makes no round")
    await #expect(throws: SyncFailure.cancelled) { try await engine.skipToLatestCursor() }

    await engine.resume()
    await engine.performSync()
    #expect(await engine.lastFailure == nil)
    #expect(hook.count > requests)
    #expect(!factory.isTaken)
  }
}
