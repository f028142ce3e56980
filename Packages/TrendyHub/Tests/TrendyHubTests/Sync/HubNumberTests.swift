import Foundation
import Testing
import TrendyModels
import TrendyPersistence
import TrendyTesting

@testable import TrendyHub

/// Numbers in requests that are out of range. The response names the field, and nothing is stored.
@Suite("Numeric ranges at the hub", .timeLimit(.minutes(10)))
struct HubNumberTests {
  let hub: TestHub

  init() throws { hub = try TestHub() }

  private static let beyond = ["9223372036854775807", "-9223372036854775808", "-9223372036854775809", "-1", "1e300"]

  private func send(raw mutation: String, sequence: Int = 1) async throws -> TestHub.Answer {
    try await hub.send(
      raw: #"{"device":"d","acked_through":0,"mutations":[{"id":"m\#(sequence)","seq":\#(sequence),\#(mutation)}]}"#,
      to: "/mutations")
  }

  /// Returns the status of the only outcome, or the problem type and detail if it was refused.
  private func outcome(_ answer: TestHub.Answer) -> (status: String, detail: String) {
    let judged = answer["outcomes"].arrayValue?.first
    let problem = judged?["problem"]
    #expect(answer.status == 200)
    let kind = problem?["type"].stringValue.map { String($0.dropFirst("urn:trendy:error:".count)) }
    return (kind ?? judged?["status"].stringValue ?? "", problem?["detail"].stringValue ?? "")
  }

  private static let type = #""entity_type":"event_type","entity_id":"t""#
  private static func named(_ base: String = "0", _ stamp: String = "5", author: String = "") -> String {
    let field = { (value: String) in #"{"value":"\#(value)","base":\#(base),"stamp":\#(stamp)\#(author)}"# }
    return #""fields":{"name":\#(field("n")),"color":\#(field("c")),"icon":\#(field("i"))}"#
  }

  @Test("a stamp, base or incarnation outside its range refuses the mutation and names the field", arguments: beyond)
  func mutation(_ number: String) async throws {
    let cases = [
      #"\#(Self.type),"operation":"create",\#(Self.named("0", number))"#,
      #"\#(Self.type),"operation":"create",\#(Self.named(number, "5"))"#,
      #"\#(Self.type),"operation":"create","incarnation":\#(number),\#(Self.named())"#,
      #"\#(Self.type),"operation":"restore","incarnation":\#(number),\#(Self.named())"#,
      #"\#(Self.type),"operation":"delete","base":\#(number)"#,
    ]
    for (place, text) in cases.enumerated() {
      let refused = outcome(try await send(raw: text, sequence: place + 1))
      #expect(refused.status == "invalid", "\(text): \(refused)")
      #expect(refused.detail.contains("expected a whole number"), "\(refused)")
    }
    // The sequence numbers have been used up, and the next mutation is accepted.
    let next = outcome(try await send(raw: #"\#(Self.type),"operation":"create",\#(Self.named())"#, sequence: 6))
    #expect(next.status == "accepted")
    #expect(try await hub.send("GET", "/changes/latest-cursor")["cursor"] == 1)
  }

  @Test("a number outside its range in the request itself rejects the whole request", arguments: beyond)
  func request(_ number: String) async throws {
    for text in [
      #"{"device":"d","acked_through":\#(number),"mutations":[]}"#,
      #"{"device":"d","acked_through":0,"seen":\#(number),"mutations":[]}"#,
      #"{"device":"d","acked_through":0,"last_seq":\#(number),"mutations":[]}"#,
      #"{"device":"d","acked_through":0,"mutations":[{"id":"m","seq":\#(number)}]}"#,
    ] {
      let answer = try await hub.send(raw: text, to: "/mutations")
      #expect(answer.status == 400 && answer.problem == "invalid", "\(text)")
      #expect(answer.detail.contains("expected a whole number"), "\(answer.detail)")
    }
  }

  @Test(
    "an invalid number in a query is rejected",
    arguments: beyond + ["4611686018427387904", "0x1", "1,0", "١", " 1", "1 ", "--1", "%2B", "1%00"])
  func query(_ number: String) async throws {
    let escaped = number.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["%"])) ?? ""
    for path in [
      "/changes?since=", "/changes?limit=", "/changes?device=d&seen=", "/changes?device=d&last_seq=",
      "/events?offset=", "/events?limit=", "/snapshot?part=event.\(escaped).a#",
    ] {
      let answer = try await hub.send("GET", path.hasSuffix("#") ? String(path.dropLast()) : path + escaped)
      #expect(answer.status == 400 && answer.problem == "invalid", "\(path)\(escaped): \(answer.status)")
    }
  }

  @Test func `requests with the limits of each range are served`() async throws {
    let last = "4611686018427387903"
    #expect(try await hub.send("GET", "/changes?since=\(last)").problem == "log_reset")
    #expect(try await hub.send("GET", "/events?offset=\(last)").json == [])
    #expect(try await hub.send("GET", "/snapshot?part=event.\(last).a").status == 200)
    let create = #"\#(Self.type),"operation":"create","incarnation":\#(last),\#(Self.named(last, "253402300799999"))"#
    #expect(outcome(try await send(raw: create)).status == "accepted")
    let restore = #"\#(Self.type),"operation":"restore","incarnation":\#(last),"fields":{}"#
    #expect(
      outcome(try await send(raw: #"\#(Self.type),"operation":"delete","base":1"#, sequence: 2)).status == "restored")
    let delete = #"\#(Self.type),"operation":"delete","base":1,"incarnation":\#(last)"#
    #expect(outcome(try await send(raw: delete, sequence: 3)).status == "accepted")
    #expect(
      outcome(try await send(raw: restore, sequence: 4)).status == "entity_deleted", "there is no life after the last")
    let page = try await hub.send("GET", "/changes?since=0").decoded(ChangeFeedResponse.self)
    #expect(page.changes.allSatisfy { $0.fault == nil })
  }

  @Test(
    "a stamp in the future is lowered to the hub's time, also in a re-offer",
    arguments: [
      "", #","author":"somebody""#,
    ])
  func future(_ author: String) async throws {
    let create = #"\#(Self.type),"operation":"create",\#(Self.named("0", "253402300799999", author: author))"#
    #expect(outcome(try await send(raw: create)).status == "accepted")
    let page = try await hub.send("GET", "/changes?since=0").decoded(ChangeFeedResponse.self)
    let now = Int64((hub.clock.now.timeIntervalSince1970 * 1000).rounded())
    #expect(page.changes.first?.marks.values.map(\.stamp) == [now])
    // A later write wins, even if its author has not seen the value.
    await hub.clock.advance(by: .seconds(1))
    let update =
      #"{"device":"e","acked_through":0,"mutations":[{"id":"u","seq":1,\#(Self.type),"operation":"update","#
      + #""fields":{"name":{"value":"later","base":0,"stamp":\#(now + 1000)}}}]}"#
    #expect(outcome(try await hub.send(raw: update, to: "/mutations")).status == "accepted")
    #expect(try await hub.send("GET", "/event-types/t")["name"] == "later")
  }

  @Test(
    "a hub clock outside the range of stamps is clamped to it",
    arguments: [-1e18, -1, 253_402_300_800, 1e18])
  func clock(_ seconds: Double) async throws {
    hub.clock.setDate(Date(timeIntervalSince1970: seconds))
    let create = #"\#(Self.type),"operation":"create",\#(Self.named())"#
    #expect(outcome(try await send(raw: create)).status == "accepted")
    #expect(try await hub.send("PATCH", "/event-types/t", ["name": "plain"]).status == 200)
    #expect(try await hub.send("PATCH", "/event-types/t", ["name": "plainer"]).status == 200)
    let page = try await hub.send("GET", "/changes?since=0").decoded(ChangeFeedResponse.self)
    #expect(page.position?.now.map(SyncRange.stamp.contains) == true)
    #expect(page.changes.allSatisfy { $0.fault == nil })
  }

  // MARK: Companions

  private func companion() async throws -> (id: String, watch: String) {
    let watch = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "watch")
    let made = try await hub.send("POST", "/companions", ["companion_id": .string(watch.device.id)])
    return (try #require(made["id"].stringValue), watch.token)
  }

  private func telling() throws -> (UserRecordService, String, HubAnnouncements) {
    let desk = hub.server.ingestDesk(user: hub.user.id)
    let phone = try #require(try hub.server.accounts.devices(user: hub.user.id).first { $0.name == "phone" }?.id)
    return (desk, phone, try #require(try desk.tellings(ofDevice: phone).first))
  }

  private func announcedByHub(_ watch: String) async throws -> String {
    let list = try await hub.send("GET", "/companions", token: watch).json.arrayValue ?? []
    return try #require(list.first { $0["tracker_id"].stringValue?.hasPrefix("hub:") == true }?["id"].stringValue)
  }

  @Test(
    "a companion that acknowledges notices that do not exist misses no later one",
    arguments: [
      "4611686018427387903", "9223372036854775806", "9223372036854775807", "-1",
    ])
  func claims(_ after: String) async throws {
    let (own, watch) = try await companion()
    let (desk, phone, telling) = try telling()
    try desk.tell([.init(kind: "trip_started", data: [:])], of: phone, as: telling)
    let told = try await announcedByHub(watch)
    for id in [own, told] {
      let answer = try await hub.send("GET", "/companions/\(id)/notices?after=\(after)", token: watch)
      #expect(answer.status == (after == "4611686018427387903" ? 200 : 400))
    }
    await hub.clock.advance(by: .seconds(1))
    try desk.tell([.init(kind: "trip_ended", data: [:])], of: phone, as: telling)
    try desk.tell([.init(kind: "trip_started", data: [:])], of: phone, as: telling)
    let notices = try await hub.send("GET", "/companions/\(told)/notices?after=0", token: watch)
      .decoded(CompanionNoticesResponse.self).notices
    #expect(notices.suffix(2).map(\.kind) == ["trip_ended", "trip_started"])
    let handed = try await hub.send("POST", "/companions/\(own)/notices", ["acked_through": 0, "notices": []])
    let last = try #require(handed["acked_through"].intValue)
    let next: JSONValue = ["seq": .int(last + 1), "kind": "token", "at": "2024-01-01T08:00:00Z", "data": [:]]
    let taken = try await hub.send(
      "POST", "/companions/\(own)/notices", ["acked_through": .int(last), "notices": [next]])
    #expect(taken["held_through"] == .int(last + 1))
  }

  @Test("a notice or acknowledgement number outside its range is rejected", arguments: beyond + ["4611686018427387904"])
  func notices(_ number: String) async throws {
    let (own, _) = try await companion()
    for text in [
      #"{"acked_through":\#(number),"notices":[]}"#,
      #"{"acked_through":0,"notices":[{"seq":\#(number),"kind":"token","at":"2024-01-01T08:00:00Z"}]}"#,
    ] {
      #expect(try await hub.send(raw: text, to: "/companions/\(own)/notices").problem == "invalid", "\(text)")
    }
  }
}
