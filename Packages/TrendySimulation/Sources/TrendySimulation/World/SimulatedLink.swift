import Foundation
import StorageTesting
import TrendyHub
import TrendyModels
import TrendyTesting

/// Connection between a device and the hub, with faults that are planned per request.
///
/// @unchecked: used only by the jobs of one scenario, which run one at a time on one executor.
final class SimulatedLink: @unchecked Sendable {
  struct Planned {
    var fault: NetworkFault
    var afterRequests: Int
  }

  private unowned let run: SimulationRun
  private let device: Int
  var planned: [Planned] = []
  private var late: [Call] = []
  private var outage = Outage()
  var requestsPerMinute: Int?
  /// Whether rate-limited responses contain `Retry-After`.
  var saysWhen = true
  private var taken: [Duration] = []
  private var asking: Set<ObjectIdentifier> = []
  private(set) var requests = 0
  private var signals = Signals()
  /// Seeds for the corruption of the next responses.
  var lies: ArraySlice<UInt64> = []
  /// Maximum number of requests while no time passes. A higher number indicates an endless loop. Two requests per
  /// version of the hub are allowed in addition, because each part of a snapshot or feed contains at least one version.
  private static let paceLimit = 1000
  private var paceStart: Duration = .zero
  private var pace = 0
  private var backoff = BackoffChecker()

  init(run: SimulationRun, device: Int) {
    self.run = run
    self.device = device
  }

  /// Response from the hub, with its decoded form if it answers a push.
  typealias Answer = (response: HTTPResponse, judged: PushResponse?)

  /// Sends a request to the hub. `push` is the decoded body of a push.
  func send(_ request: HTTPRequest, _ push: PushRequest?, from files: ProcessFileSystem) async throws -> Answer {
    if let push { run.ledger.onSend(push, by: device) }
    if request.target.contains("/snapshot") { run.checkSnapshot(of: device) }
    let call = Call(
      words: "\(request.method) \(request.target.dropFirst(7))", mutations: push?.mutations.count ?? 0,
      again: { _ = try await self.reach(request, push) },
      onRefusal: { if let push { self.run.ledger.onRefusal(push.mutations.map { ($0.id, $0.entityId) }) } })
    var answer: Answer = try await meet(
      call, from: files,
      garble: { _ in (HTTPResponse(status: 200, body: .data(Data("<html>Welcome to this hotel</html>".utf8))), nil) }
    ) { thousandths in
      var answer = try await self.reach(request, push)
      // The client detects a truncated response by its length. A snapshot has no length.
      guard let thousandths else { return answer }
      guard request.target.contains("/snapshot"), answer.response.status == 200 else { return nil }
      let body = try await answer.response.collectedBody()
      answer.response.body = .data(body.prefix(body.count * thousandths / 1000))
      return answer
    }
    if run.tellsRequests { tell(answer.response, to: request, push) }
    // Responses to a process that has ended are irrelevant.
    if answer.response.status == 409, !files.isDead { try await noteBreach(answer.response) }
    if let lie = lies.popFirst() { try await tellLie(lie, in: &answer, of: request) }
    return answer
  }

  private func tell(_ response: HTTPResponse, to request: HTTPRequest, _ push: PushRequest?) {
    let sent = (push?.mutations ?? []).map { " \($0.sequence) \($0.operation) \($0.entityId)" }.joined(separator: ",")
    var beginning = ""
    if case .data(let body) = response.body { beginning = String(decoding: body.prefix(160), as: UTF8.self) }
    let line = beginning.split(separator: "\n").first ?? ""
    run.tell(
      "    \(deviceName(device)): \(request.method) \(request.target.dropFirst(7))\(sent) -> \(response.status) \(line)"
    )
  }

  private func noteBreach(_ response: HTTPResponse) async throws {
    // Without a problem document, the response reports neither a fork nor a restore.
    guard let problem = try? WireJSON.decode(ProblemDetails.self, from: try await response.collectedBody()) else {
      return
    }
    run.ledger.onBreach(problem.type, device: device)
  }

  private func tellLie(_ choice: UInt64, in answer: inout Answer, of request: HTTPRequest) async throws {
    guard answer.response.status == 200 else { return }
    var generator = SeededGenerator(seed: choice)
    let body = try await answer.response.collectedBody()
    answer = (answer.response, nil)
    answer.response.body = .data(ResponseCorruptor.about(body, using: &generator))
    run.ledger.hubLied = true
    run.count("hub_lied")
    run.tell("  \(deviceName(device)): the response to \(request.method) \(request.target.dropFirst(7)) is corrupted")
  }

  /// Request, independent of its transport.
  struct Call {
    var words: String
    /// Number of mutations in a push, or 0 for any other request.
    var mutations: Int
    var again: () async throws -> Void
    /// Called if all mutations are permanently rejected.
    var onRefusal: () -> Void = {}
  }

  /// Applies the planned fault to a call.
  /// - Parameters:
  ///   - garble: Returns the response that an intermediary sends instead of the hub.
  ///   - reach: Sends the call. Given a number of thousandths, it truncates the response, or returns `nil` if the
  ///     client detects the truncation.
  func meet<Answer>(
    _ call: Call, from files: ProcessFileSystem, garble: (Answer) throws -> Answer,
    reach: (_ thousandths: Int?) async throws -> Answer?
  ) async throws -> Answer {
    guard !files.isDead, !run.devices[device].disk.isOff else { throw APIError.networkError("no power") }
    requests += 1
    try await checkPace(call)
    // Each process sends one request at a time.
    let process = ObjectIdentifier(files)
    if !asking.insert(process).inserted {
      run.ledger.report(.oneSyncPerStore, "\(deviceName(device)) sends two requests at once: \(call.words)")
    }
    defer { asking.remove(process) }
    if hasOutage {
      if let excess = outage.onRequest(at: run.clock.uptime, process: process), run.areAgents {
        run.ledger.report(.outageBoundsRequests, "\(deviceName(device)) \(excess)")
      }
      throw APIError.networkError("no network")
    }
    if call.mutations > 0, let violation = backoff.onPush(at: run.clock.uptime, process: process) {
      run.ledger.report(.backlogDrains, "\(deviceName(device)) pushes \(violation)")
    }
    do {
      try takeSlot()
      let answer = try await meetFault(call, garble: garble, reach: reach)
      backoff.onAnswer(isPush: call.mutations > 0, hasWaiting: run.hasWaiting(device))
      return answer
    } catch let error as APIError where error.isRateLimited {
      if run.tellsRequests { run.tell("    \(deviceName(device)): \(call.words) is rejected at \(run.clock.uptime)") }
      backoff.onRateLimit(
        isPush: call.mutations > 0, retryAfter: error.retryAfter, at: run.clock.uptime, process: process)
      throw error
    }
  }

  private func meetFault<Answer>(
    _ call: Call, garble: (Answer) throws -> Answer, reach: (_ thousandths: Int?) async throws -> Answer?
  ) async throws -> Answer {
    let fault = nextFault(for: call)
    if let fault {
      run.count(fault.kind)
      run.tell("  \(deviceName(device)): \(call.words) is \(fault)")
    }
    func whole() async throws -> Answer {
      guard let answer = try await reach(nil) else { throw APIError.networkError("no answer") }
      return answer
    }
    switch fault {
    case nil:
      return try await whole()
    case .requestLost:
      try await run.clock.sleep(for: .seconds(15))
      throw APIError.timedOut("no answer")
    case .answerLost:
      _ = try await whole()
      try await run.clock.sleep(for: .seconds(15))
      throw APIError.timedOut("no answer")
    case .doubled:
      _ = try await whole()
      return try await whole()
    case .repeatedLate:
      late.append(call)
      return try await whole()
    case .delayed(let milliseconds):
      try await delay(milliseconds)
      let answer = try await whole()
      try await delay(milliseconds)
      return answer
    case .truncated(let thousandths):
      guard let part = try await reach(thousandths) else { throw APIError.networkError("the response was truncated") }
      return part
    case .garbled:
      return try garble(try await whole())
    case .status(let status, let retryAfter):
      if (400..<500).contains(status), ![401, 429].contains(status) { call.onRefusal() }
      throw Self.problem(status, retryAfter: retryAfter)
    case .refused(let status, let isJudged):
      if isJudged { _ = try await whole() }
      call.onRefusal()
      throw Self.problem(status, retryAfter: nil)
    case .gatewayTimeout:
      _ = try await whole()
      throw Self.problem(504, retryAfter: nil)
    }
  }

  /// Delivers late requests and discards their responses.
  func deliverLate() async {
    let calls = late
    late = []
    for call in calls {
      run.tell("  \(deviceName(device)): \(call.words) arrives again")
      // The hub may be off. The response is not needed.
      try? await call.again()
    }
  }

  /// Delays a request. After the last fault, returns immediately.
  private func delay(_ milliseconds: Int) async throws {
    let end = run.clock.uptime + .milliseconds(milliseconds)
    while run.clock.uptime < end, !run.areFaultsOver {
      try await run.clock.sleep(for: min(.seconds(60), end - run.clock.uptime))
    }
  }

  // MARK: Limits

  private func checkPace(_ call: Call) async throws {
    let now = run.clock.uptime
    if now != paceStart { (paceStart, pace) = (now, 0) }
    pace += 1
    guard pace > Self.paceLimit + 2 * Int(min(run.ledger.highestHead, 1_000_000)) else { return }
    run.ledger.report(
      nil, "\(deviceName(device)) sends \(pace) requests without delay, the last one \(call.words)")
    try await run.clock.sleep(for: .seconds(60))
  }

  func beginOutage(seconds: Int) {
    outage.begin(at: run.clock.uptime, lasting: .seconds(seconds))
    signals.end()
  }

  func endOutage() { outage = Outage() }

  var hasOutage: Bool { run.clock.uptime < outage.end }

  func expectBackoff(_ areExpected: Bool) { backoff.areExpected = areExpected }

  private func takeSlot() throws {
    guard let limit = requestsPerMinute else { return }
    let now = run.clock.uptime
    taken.removeAll { $0 + .seconds(60) <= now }
    guard taken.count < limit else {
      let wait = taken[taken.count - limit] + .seconds(60) - now
      throw Self.problem(429, retryAfter: saysWhen ? Int(wait.components.seconds) + 1 : nil)
    }
    taken.append(now)
  }

  func openSignals(for files: ProcessFileSystem) -> AsyncThrowingStream<Int64, any Error> {
    let (stream, continuation) = AsyncThrowingStream<Int64, any Error>.makeStream(bufferingPolicy: .bufferingNewest(1))
    if hasOutage, let excess = outage.onStream(at: run.clock.uptime, process: ObjectIdentifier(files)) {
      run.ledger.report(.outageBoundsRequests, "\(deviceName(device)) \(excess)")
    }
    if files.isDead || hasOutage || signals.areRefused || run.hub.isOff {
      continuation.finish(throwing: APIError.networkError("no stream"))
    } else {
      signals.open(continuation, head: run.hub.head)
    }
    return stream
  }

  func loseSignals(isSilent: Bool) { if isSilent { signals.silence() } else { signals.end() } }
  func refuseSignals(_ areRefused: Bool) {
    signals.areRefused = areRefused
    if areRefused { signals.end() }
  }
  func onHead(_ head: Int64) { signals.tell(head) }

  private func nextFault(for call: Call) -> NetworkFault? {
    guard !planned.isEmpty else { return nil }
    for index in planned.indices { planned[index].afterRequests -= 1 }
    let place = planned.firstIndex { planned in
      guard planned.afterRequests < 0 else { return false }
      switch planned.fault {
      case .status(413, _), .refused: return call.mutations > 0
      default: return true
      }
    }
    return place.map { planned.remove(at: $0).fault }
  }

  private static func problem(_ status: Int, retryAfter: Int?) -> APIError {
    .problem(
      ProblemDetails(
        type: "urn:trendy:error:simulated", title: "Simulated", status: status, detail: "an injected fault"),
      retryAfter: retryAfter.map { .seconds($0) })
  }

  /// Sends a request to the hub. If the hub loses power in the meantime, there is no response.
  private func reach(_ request: HTTPRequest, _ push: PushRequest?) async throws -> Answer {
    if run.restartHubIfOff() { throw APIError.networkError("connection refused") }
    let server = run.hub.nextServer()
    let (losses, doubts) = (run.hub.losses, run.hub.database?.doubts)
    let now = Int64((run.hub.clock.now.timeIntervalSince1970 * 1000).rounded())
    let response = await server.handle(request)
    if request.method != "GET" { run.tellHead() }
    let isGone = run.hub.isOff || !run.hub.isServing(server)
    if run.restartHubIfOff() || isGone {
      if let push { run.ledger.onUnsure(push) }
      throw APIError.networkError("connection reset")
    }
    if response.status >= 500 {
      run.onFailure(of: request, status: response.status)
      // If the database did not confirm a commit, the hub cannot know its result.
      if let push, run.hub.database != nil { run.ledger.onUnsure(push) }
    }
    // Other requests may have written between a commit and its confirmation, in unknown order.
    if let push, let database = run.hub.database, database.isInDoubt || database.doubts != doubts {
      run.ledger.onUnsure(push)
    }
    // Confirmed writes may be lost before the response arrives.
    if losses != run.hub.losses {
      if let push {
        run.ledger.onUnsure(push)
        let body = try await response.collectedBody()
        // A response that is not a push response rejects no mutations.
        if let judged = try? WireJSON.decode(PushResponse.self, from: body) {
          run.ledger.onForgotten(push, answer: judged)
        }
        return (HTTPResponse(status: response.status, headers: response.headers, body: .data(body)), nil)
      }
      return (response, nil)
    }
    if response.status < 300, push == nil, request.method == "POST" || request.method == "PATCH" {
      run.ledger.onPlainWrite(request.body)
    }
    guard response.status == 200 || response.status == 409 else { return (response, nil) }
    let body = try await response.collectedBody()
    // A response that reports a fork contains the preceding outcomes, which may be new to the device.
    guard response.status == 200 || (push != nil && isFork(body)) else { return (response, nil) }
    var answer: Answer = (response, nil)
    answer.response.body = .data(body)
    guard let push else { return answer }
    do {
      let judged = try WireJSON.decode(PushResponse.self, from: body)
      run.ledger.onPush(push, answer: judged, now: now)
      answer.judged = judged
    } catch {
      run.ledger.report(.savedDataIsDurable, "the response to a push cannot be decoded: \(error)")
    }
    return answer
  }

  /// Whether a response reports a fork with the preceding outcomes. A fork detected from the position has none.
  private func isFork(_ body: Data) -> Bool {
    (try? WireJSON.decode(PushResponse.self, from: body))?.isForked == true
  }
}
