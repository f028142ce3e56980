import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("SyncEngine with concurrent callers", .timeLimit(.minutes(10)))
struct SyncEngineTurnsTests {
  private final class Gate: Sendable {
    private struct Content {
      var isOpen = false
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let content = Mutex(Content())

    func pass() async {
      await withCheckedContinuation { continuation in
        let isOpen = content.withLock { content in
          if !content.isOpen { content.waiting.append(continuation) }
          return content.isOpen
        }
        if isOpen { continuation.resume() }
      }
    }

    func open() {
      let waiting = content.withLock { content in
        content.isOpen = true
        return content.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  private final class Counter: Sendable {
    private let content = Mutex((now: 0, most: 0))
    var most: Int { content.withLock { $0.most } }
    func enter() { content.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func leave() { content.withLock { $0.now -= 1 } }
  }

  private func waitUntil(_ isTrue: () async -> Bool) async {
    while await !isTrue() { await Task.yield() }
  }

  @Test func `concurrent calls never run two syncs at once`() async {
    let device = Device()
    let counter = Counter()
    device.network.beforeAnswering = { operation in
      if operation == .getEventTypes { counter.enter() }
      for _ in 0..<5 { await Task.yield() }
      if operation == .getChanges { counter.leave() }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<30 { group.addTask { await device.engine.performSync() } }
    }
    #expect(counter.most == 1)
    #expect(device.network.getChangesCalls.count <= 30)
  }

  @Test func `callers during a sync share one later sync`() async throws {
    let device = Device()
    device.seedType()
    let gate = Gate()
    device.network.beforeAnswering = { operation in if operation == .getChanges { await gate.pass() } }
    async let first: Void = device.engine.performSync()
    await waitUntil { device.network.getChangesCalls.count == 1 }
    // This mutation is too late for the current round, which has already pushed.
    let payload = try WireJSON.encode(APIModelFixture.makeCreateEventRequest())
    try await device.engine.queueMutation(
      entityType: .event, operation: .create, entityId: "evt-1", payload: payload)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<10 { group.addTask { await device.engine.performSync() } }
      for _ in 0..<100 { await Task.yield() }
      gate.open()
    }
    await first
    #expect(device.batchSizes == [1])
    #expect(device.network.getChangesCalls.count <= 3, "one round for the first, one for those who asked during it")
    #expect(device.store.storedPendingMutations.isEmpty)
  }

  @Test func `a cancelled caller does not cancel the sync of the others`() async {
    let device = Device()
    let gate = Gate()
    device.network.beforeAnswering = { operation in if operation == .getEventTypes { await gate.pass() } }
    let first = Task { await device.engine.performSync() }
    await waitUntil { device.network.getEventTypesCalls.count == 1 }
    let second = Task { await device.engine.performSync() }
    let third = Task { await device.engine.performSync() }
    for _ in 0..<100 { await Task.yield() }
    first.cancel()
    second.cancel()
    gate.open()
    await first.value
    await second.value
    await third.value
    #expect(device.network.getChangesCalls.count == 1)
    #expect(await device.engine.state == .idle)
    #expect(await device.engine.lastSyncTime != nil)
  }

  @Test func `a full resync waits for the current round and serves callers that arrived meanwhile`() async {
    let device = Device()
    let gate = Gate()
    device.network.beforeAnswering = { operation in if operation == .getChanges { await gate.pass() } }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await device.engine.performSync() }
      await waitUntil { device.network.getChangesCalls.count == 1 }
      group.addTask { await device.engine.forceFullResync() }
      for _ in 0..<100 { await Task.yield() }
      group.addTask { await device.engine.performSync() }
      for _ in 0..<100 { await Task.yield() }
      gate.open()
    }
    #expect(device.network.getAllEventsCalls.count == 1)
    #expect(device.network.getChangesCalls.count == 2)
  }

  @Test func `the engine creates its store on first use and again after a reset`() async {
    let device = Device()
    #expect(device.factory.makeDataStoreCalls == 0)
    await device.engine.loadInitialState()
    await device.engine.performSync()
    await device.engine.performSync()
    #expect(device.factory.makeDataStoreCalls == 1)
    await device.engine.resetDataStore()
    #expect(device.factory.makeDataStoreCalls == 1)
    await device.engine.performSync()
    #expect(device.factory.makeDataStoreCalls == 2)
    #expect(device.store.storedSyncCursor == 10)
  }
}
