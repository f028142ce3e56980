import Foundation
import StorageTesting
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

private struct OpenStream {
  let response: HTTPResponse
  private let body: HTTPBodyStream

  init(_ hub: TestHub, server: HubServer? = nil, token: String? = nil) async throws {
    response = await (server ?? hub.server).handle(
      HTTPRequest(
        id: "request-1", method: "GET", target: "/api/v1/changes/stream",
        headers: HTTPHeaders([("Authorization", "Bearer \(token ?? hub.token)")])))
    guard case .stream(let stream) = response.body else {
      throw Refused(status: response.status, retryAfter: response.headers["Retry-After"])
    }
    body = stream
  }

  struct Refused: Error, Equatable {
    var status: Int
    var retryAfter: String?
  }

  func next() async throws -> String? {
    try await body.next().map { String(decoding: $0, as: UTF8.self) }
  }
}

private func head(_ cursor: Int64) -> String { "event: head\ndata: {\"cursor\":\(cursor)}\n\n" }

@Suite("Change stream", .timeLimit(.minutes(10)))
struct ChangeStreamTests {
  let hub: TestHub

  init() throws { hub = try TestHub() }

  @Test func `the stream sends the head at once and again when it moves`() async throws {
    try await hub.makeType()
    let stream = try await OpenStream(hub)
    #expect(stream.response.status == 200)
    #expect(stream.response.headers["Content-Type"] == "text/event-stream")
    #expect(stream.response.headers["Cache-Control"] == "no-store")
    #expect(try await stream.next() == head(1))
    async let piece = stream.next()
    try await hub.makeEvent("e")
    #expect(try await piece == head(2))
  }

  @Test func `the stream of an empty record starts at 0`() async throws {
    #expect(try await OpenStream(hub).next() == head(0))
  }

  @Test(
    "every kind of write is announced",
    arguments: [
      ("POST", "/event-types", #"{"id":"x","name":"x","color":"c","icon":"i"}"#),
      ("PATCH", "/event-types/t", #"{"name":"Tea"}"#), ("PUT", "/event-types/t", #"{"name":"Tea"}"#),
      ("DELETE", "/event-types/t", nil),
      ("POST", "/events/batch", #"{"events":[{"id":"e","event_type_id":"t","timestamp":"2024-01-01T08:00:00Z"}]}"#),
      ("POST", "/event-types/t/properties", #"{"id":"p","key":"size","label":"Size","property_type":"text"}"#),
      (
        "POST", "/mutations",
        #"{"device":"d","acked_through":0,"mutations":[{"id":"m","seq":1,"entity_type":"event_type","entity_id":"t","operation":"delete","payload":{}}]}"#
      ),
    ] as [(String, String, String?)])
  func writes(method: String, path: String, body: String?) async throws {
    try await hub.makeType()
    let stream = try await OpenStream(hub)
    #expect(try await stream.next() == head(1))
    let document = try body.map { try WireJSON.decode(JSONValue.self, from: Data($0.utf8)) }
    let answer = try await hub.send(method, path, document)
    #expect((200...204).contains(answer.status), "\(answer.detail)")
    #expect(try await stream.next() == head(2))
  }

  /// Returns the next chunk of a stream while advancing the clock second by second.
  ///
  /// On a busy machine, the task that checks the streams may run late, and then checks one second later.
  private func next(_ stream: OpenStream, at other: TestHub? = nil) async throws -> String? {
    try await withThrowingTaskGroup(of: String?.self) { [clock = (other ?? hub).clock] group in
      group.addTask { try await stream.next() }
      group.addTask {
        while !Task.isCancelled {
          await clock.waitForSleepers()
          await clock.advance(by: .seconds(1))
        }
        throw CancellationError()
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  @Test func `a slow reader gets only the newest head`() async throws {
    let stream = try await OpenStream(hub)
    for number in 1...5 { try await hub.makeType("t\(number)") }
    #expect(try await stream.next() == head(5))
    async let piece = stream.next()
    try await hub.makeType("t6")
    #expect(try await piece == head(6))
  }

  @Test func `writes of other users and mutations without effect are not announced`() async throws {
    let other = try hub.server.accounts.createPerson(name: "Bert")
    var bert = hub
    bert.token = try hub.server.accounts.createToken(user: other.id, deviceName: "phone").token
    let stream = try await OpenStream(hub)
    #expect(try await stream.next() == head(0))
    for number in 1...3 { try await bert.makeType("t\(number)") }
    #expect(try await hub.send("DELETE", "/event-types/nothing").status == 204)
    let present = try await hub.changes().nextCursor
    #expect(try await next(stream) == (present == 0 ? ":\n\n" : head(present)))
    #expect(try await OpenStream(bert).next() == head(3))
  }

  @Test func `a comment is sent 25 seconds after the last chunk`() async throws {
    let stream = try await OpenStream(hub)
    #expect(try await stream.next() == head(0))
    for round in 1...2 {
      async let piece = stream.next()
      await hub.clock.waitForSleepers()
      await hub.clock.advance(by: .seconds(24))
      try await hub.makeType("t\(round)")
      #expect(try await piece == head(Int64(round)), "a comment came before its time")
    }
    for _ in 1...2 {
      let lastWord = hub.clock.uptime
      #expect(try await next(stream) == ":\n\n")
      #expect(hub.clock.uptime - lastWord >= .seconds(25))
    }
  }

  @Test func `a device has at most four streams, and closing one frees its slot`() async throws {
    var streams: [OpenStream] = []
    for _ in 1...4 { streams.append(try await OpenStream(hub)) }
    await #expect(throws: OpenStream.Refused(status: 429, retryAfter: "25")) { try await OpenStream(hub) }
    let laptop = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "laptop").token
    #expect(try await OpenStream(hub, token: laptop).next() == head(0))
    streams.removeLast()
    streams.append(try await OpenStream(hub))
    await #expect(throws: OpenStream.Refused(status: 429, retryAfter: "25")) { try await OpenStream(hub) }
    #expect(streams.count == 4)
  }

  /// Opens streams for one user, four per device.
  private func streams(_ count: Int, of user: HubUser, at hub: TestHub) async throws -> [OpenStream] {
    var streams: [OpenStream] = []
    for number in 0..<count / 4 {
      let token = try hub.server.accounts.createToken(user: user.id, deviceName: "d\(number)").token
      for _ in 1...4 { streams.append(try await OpenStream(hub, token: token)) }
    }
    return streams
  }

  @Test func `a user has at most 64 streams on all devices, independent of other users`() async throws {
    var streams = try await streams(64, of: hub.user, at: hub)
    await #expect(throws: OpenStream.Refused(status: 429, retryAfter: "25")) { try await OpenStream(hub) }
    let other = try hub.server.accounts.createPerson(name: "Bert")
    let token = try hub.server.accounts.createToken(user: other.id, deviceName: "phone").token
    #expect(try await OpenStream(hub, token: token).next() == head(0))
    try await hub.makeType()
    for stream in streams { #expect(try await stream.next() == head(1)) }
    streams.removeLast()
    #expect(try await OpenStream(hub).next() == head(1))
  }

  @Test func `the number of streams of a hub is limited by its configuration`() async throws {
    let hub = try TestHub(configuration: HubConfiguration(streams: 2))
    var streams = [try await OpenStream(hub), try await OpenStream(hub)]
    let other = try hub.server.accounts.createPerson(name: "Bert")
    let token = try hub.server.accounts.createToken(user: other.id, deviceName: "phone").token
    await #expect(throws: OpenStream.Refused(status: 503, retryAfter: "25")) { try await OpenStream(hub, token: token) }
    streams.removeLast()
    #expect(try await OpenStream(hub, token: token).next() == head(0))
  }

  @Test func `many streams are checked in turn for changes by other processes`() async throws {
    let hub = try TestHub(configuration: HubConfiguration(streams: 1000))
    var open: [(user: HubUser, streams: [OpenStream])] = []
    for number in 1...10 {
      let user = try hub.server.accounts.createPerson(name: "person \(number)")
      open.append((user, try await streams(60, of: user, at: hub)))
      for stream in open[number - 1].streams { #expect(try await stream.next() == head(0)) }
    }
    let accounts = HubAccounts(storage: TestHub.openStorage(hub.disk), clock: hub.clock)
    for (user, streams) in [open[0], open[4], open[9]] {
      let device = try #require(try accounts.devices(user: user.id).first { $0.name == "d7" })
      try accounts.revoke(deviceId: device.id)
      #expect(try await next(streams[28], at: hub) == nil)
    }
  }

  @Test func `a write by another process is announced within a second`() async throws {
    let stream = try await OpenStream(hub)
    #expect(try await stream.next() == head(0))
    let other = HubServer(storage: TestHub.openStorage(hub.disk), clock: hub.clock, generator: SeededGenerator(seed: 2))
    let answer = await other.handle(
      HTTPRequest(
        id: "request-2", method: "POST", target: "/api/v1/event-types",
        headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")]),
        body: Data(#"{"id":"t","name":"x","color":"c","icon":"i"}"#.utf8)))
    #expect(answer.status == 201)
    #expect(try await next(stream) == head(1))
  }

  @Test func `a stream ends within a second when any process revokes its token, and no other does`() async throws {
    let accounts = HubAccounts(storage: TestHub.openStorage(hub.disk), clock: hub.clock)
    let (token, laptop) = try accounts.createToken(user: hub.user.id, deviceName: "laptop")
    let phone = try await OpenStream(hub)
    let stream = try await OpenStream(hub, token: token)
    for stream in [phone, stream] { #expect(try await stream.next() == head(0)) }
    try accounts.revoke(deviceId: laptop.id)
    #expect(try await next(stream) == nil)
    await #expect(throws: OpenStream.Refused(status: 401)) { try await OpenStream(hub, token: token) }
    try await hub.makeType()
    #expect(try await phone.next() == head(1))
  }

  @Test func `a stream ends at once when its device is revoked through the hub`() async throws {
    let (token, laptop) = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "laptop")
    let stream = try await OpenStream(hub, token: token)
    #expect(try await stream.next() == head(0))
    async let last = stream.next()
    #expect(try await hub.send("DELETE", "/me/devices/\(laptop.id)").status == 204)
    #expect(try await last == nil)
  }

  @Test func `streams end with a retry time when the hub stops, and new ones are rejected`() async throws {
    let stream = try await OpenStream(hub)
    let unread = try await OpenStream(hub)
    #expect(try await stream.next() == head(0))
    async let last = stream.next()
    await hub.server.stop()
    #expect(try await last == "retry: 2000\n\n")
    #expect(try await stream.next() == nil)
    #expect(try await unread.next() == head(0) + "retry: 2000\n\n")
    #expect(try await unread.next() == nil)
    await #expect(throws: OpenStream.Refused(status: 503, retryAfter: "1")) { try await OpenStream(hub) }
  }

  @Test func `a stream ends when its reader is cancelled, before or during a read`() async throws {
    let stream = try await OpenStream(hub)
    #expect(try await stream.next() == head(0))
    let reading = Task { try await stream.next() }
    reading.cancel()
    #expect(try await reading.value == nil)
    #expect(try await stream.next() == nil)
  }

  @Test func `a hub without readers has no timers`() async throws {
    try await hub.makeType()
    #expect(hub.clock.sleeperCount == 0)
    var stream: OpenStream? = try await OpenStream(hub)
    await hub.clock.waitForSleepers()
    #expect(hub.clock.sleeperCount == 1)
    #expect(try await stream?.next() == head(1))
    stream = nil
    while hub.clock.sleeperCount > 0 { await Task.yield() }
    stream = try await OpenStream(hub)
    await hub.clock.waitForSleepers()
    #expect(try await stream?.next() == head(1))
  }

  @Test func `the stream requires a token and the method GET`() async throws {
    #expect(try await hub.send("GET", "/changes/stream", token: "wrong").status == 401)
    #expect(try await hub.send("POST", "/changes/stream").status == 405)
    // The body of a HEAD response is never read, so it must not occupy one of the device's streams.
    for _ in 1...6 {
      let response = await hub.server.handle(
        HTTPRequest(
          id: "r", method: "HEAD", target: "/api/v1/changes/stream",
          headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")])))
      #expect(response.status == 200)
    }
  }
}
