import Foundation
import Testing
import TrendyModels
import TrendyNetworking

@Suite("Pairing", .timeLimit(.minutes(10)))
struct PairTests {
  @Test func `pairing exchanges the code for a token and sends no token`() async throws {
    let server = ScriptedServer([.answer(200, #"{"token":"t","device_id":"d","person":"ada"}"#)])
    defer { server.stop() }
    let response = try await APIClient.pair(baseURL: server.baseURL, code: " 4821-0937\n", deviceName: "Ada's phone")
    #expect(response == PairResponse(token: "t", deviceId: "d", user: "ada"))
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(request.target == "/api/v1/pair")
    #expect(request.headers["authorization"] == nil)
    #expect(
      try WireJSON.decode(PairRequest.self, from: request.body)
        == PairRequest(code: "4821-0937", deviceName: "Ada's phone"))
  }

  @Test func `pairing with a wrong code throws the hub's problem`() async throws {
    let server = ScriptedServer([
      .answer(403, #"{"type":"urn:trendy:error:wrong_code","title":"Wrong code"}"#, type: "application/problem+json")
    ])
    defer { server.stop() }
    await #expect(
      throws: APIError.problem(
        ProblemDetails(type: "urn:trendy:error:wrong_code", title: "Wrong code", status: 403), retryAfter: nil)
    ) { try await APIClient.pair(baseURL: server.baseURL, code: "1", deviceName: "x") }
  }

  @Test func `pairing does not send a code in clear text to another machine`() async throws {
    let url = try #require(URL(string: "http://192.0.2.1"))
    await #expect(throws: HubAddressError.insecure(host: "192.0.2.1")) {
      try await APIClient.pair(baseURL: url, code: "1", deviceName: "x")
    }
  }
}
