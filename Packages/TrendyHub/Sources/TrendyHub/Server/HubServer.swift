import Foundation
import Synchronization
import TrendyModels
public import TrendyProtocols

/// A hub: answers requests out of a storage, over a transport or in the process.
///
/// Every decision about a person's data is ``HubCore``'s; here a request is read, its sender made sure of, and the answer
/// written down.
public final class HubServer: Sendable {
  public let accounts: HubAccounts

  let storage: any HubStorage
  let clock: any TimeSource
  public let configuration: HubConfiguration
  let core = HubCore()
  let pairing = Mutex(PairingGuard())
  let streams: SignalStreams

  /// The option is inside the lock: of an absent `Mutex` Swift 6.3.1 makes a present one with any content in a debug build.
  private let limiter: Mutex<RequestLimiter?>
  let ingest: (any Ingest)?
  private let transport: (any HTTPTransport)?
  private let log: AccessLog?
  /// This life of the hub; each person's list of lives takes it in when they are first met.
  private let epoch: String
  private let begun = Mutex<Set<String>>([])
  /// Keeps other hubs out of the storage while this one serves it.
  private let occupation = Mutex<(any Sendable)?>(nil)

  /// A hub without a transport is only asked in the process. The log is told of every request that reaches the hub; a
  /// transport tells of what it refuses itself. Without an ingest, the addresses that trackers post to are none of the hub's.
  public init(
    storage: any HubStorage, transport: (any HTTPTransport)? = nil, ingest: (any Ingest)? = nil,
    clock: any TimeSource = SystemTime(),
    generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    configuration: HubConfiguration = HubConfiguration(), log: AccessLog? = nil
  ) {
    let chance = HubChance(generator)
    self.storage = storage
    self.transport = transport
    self.ingest = ingest
    self.clock = clock
    self.configuration = configuration
    limiter = Mutex(configuration.requestsPerMinute.map { RequestLimiter(requestsPerMinute: $0) })
    self.log = log
    streams = SignalStreams(storage: storage, clock: clock)
    epoch = chance.epoch()
    accounts = HubAccounts(storage: storage, clock: clock, chance: chance)
  }

  /// Serves until ``stop()``.
  /// - Returns: the bound port.
  /// - Throws: ``HTTPTransportError``, or ``HubStorageError`` where another hub serves the storage.
  public func start() async throws -> UInt16 {
    guard let transport else { throw HTTPTransportError.system(operation: "start without a transport", code: 0) }
    let occupation = try storage.occupy()
    let port = try await transport.start { [self] request in await handle(request) }
    self.occupation.withLock { $0 = occupation }
    return port
  }

  /// Ends the streams and lets running requests finish.
  public func stop() async {
    streams.stop()
    await transport?.stop()
    occupation.withLock { $0 = nil }
  }

  /// Answers one request, with no socket in between.
  public func handle(_ request: HTTPRequest) async -> HTTPResponse {
    var request = request
    request.remoteAddress = configuration.sender(of: request)
    let start = clock.uptime
    var device: HubDevice?
    var failure: String?
    var response: HTTPResponse
    do {
      if let answer = try await answerIngest(request, device: &device, failure: &failure) {
        response = answer
      } else {
        response = try await answer(request, device: &device)
      }
    } catch {
      if !(error is Problem) { failure = "\(error)" }
      response = problem(for: error).response(instance: String(request.path), requestId: request.id)
    }
    response.headers["X-Request-Id"] = request.id
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    log?(
      AccessLogEntry(
        requestId: request.id, method: request.method, path: String(request.path), status: response.status,
        remoteAddress: request.remoteAddress, device: device?.id, duration: clock.uptime - start,
        failure: failure))
    return response
  }

  private func answer(_ request: HTTPRequest, device: inout HubDevice?) async throws -> HTTPResponse {
    try configuration.check(namesOf: request)
    let call = try HubCall(request)
    if let response = try answerWithoutToken(call) { return response }
    let sender = try authenticate(request)
    device = sender
    try limit(sender)
    if call.path == ["me", "live"] { return try await answerLive(call, sender) }
    return try answer(call, sender: sender)
  }

  /// Refuses a device that asks too often.
  func limit(_ sender: HubDevice) throws {
    if let delay = limiter.withLock({ $0?.onRequest(of: sender.id, now: clock.uptime) }) {
      throw Problem(
        "rate_limited", status: 429, title: "Too many requests",
        detail: "\"\(sender.name)\" asks more than \(configuration.requestsPerMinute ?? 0) times a minute",
        retryAfter: delay)
    }
  }

  private func authenticate(_ request: HTTPRequest) throws -> HubDevice {
    let values = request.headers.values(of: "Authorization")
    guard values.count == 1, let value = values.first, value.lowercased().hasPrefix("bearer ") else {
      throw Problem(
        "unauthorized", status: 401, title: "Not paired",
        detail: "expected one header field Authorization: Bearer <token>; a token comes from pairing")
    }
    return try accounts.device(token: value.dropFirst("bearer ".count).trimmingCharacters(in: .whitespaces))
  }

  /// Writes one person's state, then tells their devices where the head is. All writes go through here.
  func write<Result>(person: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    let (result, head) = try storage.write(person: person) { transaction in
      let result = try body(transaction)
      return (result, try transaction.state().head)
    }
    streams.onHead(head, of: person)
    return result
  }

  /// Notes the current life of the hub in the person's list, before anything is answered out of their state.
  func begin(for person: String) throws {
    guard !begun.withLock({ $0.contains(person) }) else { return }
    try write(person: person) { transaction in
      // Two first requests at once: the second finds it noted.
      guard try transaction.state().epochs.last?.id != epoch else { return }
      _ = try core.begin(epoch: epoch, in: transaction)
    }
    begun.withLock { _ = $0.insert(person) }
  }

  /// Shrinks what was deleted long ago, a bounded piece of each person's; for when nobody waits.
  ///
  /// - Returns: whether there may be more to do at once.
  public func compact() throws -> Bool {
    let now = clock.now
    var isMore = false
    for person in try accounts.people() {
      let count = try storage.write(person: person.id) {
        try core.compact(limit: Self.compactionStep, in: $0, now: now)
      }
      if count == Self.compactionStep { isMore = true }
    }
    return isMore
  }

  private static let compactionStep = 500

  private func problem(for error: any Error) -> Problem {
    switch error {
    case let problem as Problem: problem
    case HubStorageError.full:
      Problem(
        "storage_full", status: 507, title: "Storage full",
        detail: "the hub has no room left: nothing was changed; what waits on the device stays there",
        retryAfter: .seconds(60))
    case HubStorageError.erased:
      Problem(
        "unauthorized", status: 401, title: "Not paired",
        detail: "whoever this device belonged to was removed from this hub")
    case HubStorageError.busy, HubStorageError.occupied:
      Problem(
        "unavailable", status: 503, title: "Service unavailable",
        detail: "the hub's storage is held by another writer: try again in a moment", retryAfter: .seconds(1))
    default:
      // What a storage says of its files is for the one who runs the hub, not for who asks.
      Problem(
        "internal", status: 500, title: "Internal error",
        detail: "the hub could not do this, and nothing was confirmed: its log knows more under the request's id")
    }
  }
}
