import Foundation
import StorageTesting
import TrendyHub
import TrendyModels
import TrendyTesting

/// The way between one device and the hub: what happens on it is given to it beforehand, request by request.
///
/// @unchecked: touched only by the pieces of one story, which one executor runs one at a time.
final class Wire: @unchecked Sendable {
  struct Planned {
    var fault: NetworkFault
    var afterRequests: Int
  }

  private unowned let run: SimulationRun
  private let device: Int
  var planned: [Planned] = []
  /// What will reach the other side once more.
  private var late: [Call] = []

  init(run: SimulationRun, device: Int) {
    self.run = run
    self.device = device
  }

  /// A request to the hub.
  func send(_ request: HTTPRequest, from files: MortalFileSystem) async throws -> HTTPResponse {
    let isPush = request.method == "POST" && request.path.hasSuffix("/mutations")
    if isPush { run.ledger.onSend(request.body) }
    let call = Call(
      words: "\(request.method) \(request.target.dropFirst(7))",
      mutations: isPush ? Self.mutationCount(request) : 0,
      again: { _ = try await self.reach(request, isPush: isPush) })
    return try await meet(call, from: files) { thousandths in
      var response = try await self.reach(request, isPush: isPush)
      // A document is announced with its length: a client sees that it is cut off. A snapshot is not.
      guard let thousandths else { return response }
      guard request.target.contains("/snapshot"), response.status == 200 else { return nil }
      let body = try await response.collectedBody()
      response.body = .data(body.prefix(body.count * thousandths / 1000))
      return response
    }
  }

  /// What goes over the wire, whatever it is made of.
  struct Call {
    var words: String
    /// In a push; else 0.
    var mutations: Int
    /// Has it reach the other side once more, with nobody who waits.
    var again: () async throws -> Void
  }

  /// Carries out what was planned for the call.
  /// - Parameter reach: has it reach the other side; given a number of thousandths, the answer breaks off after so many of it, which is
  ///   `nil` where whoever asked would see that.
  func meet<Answer>(
    _ call: Call, from files: MortalFileSystem, reach: (_ thousandths: Int?) async throws -> Answer?
  ) async throws -> Answer {
    // Who lost power asks nothing more.
    guard !files.isDead, !run.devices[device].disk.isOff else { throw APIError.networkError("no power") }
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
      throw APIError.networkError("timed out")
    case .answerLost:
      _ = try await whole()
      try await run.clock.sleep(for: .seconds(15))
      throw APIError.networkError("timed out")
    case .doubled:
      _ = try await whole()
      return try await whole()
    case .repeatedLate:
      late.append(call)
      return try await whole()
    case .delayed(let milliseconds):
      try await run.clock.sleep(for: .milliseconds(milliseconds))
      let answer = try await whole()
      try await run.clock.sleep(for: .milliseconds(milliseconds))
      return answer
    case .truncated(let thousandths):
      guard let part = try await reach(thousandths) else { throw APIError.networkError("the answer was cut off") }
      return part
    case .status(let status, let retryAfter):
      throw Self.problem(status, retryAfter: retryAfter)
    case .gatewayTimeout:
      _ = try await whole()
      throw Self.problem(504, retryAfter: nil)
    }
  }

  /// What was on its way for long arrives at last; nobody waits for the answer.
  func deliverLate() async {
    let calls = late
    late = []
    for call in calls {
      run.tell("  \(deviceName(device)): \(call.words) arrives once more")
      // The hub may have lost power; the answer is for nobody.
      try? await call.again()
    }
  }

  private func nextFault(for call: Call) -> NetworkFault? {
    guard !planned.isEmpty else { return nil }
    for index in planned.indices { planned[index].afterRequests -= 1 }
    let place = planned.firstIndex { planned in
      guard planned.afterRequests < 0 else { return false }
      if case .status(413, _) = planned.fault { return call.mutations > 0 }
      return true
    }
    return place.map { planned.remove(at: $0).fault }
  }

  private static func problem(_ status: Int, retryAfter: Int?) -> APIError {
    .problem(
      ProblemDetails(
        type: "urn:trendy:error:simulated", title: "Simulated", status: status, detail: "a fault of the story"),
      retryAfter: retryAfter.map { .seconds($0) })
  }

  private static func mutationCount(_ request: HTTPRequest) -> Int {
    // One that cannot be read counts as none, and the ledger says so.
    (try? WireJSON.decode(PushRequest.self, from: request.body))?.mutations.count ?? 0
  }

  /// The hub, on whose disk power may go while it answers: then nobody hears the answer.
  private func reach(_ request: HTTPRequest, isPush: Bool) async throws -> HTTPResponse {
    if run.restartHubIfOff() { throw APIError.networkError("connection refused") }
    let server = run.hub.server
    let response = await server.handle(request)
    let isGone = run.hub.disk.isOff || server !== run.hub.server
    if run.restartHubIfOff() || isGone { throw APIError.networkError("connection reset") }
    if response.status < 300, !isPush, request.method == "POST" || request.method == "PATCH" {
      run.ledger.onPlainWrite(request.body)
    }
    if response.status == 200 {
      let body = try await response.collectedBody()
      if isPush { run.ledger.onPush(request: request.body, answer: body) }
      var response = response
      response.body = .data(body)
      return response
    }
    return response
  }
}
