import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("SyncEngine state and history", .timeLimit(.minutes(10)))
struct SyncEngineStateTests {
  @Test func `a new engine is idle`() async {
    let device = Device()
    #expect(await device.engine.state == .idle)
    #expect(await device.engine.pendingCount == 0)
    #expect(await device.engine.lastSyncTime == nil)
  }

  @Test func `each state stream yields the current state, then every change`() async throws {
    let device = Device()
    device.seedType()
    try device.record(events: 60)
    let early = device.engine.states
    await device.engine.performSync()
    let late = device.engine.states
    var seen: [SyncState] = []
    for await state in early {
      seen.append(state)
      if state == .idle, seen.count > 1 { break }
    }
    #expect(
      seen == [
        .idle, .syncing(synced: 0, total: 60), .syncing(synced: 50, total: 60), .syncing(synced: 60, total: 60),
        .pulling, .idle,
      ])
    for await state in late {
      #expect(state == .idle)
      break
    }
  }

  @Test func `loading the initial state counts pending mutations`() async throws {
    let device = Device()
    device.seedType()
    try device.record(events: 3)
    await device.engine.loadInitialState()
    #expect(await device.engine.pendingCount == 3)
    try device.record(events: 5)
    #expect(await device.engine.getPendingCount() == 5)
    #expect(device.network.operations.isEmpty)
  }

  @Test func `a store that cannot be opened is reported with its error`() async {
    let device = Device()
    device.store.throwOnFetchAll = TestError("damaged at byte 12")
    await device.engine.loadInitialState()
    #expect(await device.engine.state.errorWords.contains("damaged at byte 12"))
    await device.engine.performSync()
    #expect(await device.engine.state.errorWords.contains("damaged at byte 12"))
    #expect(device.network.operations.isEmpty)
  }

  @Test func `the history records every round`() async throws {
    let history = History()
    let device = Device(history: history)
    device.seedType()
    try device.record(events: 2)
    device.setFeed([APIModelFixture.makeChangeEntry(id: 11, entityType: "geofence", entityId: "geo-1")], next: 11)
    await device.engine.performSync()
    device.network.getEventTypesResponses = [.failure(APIError.networkError("no route"))]
    await device.engine.performSync()
    let now = device.clock.now
    #expect(history.runs.count == 2)
    #expect(history.runs[0] == SyncRun(startedAt: now, endedAt: now, pushed: 2, pulled: 1, isTokenGood: true))
    #expect(history.runs[1].error?.contains("no route") == true && history.runs[1].isTokenGood == nil)
    #expect(history.runs[1].cause == .unanswered)
    device.network.getEventTypesResponses = [.failure(APIError.httpError(401))]
    await device.engine.performSync()
    #expect(history.runs[2].cause == .unauthorized)
    #expect(history.runs[2].isTokenGood == false && history.runs[2].nextTry == nil, "nothing comes by itself")
  }

  @Test func `a history recorder can request another round`() async {
    final class Eager: SyncHistoryRecording {
      let engine = Mutex<SyncEngine?>(nil)
      func record(_ run: SyncRun) async {
        let engine = engine.withLock { content in
          defer { content = nil }
          return content
        }
        await engine?.performSync()
      }
    }
    let history = Eager()
    let device = Device(history: history)
    history.engine.withLock { $0 = device.engine }
    await device.engine.performSync()
    #expect(device.network.getChangesCalls.count == 2)
  }
}
