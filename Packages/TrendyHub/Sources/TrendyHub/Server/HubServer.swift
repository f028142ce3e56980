import Foundation
import Synchronization
import TrendyModels
public import TrendyProtocols

/// A hub: serves requests from a storage, over a transport or in process.
///
/// The server authenticates a request, finds its route and completes the response. Handlers do the rest, and
/// ``HubCore`` merges changes. With a transport, storage calls run on separate threads with a bounded queue per user;
/// without one, everything runs on the caller's thread.
public final class HubServer: Sendable {
  /// Settings of the hub.
  public let configuration: HubConfiguration
  /// The hub's users, devices and pairing codes.
  public var accounts: HubAccounts { records.accounts }

  package let router: HubRouter
  private let records: HubRecords
  private let authenticator: Authenticator
  private let presence: DeviceContacts
  /// Rate limiter, or `nil` for no limit. The optional is inside the lock because debug builds with Swift 6.3.1 turn a
  /// missing `Mutex` into a present one with arbitrary content.
  private let limiter: Mutex<RequestLimiter?>
  private let trackers: TrackerHandlers
  private let pages: PageHandler
  private let imports: ImportJobs?
  private let compression: ResponseCompression
  private let metrics: HubMetrics
  private let log: AccessLog?
  private let shortage = Mutex(ShortageNotice())
  private let transport: (any HTTPTransport)?
  /// The lock that keeps other hubs out of the storage while this one is serving it.
  private let occupation = Mutex<(any Sendable)?>(nil)

  /// Creates a hub. Without a transport, it processes requests only through ``handle(_:)``.
  public init(
    storage: any HubStorage, transport: (any HTTPTransport)? = nil, ingest: (any Ingest)? = nil,
    files: FileIntake? = nil, pairingPicture: PairingPicture.Maker? = nil,
    clock: any TimeSource = SystemTime(),
    generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    configuration: HubConfiguration = HubConfiguration(), limits: HubStorageLimits = HubStorageLimits(),
    log: AccessLog? = nil, tasks: (any TaskExecutor)? = nil
  ) {
    let metrics = HubMetrics()
    let random = RandomSource(generator)
    let store = HubStore(
      storage: storage, threads: transport == nil ? nil : StorageThreads(limits: limits), metrics: metrics, clock: clock
    )
    let records = HubRecords(
      store: store, core: HubCore(quota: configuration.quota),
      accounts: HubAccounts(storage: storage, clock: clock, random: random), process: random.hexadecimalDigits(),
      streamLimit: configuration.streams, tasks: tasks)
    let authenticator = Authenticator(accounts: records.accounts, store: store, configuration: configuration)
    let presence = DeviceContacts(accounts: records.accounts, store: store)
    let readings = PostedTracks(records: records, ingest: ingest)
    let trackers = TrackerHandlers(records: records, readings: readings)
    let imports = files.map { ImportJobs(intake: $0, clock: clock, hasThreads: transport != nil) }
    let dayCounts = DayCountCache()
    let entities = EntityHandlers(records: records)

    var routes = StatusHandlers(records: records, metrics: metrics).routes.counted(as: .probe)
    routes += AccountHandlers(
      records: records, authenticator: authenticator, presence: presence, configuration: configuration,
      pairingPicture: pairingPicture
    ).routes.counted(as: .account)
    routes += SyncHandlers(records: records, snapshotPartBytes: configuration.snapshotPartBytes).routes
      .counted(as: .sync)
    routes += CompanionHandlers(records: records).routes.counted(as: .companions)
    routes += InsightHandlers(clock: clock, dayCounts: dayCounts).routes.counted(as: .insights)
    routes += TripHandlers(records: records, readings: readings).routes
    routes += MileageHandlers(records: records).routes
    routes += trackers.routes.counted(as: .live)
    routes += ImportHandlers(records: records, files: imports).routes
    routes += ExportHandlers(records: records, readings: readings).routes
    routes += TileHandlers(store: store, tiles: configuration.tiles).routes
    routes +=
      (entities.routes + TypeHandlers(records: records, entities: entities).routes
      + EventHandlers(dayCounts: dayCounts).routes).counted(as: .entities).tagged(by: .record)
    routes.append(.openAPI(of: routes))

    self.configuration = configuration
    self.records = records
    self.authenticator = authenticator
    self.presence = presence
    self.trackers = trackers
    self.imports = imports
    self.metrics = metrics
    self.log = log
    self.transport = transport
    router = HubRouter(routes, takesReadings: ingest != nil)
    limiter = Mutex(configuration.requestsPerMinute.map { RequestLimiter(requestsPerMinute: $0) })
    pages = PageHandler(tiles: configuration.tiles)
    compression = ResponseCompression(store: store)
  }
}

// MARK: Life cycle

extension HubServer {
  /// Serves requests until ``stop()``.
  ///
  /// - Returns: The bound port.
  /// - Throws: ``HTTPTransportError``, or ``HubStorageError`` if another hub is serving the storage.
  public func start() async throws -> UInt16 {
    guard let transport else { throw HTTPTransportError.system(operation: "start without a transport", code: 0) }
    let occupation = try records.storage.acquireExclusiveAccess()
    imports?.clearFolder()
    let port = try await transport.start { [self] request in
      await admit(request)
    } handler: { [self] request in
      await handle(request)
    }
    if occupation != nil { records.streams.onAlone() }
    self.occupation.withLock { $0 = occupation }
    try listen()
    return port
  }

  /// Receives hints from other hubs that share the storage, until ``stop()``. ``start()`` calls this.
  public func listen() throws { try records.listen() }

  /// Returns once the transport and the storage workers have each processed one call.
  ///
  /// Never returns if the hub hangs, so a watchdog can detect a hang.
  public func turn() async throws {
    await transport?.turn()
    try await records.store.perform(.reading, for: "watchdog") {}
    try await records.store.perform(.writing, for: "watchdog") {}
  }

  /// Closes the change streams and waits for running requests.
  public func stop() async {
    records.streams.stop()
    imports?.stop()
    await transport?.stop()
    occupation.withLock { $0 = nil }
    records.stopListening()
  }

  package func waitingWrites(of user: String) -> Int { records.store.threads?.waitingWrites(of: user) ?? 0 }

  /// Creates a service that writes the trips and visits detected in a user's posted readings.
  public func ingestDesk(user: String) -> UserRecordService { records.ingestDesk(user: user) }

  /// Delivers changes to the webhooks of all users until its task is cancelled.
  ///
  /// - Parameters:
  ///   - sender: Sends requests over the network.
  ///   - report: Receives descriptions of storage failures.
  public func deliverWebhooks(by sender: any WebhookSender, report: @escaping @Sendable (String) -> Void) async {
    await WebhookDeliverer(records: records, metrics: metrics).run(by: sender, report: report)
  }

  /// Runs maintenance on a storage worker for writes, so no response waits for it.
  ///
  /// Actors called by `body` run there too. Calls do not overlap. Without a transport, `body` runs in the caller's
  /// context.
  ///
  /// - Throws: Errors of `body`, or a ``Problem`` with status 503 if 128 calls are pending.
  public func runApart<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await records.store.run(user: "maintenance", body)
  }

  /// Compacts a bounded number of old tombstones in each record and deletes abandoned uploads.
  ///
  /// Called while the hub is idle.
  ///
  /// - Returns: Whether more work may remain.
  public func compact() throws -> Bool {
    imports?.sweep()
    let now = records.clock.now
    var isMore = false
    for user in try accounts.users() {
      let count = try records.store.writeHere(user: user.id) {
        try records.core.compact(limit: Self.compactionStep, in: $0, now: now)
      }
      if count == Self.compactionStep { isMore = true }
    }
    return isMore
  }

  private static let compactionStep = 500
}

// MARK: Requests

extension HubServer {
  private struct Exchange {
    let request: HTTPRequest
    let destination: HubRouter.Destination
    let start: Duration
    var device: HubDevice?
    var failure: String?
  }

  /// Processes one request.
  public func handle(_ request: HTTPRequest) async -> HTTPResponse {
    var exchange = begin(request)
    do {
      return await finish(try await respond(&exchange), exchange)
    } catch {
      return await refuse(exchange, error)
    }
  }

  /// Maximum body size of a request without a token, in bytes, which suffices for pairing.
  private static let largestOpenBody = 4096

  /// Authorizes a request by its head, before its body is received.
  private func admit(_ request: HTTPRequest) async -> HTTPAdmission {
    let exchange = begin(request)
    do {
      let device = try await authorize(exchange)
      return .admitted(bodyBytes: device == nil ? Self.largestOpenBody : .max, sender: device)
    } catch {
      return .refused(await refuse(exchange, error))
    }
  }

  private func begin(_ request: HTTPRequest) -> Exchange {
    var request = request
    request.remoteAddress = configuration.sender(of: request)
    return Exchange(request: request, destination: router.destination(of: request), start: records.clock.uptime)
  }

  private func authorize(_ exchange: Exchange) async throws -> HubDevice? {
    try configuration.check(namesOf: exchange.request)
    return try await authenticator.device(of: exchange.request, for: exchange.destination.access)
  }

  private func respond(_ exchange: inout Exchange) async throws -> HTTPResponse {
    let device = try await authorize(exchange)
    exchange.device = device
    if let device { try check(device, exchange) }
    switch exchange.destination {
    case .nothing(let problem, _, _): throw problem
    case .page(let file, let status): return pages.respond(with: file, status: status)
    case .tracker(let posted):
      guard let device else { preconditionFailure("a tracker's request was not authenticated") }
      let answer = try await trackers.take(posted, device)
      exchange.failure = answer.delay
      return posted.response(to: answer)
    case .route(let route, let call):
      let response = try await respond(route, call, device)
      return route.tag == .content ? response.taggedByContent() : response
    }
  }

  private func respond(_ route: HubRoute, _ call: HubCall, _ device: HubDevice?) async throws -> HTTPResponse {
    switch (route.handler, device) {
    case (.open(let handler), _), (.local(let handler), _): return try await handler(call)
    case (.device(let handler), let device?): return try await handler(call, device)
    case (.record(let handler), let device?):
      let work = try await records.prepared(call.request, device) { try handler(call, device) }
      return try await records.carryOut(work, for: device.user, request: call.request, tag: route.tag)
    case (.device, nil), (.record, nil): preconditionFailure("a request to \(route.address) was not authenticated")
    }
  }

  /// Rejects a page that is showing another user's record, because its browser was paired again in another tab, and a
  /// device that exceeds the rate limit.
  private func check(_ device: HubDevice, _ exchange: Exchange) throws(Problem) {
    if let user = exchange.request.headers["Trendy-Person"], user != device.user {
      throw Problem(
        "other_person", status: 409, title: "Another user",
        detail: "this browser is now paired as another user: reload the page")
    }
    guard exchange.destination.isMetered else { return }
    if let delay = limiter.withLock({ $0?.onRequest(of: device.id, now: records.clock.uptime) }) {
      throw Problem(
        "rate_limited", status: 429, title: "Too many requests",
        detail:
          "\"\(device.name)\" sends more than \(configuration.requestsPerMinute ?? 0) requests per minute: try again in \(delay.components.seconds + 1) s",
        retryAfter: delay)
    }
  }

  private func refuse(_ exchange: Exchange, _ error: any Error) async -> HTTPResponse {
    var exchange = exchange
    switch error {
    case is HubQuotaError: metrics.onQuota()
    case is Problem: break
    default: exchange.failure = logText(for: error)
    }
    let problem = Problem(for: error)
    return await finish(
      problem.response(instance: String(exchange.request.path), requestId: exchange.request.id), exchange)
  }

  /// Returns the text to log for an error. A shortage of descriptors affects many requests at once and is logged only
  /// once a minute.
  private func logText(for error: any Error) -> String? {
    guard case HubStorageError.exhausted = error else { return "\(error)" }
    guard shortage.withLock({ $0.onShortage(now: records.clock.uptime) }) else { return nil }
    return
      "out of file descriptors (logged once a minute): \(error); raise the limit (ulimit -n) or lower --limit connections"
  }

  /// Completes a response (conditional requests, compression, common headers), then updates contact time, metrics and
  /// log.
  private func finish(_ response: HTTPResponse, _ exchange: Exchange) async -> HTTPResponse {
    let (request, device, group) = (exchange.request, exchange.device, exchange.destination.group)
    var response = await compression.compressed(
      response.unchanged(for: request) ?? response, for: request, group: group,
      owner: device?.user ?? request.remoteAddress)
    response.headers["X-Request-Id"] = request.id
    response.headers["X-Content-Type-Options"] = "nosniff"
    if response.headers["Cache-Control"] == nil { response.headers["Cache-Control"] = "no-store" }
    if let device { presence.onRequest(request, of: device) }
    let duration = records.clock.uptime - exchange.start
    metrics.onRequest(group, status: response.status, duration: duration)
    log?(
      AccessLogEntry(
        requestId: request.id, method: request.method, path: String(request.path), status: response.status,
        remoteAddress: request.remoteAddress, device: device?.id, duration: duration, failure: exchange.failure))
    return response
  }
}
