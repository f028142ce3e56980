import Foundation
import Synchronization

/// Runs tasks one piece at a time, in an order that the seed decides: the same seed, the same order.
///
/// Whatever waits to go on may be next, so that with many seeds many interleavings are met, and with one seed always the
/// same:
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
/// Runs here what is part of ``run(_:)``: its body, `async let`, task groups, and actors without an executor of their own
/// that are called from there. An unstructured `Task { }` is not part of it and runs elsewhere, in any order, unless it is
/// made as `Task(executorPreference:)`. So does what waits for a real clock, a file or a socket.
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

  /// What a free thread does next.
  private enum Next {
    case run(UnownedJob)
    case tell(CheckedContinuation<Void, Never>)
    case stop
  }

  /// The executor whose ``run(_:)`` this task is in.
  @TaskLocal static var current: SeededTaskExecutor?

  private let state: Mutex<State>

  public init(seed: UInt64) {
    state = Mutex(State(generator: SeededGenerator(seed: seed)))
  }

  /// How many pieces ran so far: in two runs of one seed the same, where it is asked within ``run(_:)``. Tasks that the body did not
  /// wait for go on after it.
  public var steps: Int { state.withLock { $0.steps } }

  /// Runs the body here and returns what it returns.
  public func run<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    try await Self.$current.withValue(self) {
      try await withTaskExecutorPreference(self) { try await body() }
    }
  }

  /// Returns when nothing that runs here can go on, but for who asks: all wait for each other, for a clock, or for
  /// something from elsewhere.
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

  /// Runs one piece of another task here and now, in the middle of the caller's own: so a double preempts synchronous code, as
  /// threads would, in an order that the seed decides.
  ///
  /// The caller must run on this executor, and hold nothing that another task may want.
  /// - Returns: `false` where nothing can go on.
  @discardableResult public func runAnother() -> Bool {
    guard let job = state.withLock({ $0.takeJob() }) else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = state.withLock { state in
      state.jobs.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    // A thread of its own and not one of the pool: nothing that the pool is busy with can hold it up.
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
