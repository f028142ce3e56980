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
  /// Requests that will reach the hub once more.
  var late: [HTTPRequest] = []

  init(run: SimulationRun, device: Int) {
    self.run = run
    self.device = device
  }

  func send(_ request: HTTPRequest, from files: MortalFileSystem) async throws -> HTTPResponse {
    // Who lost power asks nothing more.
    guard !files.isDead, !run.devices[device].disk.isOff else { throw APIError.networkError("no power") }
    let isPush = request.method == "POST" && request.path.hasSuffix("/mutations")
    if isPush { run.ledger.onSend(request.body) }
    let fault = nextFault(for: request, isPush: isPush)
    if let fault {
      run.count(fault.kind)
      run.tell("  \(deviceName(device)): \(request.method) \(request.target.dropFirst(7)) is \(fault)")
    }
    switch fault {
    case nil:
      return try await reach(request, isPush: isPush)
    case .requestLost:
      try await run.clock.sleep(for: .seconds(15))
      throw APIError.networkError("timed out")
    case .answerLost:
      _ = try await reach(request, isPush: isPush)
      try await run.clock.sleep(for: .seconds(15))
      throw APIError.networkError("timed out")
    case .doubled:
      _ = try await reach(request, isPush: isPush)
      return try await reach(request, isPush: isPush)
    case .repeatedLate:
      late.append(request)
      return try await reach(request, isPush: isPush)
    case .delayed(let milliseconds):
      try await run.clock.sleep(for: .milliseconds(milliseconds))
      let response = try await reach(request, isPush: isPush)
      try await run.clock.sleep(for: .milliseconds(milliseconds))
      return response
    case .truncated(let thousandths):
      var response = try await reach(request, isPush: isPush)
      let body = try await response.collectedBody()
      // A document is announced with its length: a client sees that it is cut off. A snapshot is not.
      guard request.target.contains("/snapshot"), response.status == 200 else {
        throw APIError.networkError("the answer was cut off")
      }
      response.body = .data(body.prefix(body.count * thousandths / 1000))
      return response
    case .status(let status, let retryAfter):
      let problem = Problem(
        "simulated", status: status, title: "Simulated", detail: "a fault of the story",
        retryAfter: retryAfter.map { .seconds($0) })
      return problem.response(instance: nil, requestId: request.id)
    case .gatewayTimeout:
      _ = try await reach(request, isPush: isPush)
      return Problem("simulated", status: 504, title: "Gateway timeout", detail: "a fault of the story")
        .response(instance: nil, requestId: request.id)
    }
  }

  /// What was on its way for long arrives at last; nobody waits for the answer.
  func deliverLate() async {
    let requests = late
    late = []
    for request in requests {
      run.tell("  \(deviceName(device)): \(request.method) \(request.target.dropFirst(7)) arrives once more")
      // The hub may have lost power; the answer is for nobody.
      _ = try? await reach(request, isPush: request.path.hasSuffix("/mutations"))
    }
  }

  private func nextFault(for request: HTTPRequest, isPush: Bool) -> NetworkFault? {
    guard !planned.isEmpty else { return nil }
    for index in planned.indices { planned[index].afterRequests -= 1 }
    guard
      let place = planned.firstIndex(where: { planned in
        guard planned.afterRequests < 0 else { return false }
        if case .status(413, _) = planned.fault { return isPush && Self.mutationCount(request) > 1 }
        if case .truncated = planned.fault { return true }
        return true
      })
    else { return nil }
    return planned.remove(at: place).fault
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
