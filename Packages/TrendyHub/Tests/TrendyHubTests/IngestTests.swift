import Foundation
import StorageTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

/// Ingest that records every request.
private final class NotingIngest: Ingest {
  let taken = Mutex<[(request: IngestRequest, user: String, device: String, hasDesk: Bool)]>([])
  let answer: IngestResponse
  let error: Problem?

  init(answer: IngestResponse = IngestResponse(), error: Problem? = nil) {
    self.answer = answer
    self.error = error
  }

  func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestResponse {
    taken.withLock { $0.append((request, sender.user, sender.device, sender.desk != nil)) }
    if let error { throw error }
    return answer
  }

  var forms: [IngestRequest.Form] { taken.withLock { $0.map(\.request.form) } }
}

@Suite("Ingest", .timeLimit(.minutes(10)))
struct IngestTests {
  private static let patient: HTTPLimits = {
    var limits = HTTPLimits()
    limits.headDeadline = .seconds(50)
    limits.bodyDeadline = .seconds(50)
    limits.stopDeadline = .seconds(50)
    return limits
  }()

  private func serving(
    _ ingest: (any Ingest)?, log: AccessLog? = nil,
    _ body: (_ port: UInt16, _ server: HubServer, _ token: String) async throws -> Void
  ) async throws {
    let server = HubServer(
      storage: TestHub.openStorage(SimulatedFileSystem()),
      transport: SocketTransport(limits: Self.patient, log: log),
      ingest: ingest, log: log)
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

  @Test func `every protocol has its path and the response that its clients expect`() async throws {
    var given = IngestResponse()
    given.added = 2
    given.problems = ["locations[1]: the place is missing"]
    given.problemCount = 1
    let ingest = NotingIngest(answer: given)
    try await serving(ingest) { port, server, token in
      let mine = [("Authorization", "Bearer \(token)")]
      let pub = try await RawClient.request("POST", "/pub?u=a&d=b", port: port, headers: mine, body: Data("{}".utf8))
      #expect(pub.status == 200 && pub.body == Data("[]".utf8))
      #expect(pub.headers["x-trendy-problems"] == "1")
      let overland = try await RawClient.request("POST", "/overland", port: port, headers: mine, body: Data("{}".utf8))
      #expect(overland.json?["result"] as? String == "ok" && overland.json?["problem_count"] as? Int == 1)
      for path in ["/log?lat=1", "/gpslogger?lat=1", "/osmand?id=1&lat=1", "/?id=1&lat=1"] {
        let answer = try await RawClient.request("GET", path, port: port, headers: mine)
        #expect(answer.status == 200 && answer.json?["added"] as? Int == 2, "\(path)")
      }
      for call in IngestRequest.Webhook.allCases {
        let answer = try await RawClient.request(
          "POST", "/webhook/\(call.rawValue)", port: port, headers: mine, body: Data())
        #expect(answer.status == 200 && answer.json?["active"] as? Bool == false, "\(call)")
      }
      #expect(
        ingest.forms
          == [.ownTracks, .overland, .gpsLogger, .gpsLogger, .osmAnd, .osmAnd]
          + IngestRequest.Webhook.allCases.map { .webhook($0) })
      let first = try #require(ingest.taken.withLock { $0.first })
      #expect(first.request.query == "u=a&d=b" && first.request.body == Data("{}".utf8))
      #expect(first.user == (try server.accounts.users().first?.id) && first.hasDesk)
    }
  }

  @Test func `a token is accepted where a tracker can send it and never logged`() async throws {
    let log = Mutex<[AccessLogEntry]>([])
    let ingest = NotingIngest()
    try await serving(ingest, log: { entry in log.withLock { $0.append(entry) } }) { port, _, token in
      let basic = Data("anna:\(token)".utf8).base64EncodedString()
      for (path, headers) in [
        ("/pub", [("Authorization", "Bearer \(token)")]), ("/pub", [("Authorization", "bearer  \(token)")]),
        ("/pub", [("Authorization", "Basic \(basic)")]), ("/pub?token=\(token)", []),
      ] {
        let answer = try await RawClient.request("POST", path, port: port, headers: headers, body: Data())
        #expect(answer.status == 200, "\(headers)")
      }
      for (path, headers) in [
        ("/pub", []), ("/pub?token=no", []), ("/pub", [("Authorization", "Bearer no")]),
        ("/pub", [("Authorization", "Basic \(token)")]), ("/pub", [("Authorization", "Digest \(token)")]),
        ("/pub?token=\(token)", [("Authorization", "Basic bm8=")]),
        ("/pub", [("Authorization", "Bearer \(token)"), ("Authorization", "Bearer \(token)")]),
      ] {
        let answer = try await RawClient.request("POST", path, port: port, headers: headers, body: Data())
        #expect(answer.status == 401 && answer.problemType == "urn:trendy:error:unauthorized", "\(headers)")
      }
      #expect(ingest.forms.count == 4)
      #expect(!"\(log.withLock { $0 })".contains(token))
      // Only trackers may pass a token in the URL.
      let plain = try await RawClient.request("GET", "/api/v1/changes?token=\(token)", port: port)
      #expect(plain.status == 401)
    }
  }

  @Test func `invalid posts are rejected with a problem`() async throws {
    let ingest = NotingIngest(
      error: Problem("invalid", status: 400, title: "Invalid document", detail: "line 1: no JSON"))
    try await serving(ingest) { port, _, token in
      let mine = [("Authorization", "Bearer \(token)")]
      let bad = try await RawClient.request("POST", "/pub", port: port, headers: mine, body: Data("x".utf8))
      #expect(bad.status == 400 && bad.json?["detail"] as? String == "line 1: no JSON")
      #expect(try await RawClient.request("GET", "/pub", port: port, headers: mine).status == 405)
      #expect(try await RawClient.request("DELETE", "/overland", port: port, headers: mine).status == 405)
      #expect(try await RawClient.request("POST", "/webhook/stop", port: port, headers: mine).status == 404)
      #expect(try await RawClient.request("GET", "/nothing", port: port, headers: mine).status == 404)
      let page = try await RawClient.request(
        "POST", "/pub", port: port, headers: mine + [("Origin", "https://evil.example")], body: Data())
      #expect(page.status == 403)
    }
    try await serving(nil) { port, _, token in
      let answer = try await RawClient.request(
        "POST", "/pub", port: port, headers: [("Authorization", "Bearer \(token)")], body: Data())
      #expect(answer.status == 404)
    }
  }

  @Test func `an ingest writes like another device and sees deletions`() async throws {
    let hub = try TestHub()
    let desk = hub.server.ingestDesk(user: hub.user.id)
    try desk.create(
      .eventType, CreateEventTypeRequest(id: "t", name: "Trip", color: "#000000", icon: "x"))
    let types: [APIEventType] = try desk.list(.eventType)
    #expect(types.map(\.id) == ["t"])
    let id = "a/b c%"
    var event = Event(id: id, eventTypeId: "t", timestamp: hub.clock.now, sourceType: .trip)
    try desk.create(.event, event.createRequest)
    let held: APIEvent? = try desk.find(.event, id: id)
    #expect(held?.sourceType == "trip")
    let before = event
    event.endDate = hub.clock.now + 60
    try desk.update(.event, id: id, #require(event.updateRequest(from: before)))
    let page = try await hub.changes()
    #expect(page.changes.last?.entityId == id)
    #expect(try await hub.send("DELETE", "/events/a%2Fb%20c%25").status == 204)
    let gone: APIEvent? = try desk.find(.event, id: id)
    #expect(gone == nil)
    try desk.delete(.event, id: id)
    #expect {
      try desk.create(.event, event.createRequest)
    } throws: {
      ($0 as? Problem)?.kind == "entity_deleted"
    }
  }

  @Test func `entities of a kind count as changed after the hub lost writes`() throws {
    let hub = try TestHub()
    let desk = hub.server.ingestDesk(user: hub.user.id)
    try desk.create(.eventType, CreateEventTypeRequest(id: "t", name: "Trip", color: "#000000", icon: "x"))
    let (first, isNew) = try desk.changes(of: .geofence, since: nil)
    #expect(isNew)
    #expect(try !desk.changes(of: .geofence, since: first).hasChanged)
    try desk.create(.geofence, CreateGeofenceRequest(id: "g", name: "Home", latitude: 1, longitude: 2, radius: 100))
    let (second, isChanged) = try desk.changes(of: .geofence, since: first)
    #expect(isChanged)
    // A standby without the latest writes took over. The hubs then wrote more than was lost, but no places.
    try hub.storage.write(user: hub.user.id) { transaction in
      var state = try transaction.state()
      state.epochs.append(HubEpoch(id: "standby", first: state.head))
      state.head += 3
      try transaction.setState(state)
    }
    #expect(try desk.changes(of: .geofence, since: second).hasChanged)
  }

  @Test func `the ingest server of an agent has the same paths with one token`() async throws {
    let ingest = NotingIngest()
    let server = IngestServer(
      transport: SocketTransport(limits: Self.patient), token: "secret-of-this-store", ingest: ingest)
    let port = try await server.start()
    let mine = [("Authorization", "Bearer secret-of-this-store")]
    let pub = try await RawClient.request("POST", "/pub", port: port, headers: mine, body: Data("{}".utf8))
    #expect(pub.status == 200 && pub.body == Data("[]".utf8) && pub.headers["x-request-id"] != nil)
    let wrong = try await RawClient.request(
      "POST", "/pub", port: port, headers: [("Authorization", "Bearer secret-of-this-stor")], body: Data())
    #expect(wrong.status == 401)
    #expect(try await RawClient.request("GET", "/health", port: port).status == 200)
    #expect(try await RawClient.request("GET", "/api/v1/changes", port: port, headers: mine).status == 404)
    let foreign = try RawClient(port: port)
    foreign.send("GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    #expect(try await foreign.readAnswer().status == 403)
    #expect(ingest.forms == [.ownTracks])
    await server.stop()
  }
}
