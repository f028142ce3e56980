import Foundation
import Testing
import TrendyModels
import TrendyTesting

@testable import TrendyNetworking

private let eventLine =
  #"{"id":3,"entity_type":"event","operation":"create","entity_id":"e1","data":{"id":"e1","event_type_id":"t1","#
  + #""timestamp":"2024-01-01T00:00:00.000Z","mood_ring":"blue"}}"#
private let typeLine =
  ##"{"id":1,"entity_type":"event_type","operation":"create","entity_id":"t1","data":{"id":"t1","name":"Coffee","##
  + ##""color":"#FF0000","icon":"cup"}}"##
private let placeLine =
  #"{"id":2,"entity_type":"geofence","operation":"update","entity_id":"g1","data":{"id":"g1","name":"Home","#
  + #""latitude":51.9,"longitude":4.3,"radius":100}}"#
private let definitionLine =
  #"{"id":4,"entity_type":"property_definition","operation":"create","entity_id":"p1","data":{"id":"p1","#
  + #""event_type_id":"t1","key":"size","label":"Size","property_type":"select"}}"#
private let tombstoneLine = #"{"id":5,"entity_type":"event","operation":"delete","entity_id":"e9"}"#
private let newKindLine = #"{"id":6,"entity_type":"vehicle","operation":"create","entity_id":"v1","data":{"id":"v1"}}"#

private func header(_ count: Int) -> String {
  #"{"cursor":9007199254740993,"epoch":"a","last_seq":7,"count":\#(count)}"#
}

private func snapshot(_ body: String, type: String = "application/x-ndjson") async throws -> Snapshot {
  let server = ScriptedServer([.answer(200, body, type: type)])
  defer { server.stop() }
  return try await APIClient(baseURL: server.baseURL, token: "secret").snapshot()
}

@Suite("Snapshots", .timeLimit(.minutes(10)))
struct SnapshotTests {
  @Test("a snapshot is split by kind and has the cursor of its header", arguments: ["\n", ""])
  func reads(end: String) async throws {
    let lines = [header(6), typeLine, placeLine, eventLine, definitionLine, tombstoneLine, newKindLine]
    let snapshot = try await snapshot(lines.joined(separator: "\n") + end)
    #expect(snapshot.cursor == 9_007_199_254_740_993)
    #expect(snapshot.eventTypes.map(\.id) == ["t1"])
    #expect(snapshot.geofences.map(\.id) == ["g1"])
    #expect(snapshot.events.map(\.id) == ["e1"])
    #expect(snapshot.events.first?.unknownFields == ["mood_ring": "blue"])
    #expect(snapshot.propertyDefinitions.map(\.id) == ["p1"])
  }

  @Test func `a snapshot without entries is empty`() async throws {
    #expect(try await snapshot(header(0) + "\n") == Snapshot(cursor: 9_007_199_254_740_993))
  }

  @Test func `a snapshot truncated between two lines is a network error`() async throws {
    let error = await #expect(throws: APIError.self) {
      try await snapshot([header(3), typeLine, eventLine].joined(separator: "\n") + "\n")
    }
    #expect(error?.isTransient == true)
    #expect(error?.description.contains("cut off after 2 of 3 entries") == true)
  }

  @Test func `an empty response is a network error`() async throws {
    let error = await #expect(throws: APIError.self) { try await snapshot("") }
    #expect(error?.isTransient == true)
  }

  @Test func `a snapshot truncated by the connection is a network error`() async throws {
    let server = ScriptedServer([
      .text("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"),
      .text("\(String(header(1).utf8.count + 1, radix: 16))\r\n\(header(1))\n\r\n"), .close,
    ])
    defer { server.stop() }
    let error = await #expect(throws: APIError.self) {
      try await APIClient(baseURL: server.baseURL, token: "secret").snapshot()
    }
    #expect(error?.isTransient == true)
  }

  @Test func `a snapshot with more entries than announced is invalid`() async throws {
    let error = await #expect(throws: APIError.self) { try await snapshot("\(header(0))\n\(eventLine)\n") }
    #expect(error?.description.contains("has 1 entries instead of 0") == true)
  }

  @Test(
    "an unreadable line is reported with its number",
    arguments: [
      (#"{"cursor":"x","epoch":"a","count":0}"#, "line 1 of the snapshot"),
      (header(1) + "\n{", "line 2 of the snapshot"),
      (header(2) + "\n" + typeLine + "\n" + #"{"entity_type":"event","data":{"id":"e1"}}"#, "line 3 of the snapshot"),
      (header(1) + "\n" + #"{"entity_type":"event","operation":"create","entity_id":"e1"}"#, "line 2 of the snapshot"),
    ])
  func unreadable(body: String, words: String) async throws {
    let error = await #expect(throws: APIError.self) { try await snapshot(body) }
    #expect(error?.isTransient == false)
    #expect(error?.description.contains(words) == true)
  }

  @Test func `a snapshot is requested part by part, and as a whole from a hub without parts`() async throws {
    let position = #""head":9007199254740993,"epochs":[{"id":"a","first":1}]"#
    let part =
      #"{"cursor":9007199254740993,"epoch":"a","count":1,\#(position),"next":"event.3.a b","#
      + #""spans":[{"kind":"event","after":1,"through":3}]}"#
    let whole = #"{"cursor":9007199254740993,"epoch":"a","count":1,\#(position)}"#
    func ask(_ header: String, _ request: SnapshotRequest) async throws -> (SnapshotPart, String?) {
      let server = ScriptedServer([.answer(200, header + "\n" + eventLine, type: "application/x-ndjson")])
      defer { server.stop() }
      let part = try await APIClient(baseURL: server.baseURL, token: "secret").snapshotPart(request)
      return (part, server.requests.first?.target)
    }
    let (first, target) = try await ask(part, SnapshotRequest(position: DevicePosition(device: "d")))
    #expect(target == "/api/v1/snapshot?part=first&device=d&acked_through=0")
    #expect(first.next == "event.3.a b" && first.spans == [SnapshotSpan(kind: "event", after: 1, through: 3)])
    guard case .entries(let entries) = first.answer else { throw APIError.networkError("no entries") }
    #expect(entries.entries.map(\.entityId) == ["e1"] && entries.position.head == 9_007_199_254_740_993)
    let (second, other) = try await ask(whole, SnapshotRequest(part: first.next))
    #expect(other == "/api/v1/snapshot?part=event.3.a%20b")
    #expect(second.next == nil && second.spans == nil)
  }

  @Test func `an HTML page is reported`() async throws {
    let error = await #expect(throws: APIError.self) { try await snapshot("<p>", type: "text/html") }
    #expect(error?.description.contains("text/html instead of a snapshot") == true)
  }

  @Test func `an error response is a problem`() async throws {
    let server = ScriptedServer([
      .answer(401, #"{"title":"No"}"#, type: "application/problem+json", headers: ["X-Request-Id: 5"])
    ])
    defer { server.stop() }
    await #expect(
      throws: APIError.problem(ProblemDetails(title: "No", status: 401, requestId: "5"), retryAfter: nil)
    ) { try await APIClient(baseURL: server.baseURL, token: "secret").snapshot() }
  }

  @Test func `a snapshot may take longer than the deadline while data arrives`() async throws {
    let server = ScriptedServer([
      .text("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n1"), .pause, .text("2"), .pause,
      .text("3"),
    ])
    defer { server.stop() }
    let clock = ManualClock()
    let client = try APIClient(baseURL: server.baseURL, token: "secret", clock: clock)
    let (pieces, arrived) = AsyncStream<Data>.makeStream()
    let task = Task {
      try await client.hub.stream(
        HTTPRequest(method: .get, path: "/x"), mediaTypes: ["text/plain"], named: "text"
      ) { pieces in
        try await pieces.forEach { arrived.yield($0) }
        arrived.finish()
      }
    }
    // Ten seconds between chunks, so that the total exceeds the deadline.
    var arrivals = pieces.makeAsyncIterator()
    for piece in ["1", "2"] {
      #expect(await arrivals.next() == Data(piece.utf8))
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(10))
      server.proceed()
    }
    try await task.value
    #expect(await arrivals.next() == Data("3".utf8))
    #expect(clock.uptime == .seconds(20))
  }

  @Test func `a snapshot that stalls ends at the deadline`() async throws {
    let server = ScriptedServer([
      .text("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n" + header(2) + "\n"), .hold,
    ])
    defer { server.stop() }
    let clock = ManualClock()
    let client = try APIClient(baseURL: server.baseURL, token: "secret", clock: clock)
    let task = Task { try await client.snapshot() }
    await server.received()
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(30))
    let error = await #expect(throws: APIError.self) { try await task.value }
    #expect(error?.isTransient == true)
    await server.departed()
  }

  @Test func `cancelling the task disconnects immediately`() async throws {
    let server = ScriptedServer([
      .text("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n" + header(2) + "\n"), .hold,
    ])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    let task = Task { try await client.snapshot() }
    await server.received()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await server.departed()
  }
}

private let signalHead = ScriptedServer.Step.text(
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\r\n")

@Suite("Change signals", .timeLimit(.minutes(10)))
struct ChangeSignalTests {
  #if canImport(FoundationNetworking)
    /// On Linux, a small request precedes the stream so that the stream reuses its connection.
    private static let before = 1
  #else
    private static let before = 0
  #endif

  private static func server(_ answer: [ScriptedServer.Step]) -> ScriptedServer {
    ScriptedServer(Array(repeating: [.answer(200, "{}")], count: before) + [answer])
  }

  @Test func `a stream reuses a connection and waits without using CPU time`() async throws {
    let server = Self.server([signalHead, .hold])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    let task = Task { for try await _ in client.changeSignals() {} }
    await server.received(Self.before + 1)
    #expect(server.accepted == 1)
    task.cancel()
    _ = await task.result
  }

  @Test func `a signal contains the new head`() async throws {
    let server = Self.server([
      signalHead, .text(": hello\n\nevent: head\ndata: {\"cursor\":41}\n\n"), .pause,
      .text("event: other\ndata: x\n\nevent: head\r\ndata: {\"cursor\":42}\r\n\r\n"), .pause, .close,
    ])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    var heads: [Int64] = []
    for try await head in client.changeSignals() {
      heads.append(head)
      server.proceed()
    }
    #expect(heads == [41, 42])
    let request = try #require(server.requests.last)
    #expect(request.target == "/api/v1/changes/stream")
    #expect(request.headers["accept"] == "text/event-stream")
    #expect(request.headers["authorization"] == "Bearer secret")
  }

  @Test(
    "the stream ends immediately if the hub does not support it", arguments: ["application/problem+json", "text/html"])
  func absent(type: String) async throws {
    let server = Self.server([.answer(404, "{}", type: type)])
    defer { server.stop() }
    for try await _ in try APIClient(baseURL: server.baseURL, token: "secret").changeSignals() {
      Issue.record("a signal from nowhere")
    }
    #expect(server.requests.count == Self.before + 1)
  }

  @Test func `an error of the hub is thrown`() async throws {
    let server = Self.server([.answer(401, "", type: nil)])
    defer { server.stop() }
    let signals = try APIClient(baseURL: server.baseURL, token: "secret").changeSignals()
    await #expect(throws: APIError.httpError(401)) { for try await _ in signals {} }
  }

  @Test func `an HTML page is reported`() async throws {
    let server = Self.server([.answer(200, "<p>", type: "text/html")])
    defer { server.stop() }
    let signals = try APIClient(baseURL: server.baseURL, token: "secret").changeSignals()
    let error = await #expect(throws: APIError.self) { for try await _ in signals {} }
    #expect(error?.description.contains("text/html instead of a stream of events") == true)
  }

  @Test func `ending the iteration disconnects`() async throws {
    let server = Self.server([signalHead, .text("event: head\ndata: {\"cursor\":1}\n\n"), .hold])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    for try await head in client.changeSignals() {
      #expect(head == 1)
      break
    }
    await server.departed()
  }

  @Test func `cancelling the reader disconnects`() async throws {
    let server = Self.server([signalHead, .hold])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    let task = Task { for try await _ in client.changeSignals() {} }
    await server.received(Self.before + 1)
    task.cancel()
    _ = await task.result
    await server.departed()
  }

  @Test func `the stream times out after 90 seconds without data`() async throws {
    let server = Self.server([signalHead, .hold])
    defer { server.stop() }
    let clock = ManualClock()
    let signals = try APIClient(baseURL: server.baseURL, token: "secret", clock: clock).changeSignals()
    let task = Task { for try await _ in signals {} }
    await server.received(Self.before + 1)
    await clock.waitForSleepers()
    #expect(clock.nextDeadline == .seconds(90))
    await clock.advance(by: .seconds(180))
    let error = await #expect(throws: APIError.self) { try await task.value }
    #expect(error?.isTransient == true)
  }
}
