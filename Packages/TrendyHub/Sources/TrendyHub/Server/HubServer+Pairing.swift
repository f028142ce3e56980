import Synchronization
import TrendyModels
import TrendyProtocols

extension HubServer {
  /// Answers `/pair`.
  func pair(_ call: HubCall) async throws -> HTTPResponse {
    let (token, device) = try await paired(call)
    return try .wire(
      PairResponse(token: token, deviceId: device.id, person: device.person, hub: configuration.name), status: 201)
  }

  /// Takes the request's code, unless too many were wrong from where it comes.
  func paired(_ call: HubCall) async throws -> (token: String, device: HubDevice) {
    let address = call.request.remoteAddress
    if let delay = pairing.withLock({ $0.delay(address: address, now: clock.uptime) }) {
      throw Problem(
        "rate_limited", status: 429, title: "Too many tries",
        detail: "too many pairing codes were wrong: wait, then ask for a new code", retryAfter: delay)
    }
    let asked = try call.document(PairRequest.self)
    do {
      return try await store.perform(.writing, for: "directory") { [accounts] in
        try accounts.pair(code: asked.code, deviceName: asked.deviceName, holder: asked.person)
      }
    } catch let problem as Problem where problem.kind == "pairing_code_invalid" {
      pairing.withLock { $0.onFailure(address: address, now: clock.uptime) }
      throw problem
    }
  }
}
