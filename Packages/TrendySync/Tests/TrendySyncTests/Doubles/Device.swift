import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Device under test: an in-memory store, a scripted hub and the sync engine between them.
struct Device {
  let clock: ManualClock
  let network: MockNetworkClient
  let factory: MockDataStoreFactory
  let recorder: Recorder
  let engine: SyncEngine

  var store: MockDataStore { factory.mockStore }

  /// Creates a device. `cursor` is its initial cursor, or `nil` if it has never synced.
  init(
    cursor: Int64? = 10, seed: UInt64 = 1, clock: ManualClock = ManualClock(),
    configuration: SyncConfiguration = .init(),
    client: (MockNetworkClient) -> any NetworkClientProtocol = { $0 }, history: (any SyncHistoryRecording)? = nil
  ) {
    self.clock = clock
    network = MockNetworkClient(clock: clock)
    factory = MockDataStoreFactory(mockStore: MockDataStore(clock: clock))
    recorder = Recorder(dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: seed))
    engine = SyncEngine(
      networkClient: client(network), dataStoreFactory: factory, clock: clock,
      generator: SeededGenerator(seed: seed + 1),
      configuration: configuration, history: history)
    if let cursor { store.storedSyncCursor = cursor }
  }

  /// Returns a new engine on the same store, as after a restart of the program.
  func restarted(client: (any NetworkClientProtocol)? = nil) -> SyncEngine {
    SyncEngine(
      networkClient: client ?? network, dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: 3))
  }

  /// Adds a synced event type to the store.
  @discardableResult
  func seedType(_ id: String = "type-1") -> EventType {
    store.seedEventType(id: id) { $0.syncStatus = .synced }
  }

  @discardableResult
  func seedEvent(_ id: String = "evt-1", type: String = "type-1") -> Event {
    store.seedEvent(id: id, eventType: EventType(id: type, name: "", colorHex: "", iconName: "")) {
      $0.syncStatus = .synced
    }
  }

  func record(events count: Int, from first: Int = 0, type: String = "type-1") throws {
    for index in first..<(first + count) {
      try recorder.record(EventFixture.makeEvent(id: newEventId(index), eventTypeId: type))
    }
  }

  /// Sets the next feed page. The following pages are empty.
  func setFeed(_ changes: [ChangeEntry], next: Int64) {
    network.getChangesResponses = [
      .success(APIModelFixture.makeChangeFeedResponse(changes: changes, nextCursor: next))
    ]
  }

  var batchSizes: [Int] { network.createEventsBatchCalls.map(\.events.count) }
}

func newEventId(_ index: Int) -> String { "new-\(index)" }

let rateLimit = APIError.httpError(429)

func rateLimit(retryAfter: Duration) -> APIError {
  .problem(ProblemDetails(title: "Too many requests", status: 429), retryAfter: retryAfter)
}

extension SyncState {
  var isError: Bool { if case .error = self { true } else { false } }
  var errorWords: String { if case .error(let words) = self { words } else { "" } }
  var isRateLimited: Bool { if case .rateLimited = self { true } else { false } }
}

/// Client with scripted outcomes, which may contain versions like those of a Trendy hub.
struct VersionedClient: ForwardingNetworkClient {
  let base: MockNetworkClient
  let outcomes: @Sendable ([PendingMutation]) async throws -> [MutationOutcome]

  func push(_ mutations: [PendingMutation]) async throws -> [MutationOutcome] { try await outcomes(mutations) }
}

struct SignallingClient: ForwardingNetworkClient {
  let base: MockNetworkClient
  let signals: @Sendable () -> AsyncThrowingStream<Int64, any Error>

  func changeSignals() -> AsyncThrowingStream<Int64, any Error> { signals() }
}

final class History: SyncHistoryRecording {
  private let content = Mutex<[SyncRun]>([])
  var runs: [SyncRun] { content.withLock { $0 } }
  func record(_ run: SyncRun) async { content.withLock { $0.append(run) } }
}
