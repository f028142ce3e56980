import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

@Suite("Companions at the hub", .timeLimit(.minutes(10)))
struct CompanionLinkTests {
  let hub: TestHub
  let watch: (token: String, id: String)
  let id: String

  init() async throws {
    hub = try TestHub()
    let made = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "watch")
    watch = (made.token, made.device.id)
    let link = try await hub.send("POST", "/companions", ["companion_id": .string(made.device.id)])
    #expect(link.status == 201 && link["tracker_name"] == "phone" && link["companion_name"] == "watch")
    id = try #require(link["id"].stringValue)
  }

  private func give(_ sequences: ClosedRange<Int64>, acknowledged: Int64 = 0) async throws -> TestHub.Answer {
    let notices = sequences.map { sequence -> JSONValue in
      ["seq": .int(sequence), "kind": "trip_started", "at": "2024-01-01T08:00:00Z", "data": ["n": .int(sequence)]]
    }
    return try await hub.send(
      "POST", "/companions/\(id)/notices", ["acked_through": .int(acknowledged), "notices": .array(notices)])
  }

  private func take(after sequence: Int64, limit: Int = 100) async throws -> [Int64] {
    let answer = try await hub.send(
      "GET", "/companions/\(id)/notices?after=\(sequence)&limit=\(limit)", token: watch.token)
    #expect(answer.status == 200)
    return try answer.decoded(CompanionNoticesResponse.self).notices.map(\.sequence)
  }

  @Test func `a notice is kept until the companion asks for the notices after it`() async throws {
    #expect(try await give(1...3)["held_through"] == 3)
    #expect(try await take(after: 0, limit: 2) == [1, 2])
    #expect(try await take(after: 0) == [1, 2, 3], "what was not said to be kept is told again")
    #expect(try await take(after: 2) == [3])
    #expect(try await give(4...4)["acked_through"] == 2)
    #expect(try await take(after: 0) == [3, 4])
  }

  @Test func `repeated notices are ignored, and none is accepted after a gap`() async throws {
    _ = try await give(1...2)
    #expect(try await give(1...3)["held_through"] == 3)
    #expect(try await give(5...6)["held_through"] == 3)
    #expect(try await take(after: 0) == [1, 2, 3])
  }

  @Test func `a restored hub continues at the positions of both devices`() async throws {
    // The restored hub has no notices. The tracker has discarded its notices up to 4, and the companion has
    // received 5.
    #expect(try await give(5...6, acknowledged: 4)["held_through"] == 6)
    #expect(try await take(after: 5) == [6])
    #expect(try await take(after: 8).isEmpty)
    let answer = try await give(7...9)
    #expect(answer["held_through"] == 9 && answer["acked_through"] == 8)
    #expect(try await take(after: 8) == [9])
  }

  @Test func `the hub stores at most ten thousand notices`() async throws {
    for start in stride(from: Int64(1), to: 10_000, by: 500) { _ = try await give(start...start + 499) }
    #expect(try await give(10_001...10_002)["held_through"] == 10_000)
    #expect(try await take(after: 1, limit: 1) == [2])
    #expect(try await give(10_001...10_002)["held_through"] == 10_001)
  }

  @Test func `only the two devices of a link can use it, each in its role`() async throws {
    let other = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "laptop").token
    for token in [other, hub.token] {
      #expect(try await hub.send("GET", "/companions/\(id)/notices?after=0", token: token).status == 404)
    }
    let body: JSONValue = ["acked_through": 0, "notices": []]
    #expect(try await hub.send("POST", "/companions/\(id)/notices", body, token: watch.token).status == 404)
    #expect(try await hub.send("GET", "/companions", token: other).json == [])
    let stranger = try hub.server.accounts.createPerson(name: "Bo")
    let device = try hub.server.accounts.createToken(user: stranger.id, deviceName: "theirs").device
    #expect(try await hub.send("POST", "/companions", ["companion_id": .string(device.id)]).status == 404)
    let own = try await hub.send("GET", "/me/devices")
    #expect(own.json.arrayValue?.compactMap { $0["name"].stringValue } == ["laptop", "phone", "watch"])
    let me = try #require(own.json.arrayValue?.first { $0["current"] == true }?["id"])
    #expect(try await hub.send("POST", "/companions", ["companion_id": me]).status == 400)
  }

  @Test func `a removed link is listed as removed and continues when it is created again`() async throws {
    _ = try await give(1...3)
    #expect(try await hub.send("DELETE", "/companions/\(id)", token: watch.token).status == 204)
    #expect(try await hub.send("DELETE", "/companions/\(id)").status == 204, "again is no error")
    #expect(try await give(4...4).status == 404)
    let list = try await hub.send("GET", "/companions")
    #expect(list.json[0]["removed"] == true && list.json[0]["id"] == .string(id))
    let again = try await hub.send("POST", "/companions", ["companion_id": .string(watch.id)])
    #expect(again["id"] == .string(id) && again["removed"] == false && again["held_through"] == 3)
    #expect(try await take(after: 0).isEmpty, "what was on its way went with it")
  }

  /// Returns the link and notices that the hub sends for the phone, as the watch sees them.
  private func announcedByHub(after sequence: Int64 = 0) async throws -> (link: JSONValue, notices: [CompanionNotice]) {
    let list = try await hub.send("GET", "/companions", token: watch.token)
    let links = list.json.arrayValue ?? []
    let link = try #require(links.first { $0["tracker_id"].stringValue?.hasPrefix("hub:") == true })
    let path = "/companions/\(try #require(link["id"].stringValue))/notices?after=\(sequence)"
    let answer = try await hub.send("GET", path, token: watch.token)
    guard answer.status == 200 else { return (link, []) }
    return (link, try answer.decoded(CompanionNoticesResponse.self).notices)
  }

  private func draft(_ kind: String) -> HubAnnouncements.Draft { .init(kind: kind, data: ["id": "t"]) }

  @Test func `the hub announces trips of a device with sequence numbers that follow the clock`() async throws {
    let desk = hub.server.ingestDesk(user: hub.user.id)
    let phone = try #require(try hub.server.accounts.devices(user: hub.user.id).first { $0.name == "phone" }?.id)
    var telling = try #require(try desk.tellings(ofDevice: phone).first)
    #expect(telling.companion == watch.id && telling.told.isEmpty && telling.since == hub.clock.now)
    #expect(try desk.tellings(ofDevice: watch.id).isEmpty)
    telling.told["t"] = .init(isOpen: true, at: hub.clock.now)
    let outdated = telling
    #expect(try desk.tell([draft("trip_started"), draft("trip_active")], of: phone, as: telling))
    #expect(try desk.tellings(ofDevice: phone).map(\.told) == [telling.told])
    // Another hub on the storage, which read the state earlier, does not announce anything twice.
    #expect(try !desk.tell([draft("trip_started"), draft("trip_active")], of: phone, as: outdated))
    telling = try #require(try desk.tellings(ofDevice: phone).first)
    let first = Int64(hub.clock.now.timeIntervalSince1970 * 1000)
    var (link, notices) = try await announcedByHub()
    #expect(link["tracker_name"] == "phone")
    #expect(notices.map(\.sequence) == [first, first + 1] && notices.map(\.kind) == ["trip_started", "trip_active"])
    // The phone's own link is separate, and the phone does not see the hub's link.
    #expect(try await give(1...1)["held_through"] == 1)
    #expect(try await hub.send("GET", "/companions").json.arrayValue?.count == 1)
    // The watch has received more notices than the restored hub knows of. The hub continues numbering above them.
    (_, notices) = try await announcedByHub(after: first + 5000)
    try desk.tell([draft("trip_ended")], of: phone, as: telling)
    (_, notices) = try await announcedByHub(after: first + 5000)
    #expect(notices.map(\.sequence) == [first + 5001])
    // Later sequence numbers follow the clock again.
    await hub.clock.advance(by: .seconds(60))
    try desk.tell([draft("trip_started")], of: phone, as: telling)
    (_, notices) = try await announcedByHub(after: first + 5001)
    #expect(notices.map(\.sequence) == [first + 60_000])
  }

  @Test func `either device can create a link, and removing it also removes the hub's link`() async throws {
    let desk = hub.server.ingestDesk(user: hub.user.id)
    let other = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "pixel")
    let body: JSONValue = ["tracker_id": .string(other.device.id)]
    let made = try await hub.send("POST", "/companions", body, token: watch.token)
    #expect(made.status == 201 && made["tracker_name"] == "pixel" && made["companion_name"] == "watch")
    #expect(
      try await hub.send("POST", "/companions", ["tracker_id": .string(watch.id)], token: watch.token).status == 400)
    #expect(try await hub.send("POST", "/companions", ["tracker_id": "none"], token: watch.token).status == 404)
    var telling = try #require(try desk.tellings(ofDevice: other.device.id).first)
    telling.told["t"] = .init(isOpen: true, at: hub.clock.now)
    try desk.tell([draft("trip_started")], of: other.device.id, as: telling)
    let own = try await announcedByHub()
    #expect(own.notices.count == 1)
    // The companion sees both links and removes the hub's.
    let id = try #require(own.link["id"].stringValue)
    #expect(try await hub.send("DELETE", "/companions/\(id)", token: hub.token).status == 204, "not theirs: nothing")
    #expect(try await announcedByHub().notices.count == 1)
    #expect(try await hub.send("DELETE", "/companions/\(id)", token: watch.token).status == 204)
    #expect(try desk.tellings(ofDevice: other.device.id).isEmpty)
    #expect(try await announcedByHub().link["removed"] == true)
    // After the removal nothing is announced. A new link starts with the state at that time.
    try desk.tell([draft("trip_ended")], of: other.device.id, as: telling)
    await hub.clock.advance(by: .seconds(60))
    _ = try await hub.send("POST", "/companions", body, token: watch.token)
    let again = try desk.tellings(ofDevice: other.device.id)
    #expect(again.map(\.told) == [[:]] && again.map(\.since) == [hub.clock.now])
  }

  @Test(arguments: [
    #"{"notices":[]}"#, #"{"acked_through":0}"#, #"{"acked_through":0,"notices":[{"seq":0,"kind":"a","at":"x"}]}"#,
    #"{"acked_through":0,"notices":[{"seq":1,"kind":"","at":"2024-01-01T00:00:00Z"}]}"#,
    #"{"acked_through":0,"notices":[{"seq":1,"kind":"a","at":"yesterday"}]}"#,
    #"{"acked_through":0,"notices":[{"seq":1,"kind":"a","at":"2024-01-01T00:00:00Z","data":3}]}"#,
  ])
  func `an invalid notice is rejected, and the detail names the member`(body: String) async throws {
    let answer = try await hub.send(raw: body, to: "/companions/\(id)/notices")
    #expect(answer.status == 400 && answer.problem == "invalid" && answer.detail.contains(":"))
  }

  @Test func `the change stream of the companion announces notices, that of the tracker does not`() async throws {
    func stream(_ token: String) async throws -> HTTPBodyStream {
      let response = await hub.server.handle(
        HTTPRequest(
          id: "r", method: "GET", target: "/api/v1/changes/stream",
          headers: HTTPHeaders([("Authorization", "Bearer \(token)")])))
      guard case .stream(let stream) = response.body else { throw TestFailure() }
      _ = try await stream.next()
      return stream
    }
    let (watching, telling) = (try await stream(watch.token), try await stream(hub.token))
    _ = try await give(1...1)
    _ = try await hub.makeType()
    let said = String(decoding: try await watching.next() ?? Data(), as: UTF8.self)
    #expect(said.contains("event: companion\ndata: {}\n\n"))
    #expect(!String(decoding: try await telling.next() ?? Data(), as: UTF8.self).contains("companion"))
  }
}

private struct TestFailure: Error {}
