import Foundation
import Synchronization
import TrendyModels
public import TrendyProtocols

/// A hub: answers requests out of a storage, over a transport or in the process.
///
/// Every decision about a person's data is ``HubCore``'s; here a request is read, its sender made sure of, and the answer
/// written down. A hub with a transport runs its storage on threads of its own, in a bounded queue for each person; one without
/// runs everything where it is asked.
public final class HubServer: Sendable {
  public let accounts: HubAccounts

  let storage: any HubStorage
  /// The same storage, for handlers.
  let store: HubStore
  let clock: any TimeSource
  public let configuration: HubConfiguration
  let core: HubCore
  let streams: SignalStreams
  let bells = WebhookBells()
  let histories = KnownHistories()
  let dayCounts = KnownDayCounts()
  let texts = KnownTexts()
  let knownTrips = KnownTrips()
  let metrics = HubMetrics()
  /// Runs what the hub does by itself; `nil` for the runtime's own.
  private let tasks: (any TaskExecutor)?
  /// In uptime.
  let startedAt: Duration

  /// The option is inside the lock: of an absent `Mutex` Swift 6.3.1 makes a present one with any content in a debug build.
  private let limiter: Mutex<RequestLimiter?>
  let ingest: (any Ingest)?
  /// `nil` where the hub takes in no files.
  let imports: ImportJobs?
  let pairingPicture: PairingPicture.Maker?
  private let transport: (any HTTPTransport)?
  private let log: AccessLog?
  private let shortage = Mutex(ShortageNotice())
  let readiness = Mutex(Readiness())
  /// This life of the hub, where the storage has none of its own; each person's list of lives takes it in when they are first
  /// met.
  private let epoch: String
  /// Names this process among those that serve the same storage.
  var process: String { epoch }
  private let begun = Mutex<Set<String>>([])
  /// Devices that came in, and when that was last written down.
  private let noted = Mutex<[String: Date]>([:])
  /// When each device last asked something, and what it said of itself.
  private let seen = Mutex<[String: (at: Date, report: HubDeviceReport?)]>([:])
  /// Keeps other hubs out of the storage while this one serves it.
  private let occupation = Mutex<(any Sendable)?>(nil)
  let hints = HubHintLine()

  /// A hub without a transport is only asked in the process. The log is told of every request that reaches the hub; a
  /// transport tells of what it refuses itself. Without an ingest, the addresses that trackers post to are none of the hub's; without
  /// a maker of pictures a pairing code is digits alone; without an intake of files it takes none. What it does by itself, such as to
  /// look what other hubs on the storage wrote, runs on `tasks`, or where the runtime wants.
  public init(
    storage: any HubStorage, transport: (any HTTPTransport)? = nil, ingest: (any Ingest)? = nil,
    files: FileIntake? = nil, pairingPicture: PairingPicture.Maker? = nil,
    clock: any TimeSource = SystemTime(),
    generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    configuration: HubConfiguration = HubConfiguration(), limits: HubStorageLimits = HubStorageLimits(),
    log: AccessLog? = nil, tasks: (any TaskExecutor)? = nil
  ) {
    self.tasks = tasks
    let chance = HubChance(generator)
    self.storage = storage
    store = HubStore(
      storage: storage, threads: transport == nil ? nil : StorageThreads(limits: limits), metrics: metrics, clock: clock
    )
    startedAt = clock.uptime
    self.transport = transport
    self.ingest = ingest
    imports = files.map { ImportJobs(intake: $0, clock: clock, hasThreads: transport != nil) }
    self.pairingPicture = pairingPicture
    self.clock = clock
    self.configuration = configuration
    core = HubCore(quota: configuration.quota)
    limiter = Mutex(configuration.requestsPerMinute.map { RequestLimiter(requestsPerMinute: $0) })
    self.log = log
    streams = SignalStreams(
      store: store, clock: clock, hints: hints, limit: configuration.streams, tasks: tasks)
    epoch = chance.epoch()
    accounts = HubAccounts(storage: storage, clock: clock, chance: chance)
  }

  /// Serves until ``stop()``.
  /// - Returns: the bound port.
  /// - Throws: ``HTTPTransportError``, or ``HubStorageError`` where another hub serves the storage.
  public func start() async throws -> UInt16 {
    guard let transport else { throw HTTPTransportError.system(operation: "start without a transport", code: 0) }
    let occupation = try storage.occupy()
    imports?.clearFolder()
    let port = try await transport.start { [self] request in
      await admit(request)
    } handler: { [self] request in
      await handle(request)
    }
    if occupation != nil { streams.onAlone() }
    self.occupation.withLock { $0 = occupation }
    try listen()
    return port
  }

  /// Hears what other hubs on the storage tell, until ``stop()``; a hub that starts does so by itself.
  public func listen() throws { hints.open(try storage.listen { [weak self] in self?.onHint($0) }) }

  /// Returns when the connections and the storage's threads have each had a turn since the call: a hub that hangs never does.
  public func turn() async throws {
    await transport?.turn()
    try await store.perform(.reading, for: "watchdog") {}
    try await store.perform(.writing, for: "watchdog") {}
  }

  /// Ends the streams and lets running requests finish.
  public func stop() async {
    streams.stop()
    imports?.stop()
    await transport?.stop()
    occupation.withLock { $0 = nil }
    hints.open(nil)
  }

  /// Writes of a person that wait for those before them.
  package func waitingWrites(of person: String) -> Int { store.threads?.waitingWrites(of: person) ?? 0 }

  /// Answers one request, with no socket in between.
  public func handle(_ request: HTTPRequest) async -> HTTPResponse {
    await finished(request) { request, sender, failure in
      if let answer = try await answerIngest(request, device: &sender, failure: &failure) { return answer }
      if let answer = try await answerMetrics(request, device: &sender) { return answer }
      if let answer = try answerPage(request) { return answer }
      if let answer = try await answerTile(request, device: &sender) { return answer }
      return try await answer(request, device: &sender)
    }
  }

  /// Completes an answer, or makes one of an error, and tells the log.
  func finished(
    _ request: HTTPRequest,
    _ body: (_ request: HTTPRequest, _ device: inout HubDevice?, _ failure: inout String?) async throws -> HTTPResponse
  ) async -> HTTPResponse {
    var request = request
    request.remoteAddress = configuration.sender(of: request)
    let start = clock.uptime
    var device: HubDevice?
    var failure: String?
    var response: HTTPResponse
    do {
      response = try await body(request, &device, &failure)
    } catch {
      if error is HubQuotaError { metrics.onQuota() } else if !(error is Problem) { failure = words(for: error) }
      response = problem(for: error).response(instance: String(request.path), requestId: request.id)
    }
    response = await compressed(response, for: request, owner: device?.person ?? request.remoteAddress)
    response.headers["X-Request-Id"] = request.id
    response.headers["X-Content-Type-Options"] = "nosniff"
    if response.headers["Cache-Control"] == nil { response.headers["Cache-Control"] = "no-store" }
    if let device {
      let now = clock.now
      let report = request.headers["Trendy-Device"].flatMap { HubDeviceReport(header: $0, at: now) }
      seen.withLock { $0[device.id] = (now, report ?? $0[device.id]?.report) }
      noteSeen(device, report, now)
    }
    let duration = clock.uptime - start
    metrics.onRequest(request, status: response.status, duration: duration)
    log?(
      AccessLogEntry(
        requestId: request.id, method: request.method, path: String(request.path), status: response.status,
        remoteAddress: request.remoteAddress, device: device?.id, duration: duration, failure: failure))
    return response
  }

  /// When a device last asked something; before the hub's start to the hour. `nil` for never.
  func lastSeen(_ device: HubDevice) -> Date? { seen.withLock { $0[device.id]?.at } ?? device.seenAt }

  /// What a device last said of itself; `nil` of one that says nothing.
  func lastReport(_ device: HubDevice) -> HubDeviceReport? {
    seen.withLock { $0[device.id]?.report } ?? device.report
  }

  /// In the background; where it cannot be noted now, the next request is.
  private func noteSeen(_ device: HubDevice, _ report: HubDeviceReport?, _ now: Date) {
    guard store.threads != nil, device.isToBeNoted(now, saying: report) else { return }
    let isDue = noted.withLock { noted in
      if let last = noted[device.id], now.timeIntervalSince(last) < 60 { return false }
      noted[device.id] = now
      return true
    }
    if isDue { store.runLater(for: "directory") { [accounts] in try accounts.noteSeen(device, saying: report) } }
  }

  private func answer(_ request: HTTPRequest, device: inout HubDevice?) async throws -> HTTPResponse {
    try configuration.check(namesOf: request)
    let call = try HubCall(request)
    if HubRoutes.api.isWithoutToken(call) {
      guard case .anybody(let answer) = try HubRoutes.api.route(of: call).answering else {
        throw Problem.unknownPath(request)
      }
      return try await answer(self, call)
    }
    // Before the address is looked at: a stranger is told of none.
    let sender = try await authenticate(request)
    device = sender
    try check(personOf: sender, of: request)
    try limit(sender)
    guard case .device(let answer) = try HubRoutes.api.route(of: call).answering else {
      throw Problem.unknownPath(request)
    }
    return try await answer(self, call, sender)
  }

  /// Refuses a page that shows another user's record: its browser was paired again in another tab.
  private func check(personOf sender: HubDevice, of request: HTTPRequest) throws(Problem) {
    guard let person = request.headers["Trendy-Person"], person != sender.person else { return }
    throw Problem(
      "other_person", status: 409, title: "Another user",
      detail: "this browser is now paired as another user: load the page again")
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

  func authenticate(_ request: HTTPRequest) async throws -> HubDevice {
    if let device = request.sender?.value as? HubDevice { return device }
    let values = request.headers.values(of: "Authorization")
    if values.isEmpty, let token = BrowserSession.token(of: request) {
      try configuration.check(browserOriginOf: request)
      return try await device(token: token, of: request)
    }
    guard values.count == 1, let value = values.first, value.lowercased().hasPrefix("bearer ") else {
      throw Problem(
        "unauthorized", status: 401, title: "Not paired",
        detail: "expected one header field Authorization: Bearer <token>; a token comes from pairing")
    }
    let token = value.dropFirst("bearer ".count).trimmingCharacters(in: .whitespaces)
    return try await device(token: token, of: request)
  }

  func device(token: String, of request: HTTPRequest) async throws -> HubDevice {
    if let device = request.sender?.value as? HubDevice { return device }
    return try await store.device(token: token, address: request.remoteAddress, accounts: accounts)
  }

  /// Writes one person's state, then tells their devices and webhooks where the head is. All writes of requests go through here.
  func write<Result: Sendable>(
    person: String, _ body: @escaping @Sendable (any HubTransaction) throws -> Result
  ) async throws -> Result {
    let (result, head) = try await store.write(person: person) { [self] transaction in
      try begin(for: person, in: transaction)
      let result = try body(transaction)
      return (result, try transaction.state().head)
    }
    begun.withLock { _ = $0.insert(person) }
    announce(head, of: person)
    return result
  }

  private func announce(_ head: Int64, of person: String) {
    streams.onHead(head, of: person)
    bells.ring(for: person)
    hints.tell(.head(person: person))
  }

  /// Something is there, or has changed, for a device as a companion.
  func announceNotice(for device: String) {
    streams.onNotice(for: device)
    hints.tell(.notice(device: device))
  }

  private func onHint(_ hint: HubHint) {
    switch hint {
    case .notice(let device): streams.onNotice(for: device)
    case .head(let person):
      guard streams.isOpen(for: person) else { return }
      Task(executorPreference: tasks) { [self] in
        // What cannot be read now is found by the next look.
        guard let head = try? await store.read(person: person, { try $0.state().head }) else { return }
        streams.onHead(head, of: person)
      }
    }
  }

  /// Notes the current life of the hub in the person's list, before anything is answered out of their state.
  func begin(for person: String) async throws {
    guard !begun.withLock({ $0.contains(person) }) else { return }
    try await write(person: person) { _ in }
  }

  /// Reads one person's state as of the present life of the hub, which is noted first where it is not yet.
  ///
  /// Of a life of the storage no process is told that it began: each read looks. An answer without it would be that of a server that
  /// knows no versions, where a database lost all that a person had: a device would take its empty lists for the truth.
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

  /// Lives that may begin while one request is answered.
  private static let mostBeginnings = 3

  /// Before the first version of a life is given out. Of a life of the storage no process can say that it has begun for a person:
  /// each write looks.
  private func begin(for person: String, in transaction: any HubTransaction) throws {
    let life = try transaction.epoch()
    if life == nil, begun.withLock({ $0.contains(person) }) { return }
    // Two first requests at once: the second finds it noted.
    let epoch = HubState.epoch(of: person, in: life ?? epoch)
    guard try transaction.state().epochs.last?.id != epoch else { return }
    _ = try core.begin(epoch: epoch, in: transaction)
  }

  /// Carries out what a request comes to. Entities depend on the record alone, which has a tag in each version: who knows it
  /// already is told so, and nothing more is read.
  func carryOut(_ work: HubWork, for person: String, request: HTTPRequest) async throws -> HTTPResponse {
    switch work {
    case .read(let body):
      let isTagged = HubMetrics.Route(request) == .entities
      return try await store.read(person: person) { [clock] reading in
        // Before the body: what is written meanwhile was not seen.
        let state = try reading.state()
        if isTagged, let unchanged = HTTPResponse.unchanged(state.tag, for: request) { return unchanged }
        let response = try body(reading).saying(state, at: clock.now)
        return isTagged ? response.tagged(state.tag, for: request) : response
      }
    case .write(let body):
      try await begin(for: person)
      return try await write(person: person) { [clock] transaction in
        try body(transaction).saying(try transaction.state(), at: clock.now)
      }
    }
  }

  /// Writes on the caller's thread, for parts of the hub that are synchronous themselves.
  func writeHere(person: String, _ body: (any HubTransaction) throws -> Void) throws {
    let head = try store.writeHere(person: person) { transaction in
      try begin(for: person, in: transaction)
      try body(transaction)
      return try transaction.state().head
    }
    begun.withLock { _ = $0.insert(person) }
    announce(head, of: person)
  }

  /// Reads a large body on a storage thread, in its sender's turn: it would take the runtime's own for milliseconds.
  func prepared<Result: Sendable>(
    _ call: HubCall, _ sender: HubDevice, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    guard call.request.body.count > Self.smallBody else { return try body() }
    return try await store.perform(.reading, for: sender.person, body)
  }

  private static let smallBody = 16_384

  /// Runs maintenance on a thread that the storage writes on, with the actors it calls: nobody's answer waits for it then.
  /// One piece of it runs at a time. A hub without a transport runs it where it is called.
  /// - Throws: what `body` throws, or a ``Problem`` with status 503 where 128 pieces wait already.
  public func runApart<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await store.run(person: "maintenance", body)
  }

  /// Shrinks what was deleted long ago, a bounded piece of each person's, and throws away files that nobody asked for any more; for
  /// when nobody waits.
  ///
  /// - Returns: whether there may be more to do at once.
  public func compact() throws -> Bool {
    imports?.sweep()
    let now = clock.now
    var isMore = false
    for person in try accounts.people() {
      let count = try store.writeHere(person: person.id) {
        try core.compact(limit: Self.compactionStep, in: $0, now: now)
      }
      if count == Self.compactionStep { isMore = true }
    }
    return isMore
  }

  private static let compactionStep = 500

  /// What the log says of a failure; a shortage of descriptors, which hits many requests at once, is told once a minute.
  private func words(for error: any Error) -> String? {
    guard case HubStorageError.exhausted = error else { return "\(error)" }
    guard shortage.withLock({ $0.onShortage(now: clock.uptime) }) else { return nil }
    return
      "no descriptor is left, this is logged once a minute: \(error); raise the limit (ulimit -n) or lower --limit connections"
  }

  func problem(for error: any Error) -> Problem {
    switch error {
    case let problem as Problem: problem
    case let error as HubQuotaError: error.problem
    case HubStorageError.full:
      Problem(
        "storage_full", status: 507, title: "Storage full",
        detail: "the hub has no room left: nothing was changed; what waits on the device stays there",
        retryAfter: .seconds(60))
    case HubStorageError.erased:
      Problem(
        "unauthorized", status: 401, title: "Not paired",
        detail: "whoever this device belonged to was removed from this hub")
    case HubStorageError.exhausted:
      Problem(
        "unavailable", status: 503, title: "Service unavailable",
        detail: "the hub has too many files open: nothing was changed; try again in a moment", retryAfter: .seconds(1))
    case HubStorageError.unreachable:
      Problem(
        "unavailable", status: 503, title: "Service unavailable",
        detail: "the hub's database does not answer: nothing was confirmed; try again in a moment",
        retryAfter: .seconds(1))
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
