import Foundation
import TrendyProtocols

/// Asynchronous storage access for the hub's handlers, either on storage workers or directly.
///
/// Without workers, as in the simulator and in tests without sockets, nothing suspends and the order of calls is
/// deterministic.
struct HubStore: Sendable {
  let storage: any HubStorage
  /// Storage workers, or `nil` to run all calls on the caller's thread.
  let threads: StorageThreads?
  let metrics: HubMetrics
  let clock: any TimeSource

  func read<Result: Sendable>(
    user: String, _ body: @escaping @Sendable (any HubReadTransaction) throws -> Result
  ) async throws -> Result {
    try await perform(.reading, for: user) { [storage] in try storage.read(user: user, body) }
  }

  /// Performs a write for a user. Concurrent writes share a sync.
  func write<Result: Sendable>(
    user: String, _ body: @escaping @Sendable (any HubTransaction) throws -> Result
  ) async throws -> Result {
    guard let threads else { return try writeHere(user: user, body) }
    return try await withCheckedThrowingContinuation { continuation in
      let write = PendingWrite(store: self, user: user, body: body, continuation: continuation)
      do {
        try threads.add(write, of: user, to: .writing)
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Queues a write that no response depends on, and that a later request repeats if it is lost.
  ///
  /// - Throws: A storage error if there are no workers, because the write then runs immediately.
  func note(user: String, _ body: @escaping @Sendable (any HubTransaction) throws -> Void) throws {
    guard let threads else { return try writeHere(user: user, body) }
    // If the queue is full, a later request will repeat the write.
    try? threads.add(BackgroundWrite(store: self, user: user, body: body), of: user, to: .writing)
  }

  /// Queues a call that no response depends on, and that is retried after a failure. Does nothing without workers.
  func runLater(for owner: String, _ body: @escaping @Sendable () throws -> Void) {
    // If the queue is full, a later request will repeat the call.
    try? threads?.add(BackgroundCall(body: body), of: owner, to: .writing)
  }

  /// Runs a call that uses the storage or takes a long time. `owner` names its queue, such as the user's id.
  func perform<Result: Sendable>(
    _ lane: StorageThreads.Lane, for owner: String, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    guard let threads else { return try counted(body) }
    return try await withCheckedThrowingContinuation { continuation in
      do {
        let call = PendingCall(body: { try counted(body) }, continuation: continuation)
        try threads.add(call, of: owner, to: lane)
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Runs an asynchronous function, and the actors that it calls, on the storage workers for writes.
  func run<Result: Sendable>(
    user: String, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let threads else { return try await body() }
    // Wait for the user's turn. Throws if the queue is full.
    try await perform(.writing, for: user) {}
    let executor = UserExecutor(threads: threads, user: user)
    defer { withExtendedLifetime(executor) {} }
    // An unstructured task starts on the executor. A task executor preference alone would not affect code before the
    // first suspension.
    let task = Task(executorPreference: executor) { try await body() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Looks up a token's device. Lookups are queued by network address, so the limit on connections per address bounds
  /// each queue.
  func device(
    token: String, address: String, accounts: HubAccounts
  ) async throws -> HubDevice {
    guard let threads else { return try accounts.device(token: token) }
    return try await withCheckedThrowingContinuation { continuation in
      let call = PendingCall(body: { try counted { try accounts.device(token: token) } }, continuation: continuation)
      threads.addAlways(call, of: "address \(address)", to: .reading)
    }
  }
}

extension HubStore {
  func writeHere<Result>(user: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    try counted {
      let start = clock.uptime
      let result = try storage.write(user: user, body)
      metrics.onCommit(writes: 1, duration: clock.uptime - start)
      return result
    }
  }

  /// Counts the error thrown by `body` in the metrics.
  fileprivate func counted<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      metrics.onError(error)
      throw error
    }
  }
}

private struct PendingCall<Result: Sendable>: StorageWork {
  let body: @Sendable () throws -> Result
  let continuation: CheckedContinuation<Result, any Error>

  func run(with others: ArraySlice<any StorageWork>) -> Int {
    continuation.resume(with: Swift.Result { try body() })
    return 0
  }
}

private struct BackgroundCall: StorageWork {
  let body: @Sendable () throws -> Void

  func run(with others: ArraySlice<any StorageWork>) -> Int {
    // If the call fails, a later request repeats it.
    try? body()
    return 0
  }
}

/// A write that can share its sync with the same user's other writes.
private protocol SharedWrite: StorageWork {
  var store: HubStore { get }
  var user: String { get }
  /// Runs the body and keeps its result, which is delivered after the sync.
  func attempt(in transaction: any HubTransaction) throws
  /// Resumes the waiting caller, if any.
  func settle(_ error: (any Error)?)
}

extension SharedWrite {
  func run(with others: ArraySlice<any StorageWork>) -> Int {
    let others = others.prefix { $0 is any SharedWrite }.compactMap { $0 as? any SharedWrite }
    let writes: [any SharedWrite] = [self] + others
    let start = store.clock.uptime
    do {
      let errors = try store.storage.write(
        user: user, together: writes.map { write in { try write.attempt(in: $0) } })
      let count = errors.count { $0 == nil }
      if count > 0 { store.metrics.onCommit(writes: count, duration: store.clock.uptime - start) }
      for error in errors.compactMap(\.self) { store.metrics.onError(error) }
      for (write, error) in zip(writes, errors) { write.settle(error) }
    } catch {
      store.metrics.onError(error)
      for write in writes { write.settle(error) }
    }
    return others.count
  }
}

/// @unchecked: only the thread that runs the write accesses `result`.
private final class PendingWrite<Result: Sendable>: SharedWrite, @unchecked Sendable {
  let store: HubStore
  let user: String
  private let body: @Sendable (any HubTransaction) throws -> Result
  private let continuation: CheckedContinuation<Result, any Error>
  private var result: Result?

  init(
    store: HubStore, user: String, body: @escaping @Sendable (any HubTransaction) throws -> Result,
    continuation: CheckedContinuation<Result, any Error>
  ) {
    self.store = store
    self.user = user
    self.body = body
    self.continuation = continuation
  }

  func attempt(in transaction: any HubTransaction) throws { result = try body(transaction) }

  func settle(_ error: (any Error)?) {
    if let error { return continuation.resume(throwing: error) }
    guard let result else { preconditionFailure("a write of user \(user) succeeded without running") }
    continuation.resume(returning: result)
  }
}

private struct BackgroundWrite: SharedWrite {
  let store: HubStore
  let user: String
  let body: @Sendable (any HubTransaction) throws -> Void

  func attempt(in transaction: any HubTransaction) throws { try body(transaction) }

  func settle(_ error: (any Error)?) {}
}
