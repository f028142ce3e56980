import Foundation
import Testing
import TrendyModels

@testable import TrendyNetworking

/// Requests the event types and returns the resulting error.
private func failure(_ answer: [ScriptedServer.Step]) async throws -> (error: APIError?, server: ScriptedServer) {
  let server = ScriptedServer(answer)
  defer { server.stop() }
  let client = try APIClient(baseURL: server.baseURL, token: "secret")
  let error = await #expect(throws: APIError.self) { try await client.getEventTypes() }
  return (error, server)
}

@Suite("Responses", .timeLimit(.minutes(10)))
struct AnswerTests {
  @Test func `a problem document is decoded completely`() async throws {
    let document =
      #"{"type":"urn:trendy:error:rate_limited","title":"Too many","status":429,"detail":"wait","instance":"/x","#
      + #""request_id":"7f3a"}"#
    let (error, _) = try await failure([
      .answer(429, document, type: "application/problem+json; charset=utf-8", headers: ["Retry-After: 7"])
    ])
    let problem = ProblemDetails(
      type: "urn:trendy:error:rate_limited", title: "Too many", status: 429, detail: "wait", instance: "/x",
      requestId: "7f3a")
    #expect(error == .problem(problem, retryAfter: .seconds(7)))
    #expect(error?.isRateLimited == true)
  }

  @Test func `the status of the response overrides the one in the document`() async throws {
    let (error, _) = try await failure([
      .answer(503, #"{"title":5,"detail":"down","status":"200"}"#, type: "application/problem+json")
    ])
    #expect(error == .problem(ProblemDetails(status: 503, detail: "down"), retryAfter: nil))
    #expect(error?.isTransient == true)
  }

  @Test func `the request id comes from the header if the document has none`() async throws {
    let (error, _) = try await failure([
      .answer(401, #"{"title":"No"}"#, type: "application/problem+json", headers: ["X-Request-Id: 9c"])
    ])
    #expect(error == .problem(ProblemDetails(title: "No", status: 401, requestId: "9c"), retryAfter: nil))
  }

  @Test func `a duplicate is recognized by its type`() async throws {
    let (error, _) = try await failure([
      .answer(409, #"{"type":"urn:trendy:error:duplicate","status":409}"#, type: "application/problem+json")
    ])
    #expect(error?.isDuplicateError == true)
  }

  @Test(
    "an error without a document contains the status", arguments: [400, 401, 403, 404, 409, 413, 418, 500, 502, 503])
  func bareStatus(status: Int) async throws {
    let (error, _) = try await failure([.answer(status, "<h1>no</h1>", type: "text/html")])
    #expect(error == .httpError(status))
  }

  @Test(
    "an invalid problem document leaves the status",
    arguments: ["", "{", "[]", #""text""#, #"{"status":500"#])
  func brokenProblem(body: String) async throws {
    let (error, _) = try await failure([.answer(500, body, type: "application/problem+json")])
    #expect(error == .httpError(500))
  }

  @Test func `Retry-After works without a document`() async throws {
    let (error, _) = try await failure([.answer(503, "busy", type: "text/plain", headers: ["Retry-After: 120"])])
    #expect(error?.statusCode == 503)
    #expect(error?.retryAfter == .seconds(120))
  }

  @Test func `a date in Retry-After is relative to the hub's clock`() async throws {
    let (error, _) = try await failure([
      .answer(
        503, "", type: nil,
        headers: ["Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT"])
    ])
    #expect(error?.retryAfter == .seconds(30))
  }

  @Test func `an HTML page instead of JSON is reported`() async throws {
    let (error, server) = try await failure([.answer(200, "<html>Welcome</html>", type: "text/html; charset=utf-8")])
    #expect(
      error
        == .decodingError(
          "127.0.0.1:\(server.port) responded with text/html instead of JSON (GET /event-types): is this a Trendy hub?")
    )
  }

  @Test func `an unreadable response names method, path, request id and field`() async throws {
    let (error, server) = try await failure([
      .answer(200, ##"[{"id":"t1","name":5,"color":"#FF0000","icon":"cup"}]"##, headers: ["X-Request-Id: 7f3a"])
    ])
    let words = try #require(error?.decodingWords)
    #expect(
      words.hasPrefix("invalid response from 127.0.0.1:\(server.port) (GET /event-types, request 7f3a): [0].name: "))
  }

  @Test func `JSON without a content type is accepted`() async throws {
    let server = ScriptedServer([.answer(200, "[]", type: nil)])
    defer { server.stop() }
    #expect(try await APIClient(baseURL: server.baseURL, token: "secret").getEventTypes().isEmpty)
  }

  @Test func `an empty success is an error if a document is expected`() async throws {
    let (error, _) = try await failure([.answer(200, "")])
    let words = try #require(error?.decodingWords)
    #expect(words.contains("responded with an empty body instead of JSON"))
  }

  @Test func `deleting a missing resource succeeds`() async throws {
    let server = ScriptedServer(
      [.answer(204, type: nil)], [.answer(200, "{}")], [.answer(404, "{}", type: "application/problem+json")],
      [.answer(404, "", type: nil)])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    for _ in 1...4 { try await client.deleteEvent(id: "e1") }
    #expect(server.requests.count == 4)
  }

  @Test("an HTML page does not confirm a deletion", arguments: [200, 404])
  func deleteByPage(status: Int) async throws {
    let server = ScriptedServer([.answer(status, "<html>", type: "text/html")])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    await #expect(throws: APIError.self) { try await client.deleteEvent(id: "e1") }
  }

  @Test("a redirect is not followed, and the token is not sent", arguments: [301, 302, 303, 307, 308])
  func redirect(status: Int) async throws {
    let elsewhere = ScriptedServer([.answer(200, "[]")])
    defer { elsewhere.stop() }
    let (error, server) = try await failure([
      .answer(status, "moved", type: "text/plain", headers: ["Location: \(elsewhere.baseURL)/x?key=hidden"])
    ])
    #expect(elsewhere.requests.isEmpty)
    #expect(server.requests.count == 1)
    #expect(error?.statusCode == status)
    #expect(error?.isTransient == false)
    let words = try #require(error?.description)
    #expect(words.contains("\(elsewhere.baseURL)"))
    #expect(!words.contains("hidden"))
  }

  @Test func `a redirect to the same hub is not followed either`() async throws {
    let (error, server) = try await failure([
      .answer(307, "", type: nil, headers: ["Location: /api/v1/elsewhere"]), .close,
    ])
    #expect(error?.statusCode == 307)
    #expect(server.requests.count == 1)
  }

  @Test func `a redirect without a target is an error`() async throws {
    let (error, _) = try await failure([.answer(302, "", type: nil)])
    #expect(error?.statusCode == 302)
  }

  @Test func `a chunked response is read completely`() async throws {
    let server = ScriptedServer([
      .text("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"),
      .text("4\r\n{\"cu\r\n"), .pause, .text("b\r\nrsor\": 17}\n\r\n0\r\n\r\n"),
    ])
    defer { server.stop() }
    server.proceed()
    #expect(try await APIClient(baseURL: server.baseURL, token: "secret").getLatestCursor() == 17)
  }

  @Test(
    "a truncated response is a network error",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n[]",
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n",
      "",
    ])
  func cutShort(answer: String) async throws {
    let (error, server) = try await failure([.text(answer), .close])
    let words = try #require(error?.networkWords)
    #expect(words.contains("127.0.0.1:\(server.port)"))
  }

  @Test(
    "an authentication challenge is reported as 401",
    arguments: ["Bearer", #"Basic realm="x""#, "Basic", "", "Digest"])
  func challenge(value: String) async throws {
    let (error, _) = try await failure([
      .answer(401, #"{"title":"No"}"#, type: "application/problem+json", headers: ["WWW-Authenticate: \(value)"])
    ])
    #expect(error == .problem(ProblemDetails(title: "No", status: 401), retryAfter: nil))
  }

  @Test func `interim responses are ignored`() async throws {
    let server = ScriptedServer([
      .text("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"), .answer(200, #"{"cursor":4}"#),
    ])
    defer { server.stop() }
    #expect(try await APIClient(baseURL: server.baseURL, token: "secret").getLatestCursor() == 4)
  }

  @Test func `a connection reset is a network error`() async throws {
    let (error, server) = try await failure([.text("HTTP/1.1 200 OK\r\nContent-Le"), .reset])
    let words = try #require(error?.networkWords)
    #expect(words.contains("127.0.0.1:\(server.port)"))
  }

  @Test(
    "an invalid response is an error, not a crash",
    arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n[]", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 99 Low\r\n\r\n",
      "\0\0\0\0\r\n\r\n", "HTTP/1.1 999 High\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n[]",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n[]",
    ])
  func noise(answer: String) async throws {
    let (error, _) = try await failure([.text(answer), .close])
    #expect(error != nil)
  }

  @Test func `a closed port is reported`() async throws {
    let server = ScriptedServer.deaf()
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    await #expect(throws: APIError.networkError("no server is listening at 127.0.0.1:\(server.port)")) {
      try await client.getEventTypes()
    }
  }

  @Test func `an unknown host is reported`() async throws {
    let url = try #require(URL(string: "https://hub.invalid"))
    let client = try APIClient(baseURL: url, token: "secret")
    await #expect(throws: APIError.networkError("unknown host hub.invalid")) { try await client.getEventTypes() }
  }

  @Test func `a hub without TLS is a network error`() async throws {
    let server = ScriptedServer()
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)"))
    let client = try APIClient(baseURL: url, token: "secret")
    let task = Task { try await client.getEventTypes() }
    await server.connected()
    server.stop()
    let error = await #expect(throws: APIError.self) { try await task.value }
    #expect(error?.networkWords != nil)
    #expect(server.requests.isEmpty)
  }

  @Test func `a response over the size limit is rejected`() async throws {
    let megabyte = String(repeating: "x", count: 1 << 20)
    var steps: [ScriptedServer.Step] = [.text("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")]
    for _ in 1...65 { steps.append(.text(megabyte)) }
    let (error, server) = try await failure(steps + [.hold])
    #expect(error == .decodingError("127.0.0.1:\(server.port) sent a response of more than 67108864 bytes"))
  }
}

@Suite("Token", .timeLimit(.minutes(10)))
struct TokenTests {
  @Test func `the token is requested before each request`() async throws {
    let server = ScriptedServer([.answer(200, "[]")], [.answer(200, "[]")])
    defer { server.stop() }
    let tokens = Tokens(["first", " second\n"])
    let client = try APIClient(baseURL: server.baseURL, token: { await tokens.next() })
    _ = try await client.getEventTypes()
    _ = try await client.getEventTypes()
    #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer first", "Bearer second"])
  }

  @Test("an invalid token fails without a request", arguments: [nil, "", " \n", "ü"])
  func missing(token: String?) async throws {
    let server = ScriptedServer()
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: { token })
    let error = await #expect(throws: APIError.self) { try await client.getEventTypes() }
    #expect(error?.statusCode == 401)
    #expect(server.requests.isEmpty)
  }

  @Test func `descriptions of the client do not contain the token`() throws {
    let url = try #require(URL(string: "https://hub.example"))
    let client = try APIClient(baseURL: url, token: "very-secret")
    var dumped = ""
    dump(client, to: &dumped)
    #expect(!"\(client) \(String(reflecting: client)) \(dumped)".contains("very-secret"))
    #expect("\(client)" == "APIClient(hub.example)")
  }

  @Test func `the token is not sent to a proxy for requests to this machine`() async throws {
    let proxy = ScriptedServer([.answer(200, "[]")])
    defer { proxy.stop() }
    let transport = URLSessionTransport(environment: ["http_proxy": "\(proxy.baseURL)"])
    let address = try HubAddress("http://127.0.0.1:8")
    await #expect(
      throws: APIError.networkError(
        "http_proxy would carry the token for 127.0.0.1:8 to a proxy in clear text: add 127.0.0.1 to no_proxy")
    ) {
      for try await _ in transport.open(HTTPRequest(method: .get, path: "/events"), at: address, bodyLimit: nil) {}
    }
    #expect(proxy.requests.isEmpty)
  }

  private actor Tokens {
    private var rest: [String]

    init(_ tokens: [String]) { rest = tokens }

    func next() -> String? { rest.isEmpty ? nil : rest.removeFirst() }
  }
}

extension APIError {
  fileprivate var decodingWords: String? { if case .decodingError(let words) = self { words } else { nil } }

  fileprivate var networkWords: String? { if case .networkError(let words) = self { words } else { nil } }
}
