import Foundation
import Synchronization
import Testing
import TrendyHub
import TrendyTesting

@Suite("SocketTransport", .timeLimit(.minutes(10)))
struct SocketTransportTests {
  private func echo(_ request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      status: 200,
      headers: HTTPHeaders([("X-Request-Id", request.id), ("X-Seen", "\(request.method) \(request.target)")]),
      body: .data(request.body))
  }

  /// Limits with deadlines that even a busy machine meets.
  private static let patientLimits: HTTPLimits = {
    var limits = HTTPLimits()
    limits.headDeadline = .seconds(50)
    limits.bodyDeadline = .seconds(50)
    limits.stopDeadline = .seconds(50)
    return limits
  }()

  private func serving(
    limits: HTTPLimits = patientLimits, log: AccessLog? = nil, handler: HTTPHandler? = nil,
    _ body: (UInt16) async throws -> Void
  ) async throws {
    let transport = SocketTransport(limits: limits, log: log)
    let port = try await transport.start(handler: handler ?? { self.echo($0) })
    do {
      try await body(port)
    } catch {
      await transport.stop()
      throw error
    }
    await transport.stop()
  }

  @Test func `a request reaches the handler completely, and its response is returned`() async throws {
    try await serving { port in
      let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
      let answer = try await RawClient.request("POST", "/a%2Fb?c=d", port: port, body: body)
      #expect(answer.status == 200)
      #expect(answer.headers["x-seen"] == "POST /a%2Fb?c=d")
      #expect(answer.headers["connection"] == nil)
      #expect(answer.headers["date"]?.hasSuffix(" GMT") == true)
      #expect(answer.headers["x-request-id"]?.count == 16)
      #expect(answer.body == body)
      #expect(try await RawClient.request("GET", "/", port: port).body.isEmpty)
    }
  }

  @Test func `a body that arrives in pieces is joined`() async throws {
    try await serving { port in
      let client = try RawClient(port: port)
      for piece in ["POST / HT", "TP/1.1\r\nHo", "st: x\r\nContent-Length: 6\r", "\n\r", "\nab", "cd", "ef"] {
        client.send(piece)
        // A request in between gives the server time to read this piece separately.
        #expect(try await RawClient.request("GET", "/", port: port).status == 200)
      }
      #expect(try await client.readAnswer().body == Data("abcdef".utf8))
    }
  }

  @Test(
    "a rejected request gets a problem document",
    arguments: [
      Refusal("no host", 400, "malformed_request", "GET / HTTP/1.1\r\n\r\n"),
      Refusal("two hosts", 400, "malformed_request", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
      Refusal(
        "two lengths", 400, "malformed_request",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx"),
      Refusal(
        "a body too large", 413, "too_large", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\n"),
      Refusal(
        "a body without a length", 411, "length_required",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
      Refusal(
        "a target too long", 414, "target_too_long",
        "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
      Refusal(
        "a head too large", 431, "head_too_large",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n"),
      Refusal("a TLS handshake", 400, "malformed_request", "\u{16}\u{3}\u{1}\u{2}\u{0}"),
    ])
  func refusals(refusal: Refusal) async throws {
    let logged = Mutex<[AccessLogEntry]>([])
    try await serving(log: { entry in logged.withLock { $0.append(entry) } }) { port in
      let client = try RawClient(port: port)
      client.send(refusal.text)
      let answer = try await client.readAnswer()
      #expect(answer.status == refusal.status)
      #expect(answer.headers["content-type"] == "application/problem+json")
      #expect(answer.problemType == "urn:trendy:error:\(refusal.kind)")
      #expect(answer.json?["status"] as? Int == refusal.status)
      #expect(answer.json?["request_id"] as? String == answer.headers["x-request-id"])
      #expect((answer.json?["detail"] as? String)?.isEmpty == false)
      #expect(logged.withLock { $0.map(\.status) } == [refusal.status])
    }
  }

  @Test func `a response is not lost while the rejected body is still being sent`() async throws {
    try await serving { port in
      let client = try RawClient(port: port)
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n")
      try await client.send(Data(repeating: 7, count: 3_000_000))
      #expect(try await client.readAnswer().status == 413)
    }
  }

  @Test func `a truncated request is answered with 400`() async throws {
    try await serving { port in
      let client = try RawClient(port: port)
      client.send("GET / HTTP/1.1\r\nHost")
      client.finishSending()
      #expect(try await client.readAnswer().status == 400)
    }
  }

  @Test func `a head that is not complete in time is answered with 408`() async throws {
    var limits = HTTPLimits()
    limits.headDeadline = .milliseconds(150)
    try await serving(limits: limits) { port in
      let client = try RawClient(port: port)
      client.send("GET / HTTP/1.1\r\n")
      let answer = try await client.readAnswer()
      #expect(answer.status == 408)
      #expect(answer.problemType == "urn:trendy:error:timeout")
    }
  }

  @Test func `a body that is not complete in time is answered with 408`() async throws {
    var limits = HTTPLimits()
    limits.bodyDeadline = .milliseconds(150)
    let handled = Mutex(0)
    try await serving(
      limits: limits,
      handler: { request in
        handled.withLock { $0 += 1 }
        return HTTPResponse(status: 204)
      }
    ) { port in
      let client = try RawClient(port: port)
      client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
      let answer = try await client.readAnswer()
      #expect(answer.status == 408)
      #expect(answer.json?["instance"] as? String == "/x")
      #expect(handled.withLock { $0 } == 0)
    }
  }

  @Test func `too many connections of one address or in total are rejected`() async throws {
    var limits = Self.patientLimits
    limits.connectionsPerAddress = 2
    try await serving(limits: limits) { port in
      let first = try RawClient(port: port)
      let second = try RawClient(port: port)
      first.send("GET")
      second.send("GET")
      let third = try RawClient(port: port)
      let answer = try await third.readAnswer()
      #expect(answer.status == 429)
      #expect(answer.headers["retry-after"] == "1")
      first.send(" / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await first.readAnswer().status == 200)
    }
    limits.connectionsPerAddress = 10
    limits.connections = 1
    try await serving(limits: limits) { port in
      let first = try RawClient(port: port)
      first.send("GET")
      #expect(try await RawClient(port: port).readAnswer().status == 503)
      first.send(" / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await first.readAnswer().status == 200)
    }
  }

  @Test func `connections through a proxy do not share the limit of one address`() async throws {
    var limits = Self.patientLimits
    limits.connectionsPerAddress = 1
    limits.connections = 3
    limits.proxies = [try #require(NetworkAddressRange("127.0.0.0/8"))]
    try await serving(limits: limits) { port in
      let clients = try (0..<3).map { _ in try RawClient(port: port) }
      for client in clients { client.send("GET") }
      #expect(try await RawClient(port: port).readAnswer().status == 503)
      for client in clients { client.send(" / HTTP/1.1\r\nHost: a\r\n\r\n") }
      for client in clients { #expect(try await client.readAnswer().status == 200) }
    }
  }

  @Test func `among idle connections the least recently used one is closed first`() async throws {
    var limits = Self.patientLimits
    limits.connections = 3
    try await serving(limits: limits) { port in
      let clients = try (0..<3).map { _ in try RawClient(port: port) }
      // The first connection is the most recently used one.
      for client in [clients[0], clients[1], clients[2], clients[1], clients[0]] {
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.readAnswer().status == 200)
      }
      var others: [RawClient] = []
      for gone in [clients[2], clients[1]] {
        others.append(try RawClient(port: port))
        others.last?.send("GET")
        #expect(try await gone.readAll().isEmpty)
      }
      clients[0].send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await clients[0].readAnswer().status == 200)
      withExtendedLifetime(others) {}
    }
  }

  @Test func `closed connections do not count`() async throws {
    var limits = Self.patientLimits
    // Leave some slack, because a response arrives completely just before its connection is removed.
    limits.connectionsPerAddress = 5
    limits.connections = 5
    try await serving(limits: limits) { port in
      for _ in 0..<10 { #expect(try await RawClient.request("GET", "/", port: port).status == 200) }
      for _ in 0..<10 {
        let client = try RawClient(port: port)
        client.send("nonsense\r\n\r\n")
        #expect(try await client.readAnswer().status == 400)
      }
      #expect(try await RawClient.request("GET", "/", port: port).status == 200)
    }
  }

  @Test func `a stream is sent in pieces as they are produced`() async throws {
    let (pieces, source) = AsyncStream<String>.makeStream()
    try await serving(handler: { _ in
      let reader = PieceReader(pieces)
      return HTTPResponse(status: 200, body: .stream(HTTPBodyStream { await reader.next() }))
    }) { port in
      let client = try RawClient(port: port)
      client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      source.yield("first\n")
      var seen = Data()
      while !String(decoding: seen, as: UTF8.self).contains("first\n") { seen += try await client.readSome() }
      source.yield(String(repeating: "x", count: 200_000))
      source.finish()
      seen += try await client.readAll()
      #expect(try RawClient.parse(seen).body.count == 200_006)
    }
  }

  @Test func `a failed stream is cut off, so that it does not look complete`() async throws {
    try await serving(handler: { _ in
      let reader = FailingReader()
      return HTTPResponse(status: 200, body: .stream(HTTPBodyStream { try await reader.next() }))
    }) { port in
      await #expect(throws: RawClient.Failed.self) { try await RawClient.request("GET", "/", port: port) }
    }
  }

  @Test func `a connection is kept open for further requests`() async throws {
    try await serving { port in
      let client = try RawClient(port: port)
      var identifiers: Set<String> = []
      for number in 1...5 {
        client.send("POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab\(number)")
        let answer = try await client.readAnswer()
        #expect(answer.headers["x-seen"] == "POST /\(number)")
        #expect(answer.body == Data("ab\(number)".utf8))
        identifiers.insert(answer.headers["x-request-id"] ?? "")
      }
      #expect(identifiers.count == 5, "each request has its own name")
      client.send(
        "HEAD /h HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxyGET /last HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n"
      )
      let rest = String(decoding: try await client.readAll(), as: UTF8.self)
      #expect(rest.contains("X-Seen: HEAD /h\r\nContent-Length: 2\r\n\r\nHTTP/1.1 200"), "a HEAD has no body")
      #expect(rest.contains("X-Seen: GET /last\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
    }
  }

  @Test func `pipelined requests are answered in order and validated equally strictly`() async throws {
    try await serving { port in
      let client = try RawClient(port: port)
      client.send(
        "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
          + "POST /3 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
          + "GET /4 HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.readAnswer().headers["x-seen"] == "POST /1")
      #expect(try await client.readAnswer().headers["x-seen"] == "GET /2")
      let refused = try await client.readAnswer()
      #expect(refused.status == 400)
      #expect(refused.headers["connection"] == "close")
      #expect(try await client.readAll().isEmpty, "nothing behind what was refused is read")
    }
  }

  @Test func `a connection of HTTP 1.0 ends with its response`() async throws {
    try await serving { port in
      let client = try RawClient(port: port)
      client.send("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\nHost: a\r\n\r\n")
      let answer = try RawClient.parse(try await client.readAll())
      #expect(answer.headers["connection"] == "close")
      #expect(answer.body.isEmpty)
    }
  }

  @Test func `an idle connection is closed without a response`() async throws {
    var limits = Self.patientLimits
    limits.idleDeadline = .milliseconds(100)
    try await serving(limits: limits) { port in
      let client = try RawClient(port: port)
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.readAnswer().status == 200)
      #expect(try await client.readAll().isEmpty)
    }
  }

  @Test func `a later head has the same deadline`() async throws {
    var limits = Self.patientLimits
    limits.headDeadline = .milliseconds(150)
    try await serving(limits: limits) { port in
      let client = try RawClient(port: port)
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.readAnswer().status == 200)
      client.send("GET / HTTP/1.1\r\nHo")
      #expect(try await client.readAnswer().status == 408)
    }
  }

  @Test func `an idle connection is closed for a new one`() async throws {
    var limits = Self.patientLimits
    limits.connectionsPerAddress = 2
    limits.connections = 2
    try await serving(limits: limits) { port in
      let (first, second) = (try RawClient(port: port), try RawClient(port: port))
      for client in [first, second] {
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.readAnswer().status == 200)
      }
      #expect(try await RawClient.request("GET", "/", port: port).status == 200)
      #expect(try await first.readAll().isEmpty, "the one that was idle for longest")
      second.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await second.readAnswer().status == 200)
    }
  }

  @Test func `stopping does not wait for idle connections`() async throws {
    let transport = SocketTransport(limits: Self.patientLimits)
    let port = try await transport.start { self.echo($0) }
    let client = try RawClient(port: port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try await client.readAnswer().status == 200)
    await transport.stop()
    #expect(try await client.readAll().isEmpty)
  }

  @Test func `a port in use is reported with a remedy`() async throws {
    try await serving { port in
      let second = SocketTransport(port: port)
      await #expect(throws: HTTPTransportError.portInUse(address: "127.0.0.1", port: port)) {
        try await second.start { _ in HTTPResponse(status: 204) }
      }
      #expect(
        HTTPTransportError.portInUse(address: "127.0.0.1", port: port).description.contains("choose another port"))
    }
    let nowhere = SocketTransport(address: "192.0.2.1", port: 0)
    await #expect(throws: HTTPTransportError.badAddress("192.0.2.1")) {
      try await nowhere.start { _ in HTTPResponse(status: 204) }
    }
  }

  @Test func `stopping lets a running request finish and refuses new connections`() async throws {
    let (started, start) = AsyncStream<Void>.makeStream()
    let (released, release) = AsyncStream<Void>.makeStream()
    let transport = SocketTransport(limits: Self.patientLimits)
    let port = try await transport.start { _ in
      start.yield()
      for await _ in released { break }
      return HTTPResponse(status: 200, body: .data(Data("done".utf8)))
    }
    let client = try RawClient(port: port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    for await _ in started { break }
    async let stopped: Void = transport.stop()
    // The listening socket is closed while the request is still running.
    while (try? RawClient(port: port)) != nil { await Task.yield() }
    release.yield()
    #expect(try await client.readAnswer().body == Data("done".utf8))
    await stopped
    await transport.stop()
    await #expect(throws: HTTPTransportError.alreadyStarted) {
      try await transport.start { _ in HTTPResponse(status: 204) }
    }
  }

  @Test func `a request that is not finished at the stop deadline is answered with 503`() async throws {
    var limits = HTTPLimits()
    limits.stopDeadline = .milliseconds(100)
    let (started, start) = AsyncStream<Void>.makeStream()
    let transport = SocketTransport(limits: limits)
    let port = try await transport.start { _ in
      start.yield()
      let (never, keep) = AsyncStream<Void>.makeStream()
      // The handler ends when its task is cancelled.
      for await _ in never { break }
      _ = keep
      return HTTPResponse(status: 200)
    }
    let client = try RawClient(port: port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    for await _ in started { break }
    await transport.stop()
    #expect(try await client.readAnswer().status == 503)
  }

  @Test func `requests still arriving at a stop are answered with 503, and the log has their number`() async throws {
    var limits = Self.patientLimits
    limits.stopDeadline = .milliseconds(100)
    let entries = Mutex<[AccessLogEntry]>([])
    let transport = SocketTransport(limits: limits) { entry in entries.withLock { $0.append(entry) } }
    let port = try await transport.start { self.echo($0) }
    let clients = try (0..<3).map { _ in try RawClient(port: port) }
    for client in clients {
      // When the response is written, more data is unread than the socket buffers hold.
      client.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n")
      try await client.send(Data(repeating: 1, count: 400_000))
    }
    async let stopped: Void = transport.stop()
    for client in clients {
      try await client.send(Data(repeating: 1, count: 300_000))
      #expect(try await client.readAnswer().status == 503)
    }
    await stopped
    let words = entries.withLock { $0.compactMap(\.failure) }
    #expect(words.contains { $0.contains("3 incomplete requests are rejected with status 503") }, "\(words)")
    #expect(entries.withLock { $0.count { $0.path == "/slow" && $0.status == 503 } } == 3)
  }

  @Test func `an endless stream is cut off at the stop deadline`() async throws {
    var limits = Self.patientLimits
    limits.stopDeadline = .milliseconds(100)
    let (pieces, source) = AsyncStream<String>.makeStream()
    let reader = PieceReader(pieces)
    let transport = SocketTransport(limits: limits)
    let port = try await transport.start { _ in
      HTTPResponse(status: 200, body: .stream(HTTPBodyStream { await reader.next() }))
    }
    let client = try RawClient(port: port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    source.yield("first\n")
    var seen = Data()
    while !String(decoding: seen, as: UTF8.self).contains("first\n") { seen += try await client.readSome() }
    await transport.stop()
    seen += try await client.readAll()
    #expect(throws: RawClient.Failed.self) { try RawClient.parse(seen) }
  }

  @Test func `a client that disconnects ends its stream`() async throws {
    let (pieces, source) = AsyncStream<String>.makeStream()
    let reader = PieceReader(pieces)
    try await serving(handler: { _ in HTTPResponse(status: 200, body: .stream(HTTPBodyStream { await reader.next() })) }
    ) {
      port in
      do {
        let client = try RawClient(port: port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        source.yield("first\n")
        _ = try await client.readSome()
      }
      // This exceeds all buffers on the path, so the server must notice that the client has gone.
      for _ in 0..<200 { source.yield(String(repeating: "x", count: 65_536)) }
      source.finish()
    }
  }

  @Test("random input gets a response of the gate or the handler", arguments: [1, 2, 3, 4] as [UInt64])
  func ownWords(seed: UInt64) async throws {
    try await serving { port in
      var generator = SeededGenerator(seed: seed)
      let pieces = [
        "GET", "POST", " ", "/", "/a?b", "HTTP/1.1", "HTTP/1.0", "\r\n", "\r\n", "\r\n", "\n", ":", ": ", "Host: a\r\n",
        "Content-Length: 3\r\n", "Content-Length: 0003\r\n", "Cookie: a=\"b;; c, =d\r\n", "Cookie: \"\r\n",
        "Connection: keep-alive\r\n", "Connection: upgrade\r\n", "Upgrade: h2c\r\n", "Expect: 100-continue\r\n",
        "Expect: nothing\r\n", "Authorization: Digest x=\"\r\n", "Content-Type: multipart/form-data; boundary=\r\n",
        "X: %00%zz\r\n", "TE: trailers\r\n", "Range: bytes=0-\r\n", "abc", "é", "\u{0}", "\t", "%", "\"",
      ]
      for round in 0..<60 {
        var text = ""
        // Half of the requests begin with a valid head, so later stages of the parser are reached.
        if round.isMultiple(of: 2) { text = "POST /x HTTP/1.1\r\nHost: a\r\n" }
        for _ in 0..<Int.random(in: 1...6, using: &generator) { text += pieces.randomElement(using: &generator) ?? "" }
        text += "\r\n\r\nabc"
        let client = try RawClient(port: port)
        client.send(text)
        client.finishSending()
        var data = try await client.readAll()
        let interim = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        if data.starts(with: interim) { data = Data(data.dropFirst(interim.count)) }
        let answer = try RawClient.parse(data)
        #expect(answer.headers["x-request-id"] != nil, "\(text.debugDescription)")
        #expect([200, 400, 411, 413, 505].contains(answer.status), "\(answer.status) \(text.debugDescription)")
      }
    }
  }

  @Test func `many concurrent requests each get their own response`() async throws {
    var limits = Self.patientLimits
    limits.connectionsPerAddress = 200
    try await serving(
      limits: limits,
      handler: { request in
        await Task.yield()
        return self.echo(request)
      }
    ) { port in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<200 {
          group.addTask {
            let answer = try await RawClient.request(
              "POST", "/\(number)", port: port, body: Data("body \(number)".utf8))
            return answer.status == 200 && answer.body == Data("body \(number)".utf8)
          }
        }
        for try await isRight in group { #expect(isRight) }
      }
    }
  }
}

private actor PieceReader {
  private var iterator: AsyncStream<String>.AsyncIterator

  init(_ pieces: AsyncStream<String>) { iterator = pieces.makeAsyncIterator() }

  func next() async -> Data? {
    var iterator = iterator
    let piece = await iterator.next(isolation: self)
    self.iterator = iterator
    return piece.map { Data($0.utf8) }
  }
}

private actor FailingReader {
  private var count = 0

  func next() throws -> Data? {
    count += 1
    if count > 1 { throw RawClient.Failed(description: "the source broke") }
    return Data("half".utf8)
  }
}

struct Refusal: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var status: Int
  var kind: String
  var text: String

  init(_ name: String, _ status: Int, _ kind: String, _ text: String) {
    testDescription = name
    self.status = status
    self.kind = kind
    self.text = text
  }
}
