import TrendyModels

extension HubServer {
  /// Answers `/pair`.
  func pair(_ call: HubCall) async throws -> HTTPResponse {
    let (token, device) = try await paired(call)
    return try .wire(
      PairResponse(token: token, deviceId: device.id, person: device.person, hub: configuration.name), status: 201)
  }

  /// Exchanges the request's code for a token.
  func paired(_ call: HubCall) async throws -> (token: String, device: HubDevice) {
    let address = call.request.remoteAddress
    let asked = try call.document(PairRequest.self)
    return try await store.perform(.writing, for: "directory") { [accounts] in
      try accounts.pair(
        code: asked.code, deviceName: asked.deviceName, holder: asked.person, address: address)
    }
  }
}
