import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("SyncEngine on a seeded executor", .timeLimit(.minutes(10)))
struct SyncEngineReplayTests {
  /// Executor that runs one job at a time on the caller's thread, in an order determined by a seed.
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

  /// Runs five concurrent syncs, one of which also queues a mutation. Returns the requests and the callers in order.
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
    // All callers have finished, so no job ran on another executor.
    #expect(served.callers.sorted() == Array(callers))
    #expect(device.store.storedPendingMutations.isEmpty)
    return device.network.operations.map { "\($0)" } + device.batchSizes.map { "\($0)" }
      + served.callers.map { "caller \($0)" }
  }

  @Test(
    "all jobs run on the executor and the same seed gives the same trace",
    arguments: 1...20 as ClosedRange<UInt64>)
  func replays(seed: UInt64) throws {
    #expect(try trace(seed: seed) == trace(seed: seed))
  }

  @Test func `different seeds give different orders`() throws {
    #expect(try Set((1...20 as ClosedRange<UInt64>).map { try trace(seed: $0) }).count > 1)
  }
}
