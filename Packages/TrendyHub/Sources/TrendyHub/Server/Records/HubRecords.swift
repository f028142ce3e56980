import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols

/// Access to the users' records, for handlers and webhook deliveries.
///
/// Begins the hub's epoch in a record before the first response, and notifies streams, webhooks and other hubs of each
/// write.
final class HubRecords: Sendable {
  let store: HubStore
  let core: HubCore
  let accounts: HubAccounts
  let streams: SignalStreams
  let bells = WebhookWakeSignals()
  /// Random id of this process, used as the epoch if the storage provides none.
  let process: String
  private let hints: HintDispatcher
  private let tasks: (any TaskExecutor)?
  /// Users in whose records this process has begun its epoch.
  private let begun = Mutex<Set<String>>([])

  init(
    store: HubStore, core: HubCore, accounts: HubAccounts, process: String, streamLimit: Int,
    tasks: (any TaskExecutor)?
  ) {
    self.store = store
    self.core = core
    self.accounts = accounts
    self.process = process
    self.tasks = tasks
    hints = HintDispatcher()
    streams = SignalStreams(store: store, clock: store.clock, hints: hints, limit: streamLimit, tasks: tasks)
  }

  var storage: any HubStorage { store.storage }
  var clock: any TimeSource { store.clock }

  // MARK: Reading and writing

  /// Reads a record in the current epoch, beginning that epoch first if necessary.
  ///
  /// Each read checks the epoch, because processes are not notified when the storage begins a new one. A response
  /// without an epoch would look as if it came from an unversioned hub. If the database had lost the record, a device
  /// would then adopt the empty lists.
  func read<Result: Sendable>(
    user: String, _ body: @escaping @Sendable (any HubReadTransaction) throws -> Result
  ) async throws -> Result {
    try await begin(for: user)
    for _ in 0..<Self.maxAttempts {
      let found: Result? = try await store.read(user: user) { reading in
        if let epoch = try reading.epoch(), try reading.state().epochs.last?.id != HubState.epoch(of: user, in: epoch) {
          return nil
        }
        return .some(try body(reading))
      }
      if case .some(let result) = found { return result }
      try await write(user: user) { _ in }
    }
    throw Problem.busy("the hub's database is being restored repeatedly")
  }

  /// Maximum number of new epochs during one request.
  private static let maxAttempts = 3

  /// Writes a record, then announces its new head.
  func write<Result: Sendable>(
    user: String, _ body: @escaping @Sendable (any HubTransaction) throws -> Result
  ) async throws -> Result {
    let (result, head) = try await store.write(user: user) { [self] transaction in
      try begin(for: user, in: transaction)
      let result = try body(transaction)
      return (result, try transaction.state().head)
    }
    onWrite(head, of: user)
    return result
  }

  /// Writes a record on the caller's thread.
  func writeHere(user: String, _ body: (any HubTransaction) throws -> Void) throws {
    let head = try store.writeHere(user: user) { transaction in
      try begin(for: user, in: transaction)
      try body(transaction)
      return try transaction.state().head
    }
    onWrite(head, of: user)
  }

  /// Begins the epoch in a record, unless this process has already done so.
  func begin(for user: String) async throws {
    guard !begun.withLock({ $0.contains(user) }) else { return }
    try await write(user: user) { _ in }
  }

  /// Begins the epoch within a write. Each write checks it, because processes are not notified of a new one.
  private func begin(for user: String, in transaction: any HubTransaction) throws {
    let storageEpoch = try transaction.epoch()
    if storageEpoch == nil, begun.withLock({ $0.contains(user) }) { return }
    // A concurrent first request may have begun the epoch already.
    let epoch = HubState.epoch(of: user, in: storageEpoch ?? process)
    guard try transaction.state().epochs.last?.id != epoch else { return }
    _ = try core.begin(epoch: epoch, in: transaction)
  }

  /// Runs a handler's transaction.
  ///
  /// A response that depends only on the record has the record's version as its tag. If the client already has that
  /// version, the handler does not run.
  func carryOut(
    _ work: HubWork, for user: String, request: HTTPRequest, tag: HubRoute.Tag = .none
  ) async throws -> HTTPResponse {
    switch work {
    case .read(let body):
      return try await store.read(user: user) { [clock] reading in
        // Read the state before the body, so the reported version is never later than the data in the body.
        let state = try reading.state()
        guard tag == .record else { return try body(reading).saying(state, at: clock.now) }
        if let unchanged = HTTPResponse.unchanged(state.tag, for: request) { return unchanged }
        return try body(reading).saying(state, at: clock.now).tagged(state.tag)
      }
    case .write(let body):
      try await begin(for: user)
      return try await write(user: user) { [clock] transaction in
        try body(transaction).saying(try transaction.state(), at: clock.now)
      }
    }
  }

  /// Runs `body`, which parses a request. A large request takes milliseconds, so it is parsed on a storage worker,
  /// queued with the user's other calls.
  func prepared<Result: Sendable>(
    _ request: HTTPRequest, _ sender: HubDevice, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    guard request.body.count > Self.smallBody else { return try body() }
    return try await store.perform(.reading, for: sender.user, body)
  }

  private static let smallBody = 16_384

  // MARK: Announcements

  private func onWrite(_ head: Int64, of user: String) {
    begun.withLock { _ = $0.insert(user) }
    streams.onHead(head, of: user)
    bells.ring(for: user)
    hints.tell(.head(user: user))
  }

  /// Notifies a device of a new companion notice or of a change to a companion link.
  func announceNotice(for device: String) {
    streams.onNotice(for: device)
    hints.tell(.notice(device: device))
  }

  /// Receives hints from other hubs on the same storage, until ``stopListening()``.
  func listen() throws { hints.open(try storage.listen { [weak self] in self?.onHint($0) }) }

  func stopListening() { hints.open(nil) }

  private func onHint(_ hint: HubHint) {
    switch hint {
    case .notice(let device): streams.onNotice(for: device)
    case .head(let user):
      guard streams.isOpen(for: user) else { return }
      Task(executorPreference: tasks) { [self] in
        // If the head cannot be read now, the next poll will read it.
        guard let head = try? await store.read(user: user, { try $0.state().head }) else { return }
        streams.onHead(head, of: user)
      }
    }
  }
}

enum HubWork: Sendable {
  case read(@Sendable (any HubReadTransaction) throws -> HTTPResponse)
  /// A write. The hub begins its epoch first if necessary.
  case write(@Sendable (any HubTransaction) throws -> HTTPResponse)
}
