import Foundation
import Synchronization

/// Executor that runs jobs one at a time, in an order determined by a seed.
///
/// The next job is chosen at random from all ready jobs. Many seeds therefore cover many interleavings, and a given
/// seed always reproduces the same interleaving:
/// ```swift
/// @Test(arguments: 0..<100 as Range<UInt64>)
/// func `an edit during a push is kept`(seed: UInt64) async throws {
///   try await SeededTaskExecutor(seed: seed).run {
///     async let round: Void = engine.performSync()
///     try await recorder.edit(eventId: "evt-1") { $0.notes = "later" }
///     await round
///   }
/// }
/// ```
/// The executor runs everything inside ``run(_:)``: its body, `async let`, task groups, and actors without a custom
/// executor that are called from there. An unstructured `Task { }` runs elsewhere, in any order, unless it is created
/// with `Task(executorPreference:)`. Code that waits for a real clock, a file or a socket also resumes elsewhere.
public final class SeededTaskExecutor: TaskExecutor, Sendable {
  private struct State {
    var jobs: [UnownedJob] = []
    var generator: SeededGenerator
    var isRunning = false
    var idleWaiters: [CheckedContinuation<Void, Never>] = []
    var steps = 0

    mutating func takeJob() -> UnownedJob? {
      if jobs.isEmpty { return nil }
      steps += 1
      return jobs.remove(at: Int.random(in: jobs.indices, using: &generator))
    }
  }

  private enum Next {
    case run(UnownedJob)
    case tell(CheckedContinuation<Void, Never>)
    case stop
  }

  /// Executor that runs the current task inside ``run(_:)``.
  @TaskLocal static var current: SeededTaskExecutor?

  private let state: Mutex<State>

  /// Creates an executor. Any seed is valid.
  public init(seed: UInt64) {
    state = Mutex(State(generator: SeededGenerator(seed: seed)))
  }

  /// Number of jobs run so far. Reproducible for a given seed when read inside ``run(_:)``, because tasks that the body
  /// did not await continue afterwards.
  public var steps: Int { state.withLock { $0.steps } }

  /// Runs the body on this executor and returns its result.
  public func run<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    try await Self.$current.withValue(self) {
      try await withTaskExecutorPreference(self) { try await body() }
    }
  }

  /// Waits until no other job can run: all other tasks wait for one another, for a clock, or for an external event.
  public func idle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if !state.isRunning { return true }
        state.idleWaiters.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Runs one job of another task, as if that task had preempted the current one. The seed determines which job runs.
  ///
  /// The caller must run on this executor and must not hold a lock that another task needs.
  /// - Returns: `false` if no job is ready.
  @discardableResult public func runAnother() -> Bool {
    guard let job = state.withLock({ $0.takeJob() }) else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Adds a job. Called by the runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = state.withLock { state in
      state.jobs.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    // Runs the jobs on a dedicated thread, because all threads of the cooperative pool may be blocked.
    if isFirst { Thread { self.runAll() }.start() }
  }

  private func runAll() {
    while true {
      switch next() {
      case .run(let job): job.runSynchronously(on: asUnownedTaskExecutor())
      case .tell(let waiter): waiter.resume()
      case .stop: return
      }
    }
  }

  private func next() -> Next {
    state.withLock { state in
      if let job = state.takeJob() { return .run(job) }
      if !state.idleWaiters.isEmpty { return .tell(state.idleWaiters.removeFirst()) }
      state.isRunning = false
      return .stop
    }
  }
}
