import Foundation
import TrendyProtocols

/// A storage as a hub's handlers ask it: on threads of its own, or at once where the caller is.
///
/// In the process (a simulator, tests without a socket) nothing suspends: the same calls in the same order do the same.
struct HubStore: Sendable {
  let storage: any HubStorage
  /// `nil` runs everything where it is asked for.
  let threads: StorageThreads?
  let metrics: HubMetrics
  let clock: any TimeSource

  func read<Result: Sendable>(
    person: String, _ body: @escaping @Sendable (any HubReading) throws -> Result
  ) async throws -> Result {
    try await perform(.reading, for: person) { [storage] in try storage.read(person: person, body) }
  }

  /// Writes of one person that come together share a sync.
  func write<Result: Sendable>(
    person: String, _ body: @escaping @Sendable (any HubTransaction) throws -> Result
  ) async throws -> Result {
    guard let threads else { return try writeHere(person: person, body) }
    return try await withCheckedThrowingContinuation { continuation in
      let write = PendingWrite(store: self, person: person, body: body, continuation: continuation)
      do {
        try threads.add(write, of: person, to: .writing)
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Writes what no answer depends on, and what a later request notes again where it was lost: no thread is waited for.
  /// - Throws: what the storage says, where it is asked at once.
  func note(person: String, _ body: @escaping @Sendable (any HubTransaction) throws -> Void) throws {
    guard let threads else { return try writeHere(person: person, body) }
    // Where too much waits already, a later request will do.
    try? threads.add(PendingNote(store: self, person: person, body: body), of: person, to: .writing)
  }

  /// Runs what no answer depends on, and what is tried again where it failed; a hub without threads does not.
  func runLater(for owner: String, _ body: @escaping @Sendable () throws -> Void) {
    // Where too much waits already, a later request will do.
    try? threads?.add(PendingErrand(body: body), of: owner, to: .writing)
  }

  /// Runs anything else that touches the storage, or takes long.
  /// - Parameter owner: whose queue it waits in, such as a person's id.
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

  /// Runs what is asynchronous, and the actors that it calls, on the threads that write.
  func run<Result: Sendable>(
    person: String, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let threads else { return try await body() }
    // In the person's turn, and refused where too much waits.
    try await perform(.writing, for: person) {}
    let executor = PersonExecutor(threads: threads, person: person)
    defer { withExtendedLifetime(executor) {} }
    // A task of its own begins on the executor: with a preference alone, what comes before the first suspension would not.
    let task = Task(executorPreference: executor) { try await body() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Looks a token up, in the turn of the address that shows it: so many wait at most as it may have connections.
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
  /// Writes on the caller's thread.
  func writeHere<Result>(person: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    try counted {
      let start = clock.uptime
      let result = try storage.write(person: person, body)
      metrics.onCommit(writes: 1, duration: clock.uptime - start)
      return result
    }
  }

  /// Notes what the storage did not do.
  fileprivate func counted<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      metrics.onError(error)
      throw error
    }
  }
}

/// A call that waits for a thread.
private struct PendingCall<Result: Sendable>: StorageWork {
  let body: @Sendable () throws -> Result
  let continuation: CheckedContinuation<Result, any Error>

  func run(with others: ArraySlice<any StorageWork>) -> Int {
    continuation.resume(with: Swift.Result { try body() })
    return 0
  }
}

/// A call that nobody waits for.
private struct PendingErrand: StorageWork {
  let body: @Sendable () throws -> Void

  func run(with others: ArraySlice<any StorageWork>) -> Int {
    // What failed is tried again by a later request.
    try? body()
    return 0
  }
}

/// A write that may share its sync with others of the same person.
private protocol SharedWrite: StorageWork {
  var store: HubStore { get }
  var person: String { get }
  /// Runs the body and keeps what it gave; nobody hears of it before it is durable.
  func attempt(in transaction: any HubTransaction) throws
  /// Answers whoever waits.
  func settle(_ error: (any Error)?)
}

extension SharedWrite {
  func run(with others: ArraySlice<any StorageWork>) -> Int {
    let others = others.prefix { $0 is any SharedWrite }.compactMap { $0 as? any SharedWrite }
    let writes: [any SharedWrite] = [self] + others
    let start = store.clock.uptime
    do {
      let errors = try store.storage.write(
        person: person, together: writes.map { write in { try write.attempt(in: $0) } })
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

/// @unchecked: `result` is written and read by the one thread that runs it.
private final class PendingWrite<Result: Sendable>: SharedWrite, @unchecked Sendable {
  let store: HubStore
  let person: String
  private let body: @Sendable (any HubTransaction) throws -> Result
  private let continuation: CheckedContinuation<Result, any Error>
  private var result: Result?

  init(
    store: HubStore, person: String, body: @escaping @Sendable (any HubTransaction) throws -> Result,
    continuation: CheckedContinuation<Result, any Error>
  ) {
    self.store = store
    self.person = person
    self.body = body
    self.continuation = continuation
  }

  func attempt(in transaction: any HubTransaction) throws { result = try body(transaction) }

  func settle(_ error: (any Error)?) {
    if let error { return continuation.resume(throwing: error) }
    guard let result else { preconditionFailure("a write of \(person) succeeded without having been carried out") }
    continuation.resume(returning: result)
  }
}

/// A write that nobody waits for.
private struct PendingNote: SharedWrite {
  let store: HubStore
  let person: String
  let body: @Sendable (any HubTransaction) throws -> Void

  func attempt(in transaction: any HubTransaction) throws { try body(transaction) }

  func settle(_ error: (any Error)?) {}
}
