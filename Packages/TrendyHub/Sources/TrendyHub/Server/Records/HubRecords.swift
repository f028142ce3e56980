import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols

/// The users' records, as handlers and webhook deliveries read and write them.
///
/// Notes the hub's epoch in a record before answering from it, and announces each write to streams, webhooks and
/// other hubs on the storage.
final class HubRecords: Sendable {
  let store: HubStore
  let core: HubCore
  let accounts: HubAccounts
  let streams: SignalStreams
  let bells = WebhookBells()
  /// This process among those that serve the storage, and its epoch where the storage has none of its own.
  let process: String
  private let hints: HubHintLine
  private let tasks: (any TaskExecutor)?
  /// Users in whose records the epoch has been noted.
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
    hints = HubHintLine()
    streams = SignalStreams(store: store, clock: store.clock, hints: hints, limit: streamLimit, tasks: tasks)
  }

  var storage: any HubStorage { store.storage }
  var clock: any TimeSource { store.clock }

  // MARK: Reading and writing

  /// Reads a record in the present epoch, which is noted first if necessary.
  ///
  /// No process is notified of a new epoch of the storage, so each read checks. An answer without an epoch would be
  /// that of a server that knows no versions: after the database lost a record, a device would adopt its empty lists.
  func read<Result: Sendable>(
    person: String, _ body: @escaping @Sendable (any HubReading) throws -> Result
  ) async throws -> Result {
    try await begin(for: person)
    for _ in 0..<Self.mostBeginnings {
      let found: Result? = try await store.read(person: person) { reading in
        if let life = try reading.epoch(), try reading.state().epochs.last?.id != HubState.epoch(of: person, in: life) {
          return nil
        }
        return .some(try body(reading))
      }
      if case .some(let result) = found { return result }
      try await write(person: person) { _ in }
    }
    throw Problem.busy("the hub's database has one life after the other")
  }

  /// Number of epochs that may begin during one request.
  private static let mostBeginnings = 3

  /// Writes a record, then announces its head.
  func write<Result: Sendable>(
    person: String, _ body: @escaping @Sendable (any HubTransaction) throws -> Result
  ) async throws -> Result {
    let (result, head) = try await store.write(person: person) { [self] transaction in
      try begin(for: person, in: transaction)
      let result = try body(transaction)
      return (result, try transaction.state().head)
    }
    onWrite(head, of: person)
    return result
  }

  /// Writes a record on the caller's thread, for synchronous parts of the hub.
  func writeHere(person: String, _ body: (any HubTransaction) throws -> Void) throws {
    let head = try store.writeHere(person: person) { transaction in
      try begin(for: person, in: transaction)
      try body(transaction)
      return try transaction.state().head
    }
    onWrite(head, of: person)
  }

  /// Notes the epoch in a record if this process has not done so.
  func begin(for person: String) async throws {
    guard !begun.withLock({ $0.contains(person) }) else { return }
    try await write(person: person) { _ in }
  }

  /// No process is notified of a new epoch of the storage, so each write checks.
  private func begin(for person: String, in transaction: any HubTransaction) throws {
    let life = try transaction.epoch()
    if life == nil, begun.withLock({ $0.contains(person) }) { return }
    // Of two concurrent first requests the second finds it noted.
    let epoch = HubState.epoch(of: person, in: life ?? process)
    guard try transaction.state().epochs.last?.id != epoch else { return }
    _ = try core.begin(epoch: epoch, in: transaction)
  }

  /// Runs a handler's transaction.
  ///
  /// A response that depends on the record alone has the record's version as its tag: for a client that has that
  /// version, nothing more is read.
  func carryOut(
    _ work: HubWork, for person: String, request: HTTPRequest, tag: HubRoute.Tag = .none
  ) async throws -> HTTPResponse {
    switch work {
    case .read(let body):
      return try await store.read(person: person) { [clock] reading in
        // Before the body, which does not see later writes.
        let state = try reading.state()
        guard tag == .record else { return try body(reading).saying(state, at: clock.now) }
        if let unchanged = HTTPResponse.unchanged(state.tag, for: request) { return unchanged }
        return try body(reading).saying(state, at: clock.now).tagged(state.tag)
      }
    case .write(let body):
      try await begin(for: person)
      return try await write(person: person) { [clock] transaction in
        try body(transaction).saying(try transaction.state(), at: clock.now)
      }
    }
  }

  /// Parses a request; a large body on a storage thread, in its sender's turn, since it takes milliseconds.
  func prepared<Result: Sendable>(
    _ request: HTTPRequest, _ sender: HubDevice, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    guard request.body.count > Self.smallBody else { return try body() }
    return try await store.perform(.reading, for: sender.person, body)
  }

  private static let smallBody = 16_384

  // MARK: Announcements

  private func onWrite(_ head: Int64, of person: String) {
    begun.withLock { _ = $0.insert(person) }
    streams.onHead(head, of: person)
    bells.ring(for: person)
    hints.tell(.head(person: person))
  }

  /// Announces that a device has a new notice, or that a companion link of it changed.
  func announceNotice(for device: String) {
    streams.onNotice(for: device)
    hints.tell(.notice(device: device))
  }

  /// Receives the announcements of other hubs on the storage until ``stop()``.
  func listen() throws { hints.open(try storage.listen { [weak self] in self?.onHint($0) }) }

  func stopListening() { hints.open(nil) }

  private func onHint(_ hint: HubHint) {
    switch hint {
    case .notice(let device): streams.onNotice(for: device)
    case .head(let person):
      guard streams.isOpen(for: person) else { return }
      Task(executorPreference: tasks) { [self] in
        // If the head cannot be read now, the next poll finds it.
        guard let head = try? await store.read(person: person, { try $0.state().head }) else { return }
        streams.onHead(head, of: person)
      }
    }
  }
}

/// One transaction on a record that a handler asks for.
enum HubWork: Sendable {
  case read(@Sendable (any HubReading) throws -> HTTPResponse)
  /// The hub's epoch is noted in the record first.
  case write(@Sendable (any HubTransaction) throws -> HTTPResponse)
}
