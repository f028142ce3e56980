import Foundation
import StorageTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyTesting

@Suite("The hub over a socket", .timeLimit(.minutes(10)))
struct HubSocketTests {
  /// Limits with deadlines that even a busy machine meets.
  private static let patientLimits: HTTPLimits = {
    var limits = HTTPLimits()
    limits.headDeadline = .seconds(50)
    limits.bodyDeadline = .seconds(50)
    limits.stopDeadline = .seconds(50)
    return limits
  }()

  private func serving(
    log: AccessLog? = nil, _ body: (_ port: UInt16, _ server: HubServer, _ token: String) async throws -> Void
  ) async throws {
    let storage = TestHub.openStorage(SimulatedFileSystem())
    let server = HubServer(
      storage: storage, transport: SocketTransport(limits: Self.patientLimits, log: log), log: log)
    let user = try server.accounts.createPerson(name: "Anna")
    let token = try server.accounts.createToken(user: user.id, deviceName: "phone").token
    let port = try await server.start()
    do {
      try await body(port, server, token)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private func json(_ answer: RawClient.Answer) throws -> JSONValue {
    try WireJSON.decode(JSONValue.self, from: answer.body)
  }

  @Test func `a device pairs and writes, and another one reads the change`() async throws {
    try await serving { port, server, _ in
      let user = try #require(try server.accounts.users().first)
      var tokens: [String] = []
      for name in ["phone", "laptop"] {
        let code = try server.accounts.createPairingCode(user: user.id)
        let answer = try await RawClient.request(
          "POST", "/api/v1/pair", port: port, body: Data(#"{"code":"\#(code)","device_name":"\#(name)"}"#.utf8))
        #expect(answer.status == 201)
        tokens.append(try json(answer)["token"].stringValue ?? "")
      }
      let phone = [("Authorization", "Bearer \(tokens[0])")]
      let laptop = [("Authorization", "Bearer \(tokens[1])")]
      let body = Data(
        #"{"device":"d","acked_through":0,"mutations":[{"id":"m","seq":1,"entity_type":"event_type","entity_id":"t","operation":"create","payload":{"name":"Kaffee ☕️","color":"c","icon":"i"}}]}"#
          .utf8)
      let pushed = try await RawClient.request("POST", "/api/v1/mutations", port: port, headers: phone, body: body)
      #expect(pushed.status == 200)
      #expect(pushed.headers["content-type"] == "application/json")
      let read = try await RawClient.request("GET", "/api/v1/changes?since=0", port: port, headers: laptop)
      #expect(try json(read)["changes"][0]["data"]["name"] == "Kaffee ☕️")
      let snapshot = try await RawClient.request("GET", "/api/v1/snapshot?device=d", port: port, headers: laptop)
      #expect(snapshot.headers["transfer-encoding"] == "chunked")
      #expect(snapshot.body.split(separator: UInt8(ascii: "\n")).count == 2)
      let head = try await RawClient.request("HEAD", "/api/v1/changes", port: port, headers: laptop)
      #expect(head.status == 200)
      #expect(head.body.isEmpty)
      let deleted = try await RawClient.request("DELETE", "/api/v1/event-types/t", port: port, headers: laptop)
      #expect(deleted.status == 204)
      #expect(deleted.body.isEmpty)
    }
  }

  @Test func `a browser loads the page, pairs, writes with its cookie and is locked out when revoked`() async throws {
    try await serving { port, server, token in
      let page = try await RawClient.request("GET", "/calendar?year=2026", port: port)
      #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
      let tag = try #require(page.headers["etag"])
      let again = try await RawClient.request("GET", "/calendar", port: port, headers: [("If-None-Match", tag)])
      #expect(again.status == 304 && again.body.isEmpty && again.headers["content-length"] == nil)
      let code = try server.accounts.createPairingCode(user: try #require(try server.accounts.users().first).id)
      let origin = [("Origin", "http://127.0.0.1:\(port)")]
      let paired = try await RawClient.request(
        "POST", "/api/v1/session", port: port, headers: origin,
        body: Data(#"{"code":"\#(code)","device_name":"Firefox"}"#.utf8))
      #expect(paired.status == 201, "\(String(decoding: paired.body, as: UTF8.self))")
      let cookie = [("Cookie", String((paired.headers["set-cookie"] ?? "").prefix { $0 != ";" }))]
      let type = Data(#"{"id":"t","name":"Coffee","color":"c","icon":"i"}"#.utf8)
      func write(_ headers: [(String, String)]) async throws -> RawClient.Answer {
        try await RawClient.request("POST", "/api/v1/event-types", port: port, headers: headers, body: type)
      }
      #expect(try await write(cookie).problemType == "urn:trendy:error:origin_not_allowed")
      #expect(try await write(cookie + origin).status == 201)
      let id = try #require(try json(paired)["device_id"].stringValue)
      let revoked = try await RawClient.request(
        "DELETE", "/api/v1/me/devices/\(id)", port: port, headers: [("Authorization", "Bearer \(token)")])
      #expect(revoked.status == 204)
      let after = try await RawClient.request("GET", "/api/v1/events", port: port, headers: cookie)
      #expect(after.status == 401 && after.problemType == "urn:trendy:error:token_revoked")
    }
  }

  @Test func `every error is a problem document with the request id`() async throws {
    let log = Mutex<[AccessLogEntry]>([])
    try await serving(log: { entry in log.withLock { $0.append(entry) } }) { port, _, token in
      let mine = [("Authorization", "Bearer \(token)")]
      var answers: [(RawClient.Answer, Int, String)] = []
      func ask(
        _ status: Int, _ kind: String, _ method: String, _ path: String, _ headers: [(String, String)],
        _ body: Data? = nil
      ) async throws {
        let answer = try await RawClient.request(method, path, port: port, headers: headers, body: body)
        answers.append((answer, status, kind))
      }
      try await ask(401, "unauthorized", "GET", "/api/v1/changes?since=0", [])
      try await ask(401, "unauthorized", "GET", "/api/v1/changes", [("Authorization", "Bearer wrong")])
      try await ask(404, "not_found", "GET", "/nothing", mine)
      try await ask(405, "method_not_allowed", "DELETE", "/api/v1/changes", mine)
      try await ask(400, "invalid", "POST", "/api/v1/events", mine, Data("{".utf8))
      try await ask(403, "origin_not_allowed", "GET", "/api/v1/health", [("Origin", "https://evil.example")])
      try await ask(413, "too_large", "POST", "/api/v1/events", mine, Data(repeating: 32, count: 4_194_305))
      try await ask(
        403, "pairing_code_invalid", "POST", "/api/v1/pair", [], Data(#"{"code":"0000-0000","device_name":"x"}"#.utf8))
      let foreign = try RawClient(port: port)
      foreign.send("GET /api/v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n")
      answers.append((try await foreign.readAnswer(), 403, "host_not_allowed"))
      let broken = try RawClient(port: port)
      broken.send("GET /api/v1/health\r\n\r\n")
      answers.append((try await broken.readAnswer(), 400, "malformed_request"))
      for (answer, status, kind) in answers {
        #expect(answer.status == status, "\(kind)")
        #expect(answer.problemType == "urn:trendy:error:\(kind)")
        #expect(answer.headers["content-type"] == "application/problem+json", "\(kind)")
        #expect(answer.json?["request_id"] as? String == answer.headers["x-request-id"], "\(kind)")
      }
      let entries = log.withLock { $0 }
      #expect(entries.map(\.status) == answers.map(\.1))
      #expect(Set(entries.map(\.requestId)) == Set(answers.map { $0.0.headers["x-request-id"] ?? "" }))
      #expect(entries.first?.path == "/api/v1/changes")
      #expect(!"\(entries)".contains(token))
    }
  }

  @Test func `the token is checked before the body is requested`() async throws {
    let log = Mutex<[AccessLogEntry]>([])
    try await serving(log: { entry in log.withLock { $0.append(entry) } }) { port, _, token in
      func head(_ path: String, token: String) -> String {
        "POST /api/v1\(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n"
          + "Authorization: Bearer \(token)\r\n\r\n"
      }
      for path in ["/mutations", "/events/batch", "/nothing"] {
        let stranger = try RawClient(port: port)
        stranger.send(head(path, token: "wrong"))
        let answer = try await stranger.readAnswer()
        #expect(answer.status == 401, "\(path)")
        #expect(answer.headers["connection"] == "close", "\(path)")
        #expect(answer.json?["request_id"] as? String == answer.headers["x-request-id"])
      }
      let mine = try RawClient(port: port)
      mine.send(head("/mutations", token: token))
      #expect(String(decoding: try await mine.readSome(), as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
      #expect(log.withLock { $0.map(\.status) } == [401, 401, 401])
    }
  }

  @Test func `a client without a token may send a body as large as pairing needs`() async throws {
    try await serving { port, _, _ in
      for (count, statuses) in [(4096, [403, 405]), (4097, [413, 413])] {
        let text = #"{"code":"0000-0000","device_name":"x","pad":""#
        let body = Data((text + String(repeating: "x", count: count - text.utf8.count - 2) + #""}"#).utf8)
        #expect(body.count == count)
        let paired = try await RawClient.request("POST", "/api/v1/pair", port: port, body: body)
        let health = try await RawClient.request("POST", "/api/v1/health", port: port, body: body)
        #expect([paired.status, health.status] == statuses)
      }
    }
  }

  @Test func `a body of the maximum size is accepted`() async throws {
    try await serving { port, _, token in
      // An entity may be only a quarter of the maximum body size, so the rest is whitespace.
      var body = Data(#"{"id":"t","name":"x","color":"c","icon":"i"}"#.utf8)
      body += Data(repeating: 0x20, count: 4_194_304 - body.count)
      let answer = try await RawClient.request(
        "POST", "/api/v1/event-types", port: port, headers: [("Authorization", "Bearer \(token)")], body: body)
      #expect(answer.status == 201)
    }
  }

  @Test func `concurrent writers are all served with distinct versions`() async throws {
    try await serving { port, _, token in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<60 {
          group.addTask {
            let body = Data(#"{"id":"t\#(number)","name":"x","color":"c","icon":"i"}"#.utf8)
            return try await RawClient.request(
              "POST", "/api/v1/event-types", port: port, headers: [("Authorization", "Bearer \(token)")], body: body
            ).status
          }
        }
        for try await status in group { #expect(status == 201) }
      }
      let answer = try await RawClient.request(
        "GET", "/api/v1/changes?limit=500", port: port, headers: [("Authorization", "Bearer \(token)")])
      let page = try WireJSON.decode(ChangeFeedResponse.self, from: answer.body)
      #expect(page.changes.map(\.id) == Array(1...60))
      #expect(page.nextCursor == 60)
    }
  }

  private func openStream(port: UInt16, token: String) async throws -> (client: RawClient, seen: Data) {
    let client = try RawClient(port: port)
    client.send(
      "GET /api/v1/changes/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\r\n")
    return (client, try await read(client, through: "\n\n"))
  }

  private func read(_ client: RawClient, through text: String) async throws -> Data {
    var seen = Data()
    while seen.firstRange(of: Data(text.utf8)) == nil {
      let piece = try await client.readSome()
      seen += piece
    }
    return seen
  }

  @Test func `sixty open streams block no request, receive a change and end with the hub`() async throws {
    var streams: [RawClient] = []
    try await serving { port, server, token in
      let user = try #require(try server.accounts.users().first)
      for number in 1...15 {
        let token = try server.accounts.createToken(user: user.id, deviceName: "d\(number)").token
        for _ in 1...4 {
          let (client, seen) = try await openStream(port: port, token: token)
          #expect(String(decoding: seen, as: UTF8.self).contains(#"data: {"cursor":0}"#))
          streams.append(client)
        }
      }
      let body = Data(#"{"id":"t","name":"x","color":"c","icon":"i"}"#.utf8)
      let made = try await RawClient.request(
        "POST", "/api/v1/event-types", port: port, headers: [("Authorization", "Bearer \(token)")], body: body)
      #expect(made.status == 201)
      for client in streams { _ = try await read(client, through: #"data: {"cursor":1}"#) }
    }
    // Each stream ends properly with a retry time, long before the deadline.
    for client in streams {
      let rest = try await client.readAll()
      #expect(String(decoding: rest, as: UTF8.self).hasSuffix("retry: 2000\n\n\r\n0\r\n\r\n"))
    }
  }

  @Test func `a reader that disconnects frees its slot at once`() async throws {
    try await serving { port, _, token in
      var streams: [RawClient] = []
      for _ in 1...4 { streams.append(try await openStream(port: port, token: token).client) }
      let mine = [("Authorization", "Bearer \(token)")]
      let refused = try await RawClient.request("GET", "/api/v1/changes/stream", port: port, headers: mine)
      #expect(refused.status == 429)
      #expect(refused.problemType == "urn:trendy:error:rate_limited")
      // The hub would not write to the stream for another 25 seconds.
      let begun = ContinuousClock.now
      streams.removeFirst()
      while true {
        let client = try RawClient(port: port)
        client.send(
          "GET /api/v1/changes/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\r\n")
        if String(decoding: try await client.readSome(), as: UTF8.self).hasPrefix("HTTP/1.1 200") { break }
      }
      #expect(ContinuousClock.now - begun < .seconds(20))
      #expect(streams.count == 3)
    }
  }

  @Test("readers that disconnect at any time leave no connection open", arguments: [1, 2] as [UInt64])
  func leavers(seed: UInt64) async throws {
    // If a connection stayed open, the hub would not stop before the deadline of 50 seconds.
    try await serving { port, _, token in
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<150 {
        let client = try RawClient(port: port)
        client.send(
          "GET /api/v1/changes/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\r\n")
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: break
        case 1: client.finishSending()
        default: _ = try await client.readSome()
        }
      }
    }
  }

  @Test func `a restarted hub on a real disk continues with its data`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-hub-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }  // a directory left behind in /tmp is harmless
    var token = ""
    for round in 1...2 {
      let server = HubServer(
        storage: EmbeddedHubStorage(directory: folder), transport: SocketTransport(limits: Self.patientLimits))
      if round == 1 {
        let user = try server.accounts.createPerson(name: "Anna")
        token = try server.accounts.createToken(user: user.id, deviceName: "phone").token
      }
      let port = try await server.start()
      let mine = [("Authorization", "Bearer \(token)")]
      let body = Data(#"{"id":"t\#(round)","name":"x","color":"c","icon":"i"}"#.utf8)
      let made = try await RawClient.request("POST", "/api/v1/event-types", port: port, headers: mine, body: body)
      #expect(made.status == 201)
      let page = try await RawClient.request("GET", "/api/v1/changes", port: port, headers: mine)
      #expect(try json(page)["next_cursor"] == .int(Int64(round)))
      await server.stop()
    }
  }
}
