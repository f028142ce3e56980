import Synchronization
import Testing
import TrendyProtocols
import TrendyTesting

@Suite("SeededTaskExecutor", .timeLimit(.minutes(10)))
struct SeededTaskExecutorTests {
  /// Runs twenty tasks of five jobs each through an actor and returns the order of the jobs.
  private func order(seed: UInt64) async -> (lines: [String], steps: Int) {
    let executor = SeededTaskExecutor(seed: seed)
    let journal = Journal()
    await executor.run {
      await withTaskGroup { group in
        for task in 0..<20 {
          group.addTask {
            for piece in 0..<5 {
              await journal.add("\(task).\(piece)")
              await Task.yield()
            }
          }
        }
      }
    }
    return (await journal.lines, executor.steps)
  }

  @Test("the same seed gives the same order", arguments: 0..<20 as Range<UInt64>)
  func repeats(seed: UInt64) async {
    let first = await order(seed: seed)
    for _ in 0..<3 {
      let again = await order(seed: seed)
      #expect(again.lines == first.lines)
      #expect(again.steps == first.steps)
    }
    #expect(first.lines.count == 100)
  }

  @Test func `different seeds give different orders`() async {
    var orders: Set<[String]> = []
    for seed in 0..<20 as Range<UInt64> { orders.insert(await order(seed: seed).lines) }
    #expect(orders.count == 20)
  }

  @Test("a job of another task runs in the middle of synchronous code", arguments: 0..<20 as Range<UInt64>)
  func preempts(seed: UInt64) async {
    let executor = SeededTaskExecutor(seed: seed)
    let lines = Lines()
    await executor.run {
      await withTaskGroup { group in
        group.addTask {
          lines.add("begin")
          while executor.runAnother() {}
          lines.add("end")
        }
        group.addTask {
          lines.add("other")
          await Task.yield()
          lines.add("later")
        }
      }
    }
    let order = lines.all
    #expect(order.count == 4)
    // The job that ran in between has finished.
    #expect(order.last == "end" || order.first == "other")
    #expect(!executor.runAnother())
  }

  @Test func `the jobs of a task run in order`() async {
    let lines = await order(seed: 1).lines
    for task in 0..<20 {
      #expect(lines.filter { $0.hasPrefix("\(task).") } == (0..<5).map { "\(task).\($0)" })
    }
  }

  @Test func `one job runs at a time`() async {
    let gauge = Gauge()
    await SeededTaskExecutor(seed: 3).run {
      await withTaskGroup { group in
        for _ in 0..<50 {
          group.addTask {
            for _ in 0..<10 {
              gauge.enter()
              gauge.leave()
              await Task.yield()
            }
          }
        }
      }
    }
    #expect(gauge.most == 1)
  }

  @Test func `run returns the result of the body and rethrows its error`() async throws {
    #expect(await SeededTaskExecutor(seed: 0).run { 7 } == 7)
    await #expect(throws: TestError("no")) { try await SeededTaskExecutor(seed: 0).run { throw TestError("no") } }
  }

  @Test func `idle returns when no other job can run`() async {
    let executor = SeededTaskExecutor(seed: 5)
    let journal = Journal()
    let (gate, opener) = AsyncStream.makeStream(of: Void.self)
    await executor.run {
      async let one: Void = {
        for _ in 0..<100 { await Task.yield() }
        await journal.add("before the gate")
        for await _ in gate {}
        await journal.add("after the gate")
      }()
      await executor.idle()
      #expect(await journal.lines == ["before the gate"])
      opener.finish()
      await executor.idle()
      #expect(await journal.lines == ["before the gate", "after the gate"])
      await one
    }
    await executor.idle()
  }

  @Test("a clock on the executor waits for long work that does not use the clock", arguments: 0..<5 as Range<UInt64>)
  func clockIsExact(seed: UInt64) async {
    let executor = SeededTaskExecutor(seed: seed)
    await executor.run {
      let clock = ManualClock()
      let journal = Journal()
      await withTaskGroup { group in
        for name in ["a", "b"] {
          group.addTask {
            try? await clock.sleep(for: .seconds(name == "a" ? 2 : 1))  // never cancelled
            for _ in 0..<20 {
              var generator = SeededGenerator(seed: 0)
              for _ in 0..<20_000 { _ = generator.next() }
              await Task.yield()
            }
            await journal.add(name)
          }
        }
        await clock.advance(by: .seconds(1))
        #expect(await journal.lines == ["b"])
        await clock.advance(by: .seconds(1))
        #expect(await journal.lines == ["b", "a"])
      }
    }
  }

  @Test func `a clock on the executor also waits for sleepers on other executors`() async throws {
    try await SeededTaskExecutor(seed: 1).run {
      let clock = ManualClock()
      let journal = Journal()
      let elsewhere = Task.detached {
        try await clock.sleep(for: .seconds(1))
        await journal.add("awake")
      }
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(1))
      #expect(await journal.lines == ["awake"])
      try await elsewhere.value
    }
  }
}

/// Counts the tasks that are in the critical section at the same time.
private final class Gauge: Sendable {
  private let counts = Mutex((now: 0, most: 0))
  var most: Int { counts.withLock { $0.most } }
  func enter() {
    counts.withLock {
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
    for _ in 0..<1000 { _ = most }  // long enough to overlap with another task
  }
  func leave() { counts.withLock { $0.now -= 1 } }
}

private actor Journal {
  private(set) var lines: [String] = []
  func add(_ line: String) { lines.append(line) }
}

private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
