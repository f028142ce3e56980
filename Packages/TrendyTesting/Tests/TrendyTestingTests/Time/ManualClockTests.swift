import Synchronization
import Testing
import TrendyFoundation
import TrendyProtocols
import TrendyTesting

@Suite("ManualClock", .timeLimit(.minutes(10)))
struct ManualClockTests {
  @Test func `the clock begins in 2024 and does not advance by default`() async {
    let clock = ManualClock()
    #expect(clock.now == Date(timeIntervalSince1970: 1_704_067_200))
    #expect(clock.uptime == .zero)
    for _ in 0..<100 { await Task.yield() }
    #expect(clock.now == Date(timeIntervalSince1970: 1_704_067_200))
  }

  @Test func `advancing changes date and uptime equally`() async {
    let clock = ManualClock(now: Date(timeIntervalSince1970: 100))
    await clock.advance(by: .milliseconds(1500))
    #expect(clock.now == Date(timeIntervalSince1970: 101.5))
    #expect(clock.uptime == .milliseconds(1500))
  }

  @Test func `a date is the exact sum of all steps`() async {
    let clock = ManualClock()
    for _ in 0..<100 { await clock.advance(by: .nanoseconds(10_000_001)) }
    #expect(clock.now == DeterministicDate.jan1_2024.addingTimeInterval(1.000_000_1))
  }

  @Test func `time does not decrease`() async {
    let clock = ManualClock()
    await clock.advance(by: .seconds(5))
    await clock.advance(by: .seconds(-3))
    #expect(clock.uptime == .seconds(5))
  }

  @Test func `setting the date does not change the uptime and wakes no task`() async throws {
    let clock = ManualClock()
    await clock.advance(by: .seconds(100))
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    clock.setDate(DeterministicDate.make(year: 2025, month: 1, day: 1))
    await clock.advance(by: .milliseconds(999))
    #expect(clock.sleeperCount == 1)
    #expect(clock.uptime == .milliseconds(100_999))
    #expect(clock.now == DeterministicDate.make(year: 2025, month: 1, day: 1).addingTimeInterval(0.999))
    await clock.advance(by: .milliseconds(1))
    try await sleeper.value
  }

  @Test("a sleeper wakes at its deadline and not before", arguments: [4_999, 5_000, 5_001])
  func wakesInTime(milliseconds: Int) async {
    let clock = ManualClock()
    let log = Log()
    let sleeper = Task {
      try await clock.sleep(for: .seconds(5))
      log.add("awake")
    }
    await clock.advance(by: .milliseconds(milliseconds))
    #expect(log.entries == (milliseconds < 5_000 ? [] : ["awake"]))
    sleeper.cancel()
  }

  @Test func `sleepers wake in order of their deadlines`() async {
    let clock = ManualClock()
    let log = Log()
    await withTaskGroup { group in
      for seconds in [3, 1, 2, 5, 4] {
        group.addTask {
          try? await clock.sleep(for: .seconds(seconds))  // never cancelled
          log.add("\(seconds) at \(clock.uptime)")
        }
      }
      await clock.waitForSleepers(5)
      await clock.advance(by: .seconds(10))
      #expect(log.entries == (1...5).map { "\($0) at \(Duration.seconds($0))" })
    }
  }

  @Test func `sleepers with equal deadlines wake in order of arrival`() async {
    let clock = ManualClock()
    let log = Log()
    await withTaskGroup { group in
      for name in 0..<20 {
        group.addTask {
          try? await clock.sleep(for: .seconds(1))  // never cancelled
          log.add("\(name)")
        }
        await clock.waitForSleepers(name + 1)
      }
      await clock.advance(by: .seconds(1))
    }
    #expect(log.entries == (0..<20).map { "\($0)" })
  }

  @Test func `a task that sleeps again within the span wakes again within it`() async {
    let clock = ManualClock()
    let log = Log()
    let ticker = Task {
      while true {
        try await clock.sleep(for: .seconds(10))
        log.add("\(clock.uptime)")
      }
    }
    await clock.advance(by: .seconds(35))
    #expect(log.entries == [10, 20, 30].map { "\(Duration.seconds($0))" })
    await clock.advance(by: .seconds(5))
    #expect(log.entries.count == 4)
    ticker.cancel()
  }

  @Test func `a woken task has finished its work on actors when advance returns`() async {
    let clock = ManualClock()
    let one = Counter()
    let other = Counter()
    let task = Task {
      try await clock.sleep(for: .seconds(1))
      for _ in 0..<50 {
        await one.add()
        await Task { await other.add() }.value
      }
      await one.finish()
    }
    await clock.advance(by: .seconds(1))
    #expect(await one.isFinished)
    #expect(await other.count == 50)
    task.cancel()
  }

  @Test func `sleeping for zero returns immediately`() async throws {
    let clock = ManualClock()
    try await clock.sleep(for: .zero)
    try await clock.sleep(for: .seconds(-1))
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a cancelled sleeper throws immediately`() async {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleeperCount == 0)
    #expect(clock.uptime == .zero)
  }

  @Test func `a task cancelled before sleeping does not sleep`() async {
    let clock = ManualClock()
    let sleeper = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test("cancelling while the clock advances ends every sleep exactly once", arguments: 0..<20 as Range<UInt64>)
  func cancelsWhileMoving(seed: UInt64) async {
    var generator = SeededGenerator(seed: seed)
    let clock = ManualClock()
    let sleepers = (1...50).map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
    let doomed = sleepers.shuffled(using: &generator).prefix(25)
    async let cancelling: Void = { for sleeper in doomed { sleeper.cancel() } }()
    await clock.advance(by: .seconds(25))
    await cancelling
    await clock.advance(by: .seconds(25))
    for sleeper in sleepers { _ = await sleeper.result }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `the clock reports the number of sleepers and the next deadline`() async {
    let clock = ManualClock()
    #expect(clock.nextDeadline == nil)
    let sleepers = [7, 3].map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
    await clock.waitForSleepers(2)
    #expect(clock.nextDeadline == .seconds(3))
    await clock.advance(by: .seconds(1))
    #expect(clock.nextDeadline == .seconds(2))
    await clock.advance(by: .seconds(6))
    for sleeper in sleepers { _ = await sleeper.result }
    #expect(clock.nextDeadline == nil)
  }
}

private final class Log: Sendable {
  private let lines = Mutex<[String]>([])
  var entries: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

private actor Counter {
  private(set) var count = 0
  private(set) var isFinished = false
  func add() { count += 1 }
  func finish() { isFinished = true }
}
