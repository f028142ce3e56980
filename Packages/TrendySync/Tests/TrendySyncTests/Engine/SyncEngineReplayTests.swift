import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("SyncEngine on a seeded executor", .timeLimit(.minutes(10)))
struct SyncEngineReplayTests {
  /// Runs one job after the other on the caller's thread, in an order that follows from a seed.
  private final class ShufflingExecutor: TaskExecutor {
    private struct Content {
      var jobs: [UnownedJob] = []
      var generator: SeededGenerator
    }

    private let content: Mutex<Content>

    init(seed: UInt64) { content = Mutex(Content(generator: SeededGenerator(seed: seed))) }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      content.withLock { $0.jobs.append(job) }
    }

    /// Returns when nothing is left to run.
    func drain() {
      while true {
        let job = content.withLock { content -> UnownedJob? in
          guard !content.jobs.isEmpty else { return nil }
          return content.jobs.remove(at: Int.random(in: content.jobs.indices, using: &content.generator))
        }
        guard let job else { return }
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  private final class Served: Sendable {
    private let content = Mutex<[Int]>([])
    var callers: [Int] { content.withLock { $0 } }
    func append(_ caller: Int) { content.withLock { $0.append(caller) } }
  }

  /// Five callers at once, one of whom also queues; what the hub was asked and who was served, in order.
  private func trace(seed: UInt64) throws -> [String] {
    let device = Device()
    device.seedType()
    try device.record(events: 60)
    let executor = ShufflingExecutor(seed: seed)
    let payload = try WireJSON.encode(APIModelFixture.makeCreateEventRequest())
    let callers = 0..<5
    let served = Served()
    for caller in callers {
      Task(executorPreference: executor) {
        if caller == 3 {
          try await device.engine.queueMutation(
            entityType: .event, operation: .create, entityId: "evt-1", payload: payload)
        }
        await device.engine.performSync()
        served.append(caller)
      }
    }
    executor.drain()
    // Drained, and everyone is done: nothing ran anywhere else.
    #expect(served.callers.sorted() == Array(callers))
    #expect(device.store.storedPendingMutations.isEmpty)
    return device.network.operations.map { "\($0)" } + device.batchSizes.map { "\($0)" }
      + served.callers.map { "caller \($0)" }
  }

  @Test(
    "nothing runs beside the executor, and the same seed gives the same trace",
    arguments: 1...20 as ClosedRange<UInt64>)
  func replays(seed: UInt64) throws {
    #expect(try trace(seed: seed) == trace(seed: seed))
  }

  @Test func `other seeds give other orders`() throws {
    #expect(try Set((1...20 as ClosedRange<UInt64>).map { try trace(seed: $0) }).count > 1)
  }
}
