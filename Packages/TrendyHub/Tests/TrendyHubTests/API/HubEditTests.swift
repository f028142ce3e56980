import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

/// Edits over plain REST with the version that the user saw and the time of the action.
@Suite("Edits made in a browser", .timeLimit(.minutes(10)))
struct HubEditTests {
  /// Hub with one event, created by the phone.
  private let hub: TestHub
  private let browser: String

  init() async throws {
    hub = try TestHub()
    browser = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "browser").token
    try await hub.makeType()
    try await hub.makeEvent("e")
    await hub.clock.advance(by: .seconds(60))
  }

  private func seen() async throws -> String {
    try #require(try await hub.send("GET", "/events/e", token: browser).headers["Trendy-Version"])
  }

  /// Returns the hub time in milliseconds, offset by a number of seconds.
  private func time(_ seconds: Double = 0) -> String {
    "\(Int64((hub.clock.now.timeIntervalSince1970 + seconds) * 1000))"
  }

  private func edit(
    _ method: String, _ path: String, _ body: JSONValue? = nil, key: String, seen: String, time: String,
    incarnation: Int? = nil
  ) async throws -> TestHub.Answer {
    var headers = [("Idempotency-Key", key), ("Trendy-Version", seen), ("Trendy-Time", time)]
    if let incarnation { headers.append(("Trendy-Incarnation", "\(incarnation)")) }
    return try await hub.send(method, path, body, headers: headers, token: browser)
  }

  private func conflicts() async throws -> [String] {
    let list = try await hub.send("GET", "/conflicts").json.arrayValue ?? []
    return list.map { "\($0["field"].stringValue ?? "") \($0["value"].stringValue ?? "")" }.sorted()
  }

  @Test func `responses contain the version of the record and the hub time`() async throws {
    let answer = try await hub.send("GET", "/events")
    #expect(answer.headers["Trendy-Version"] == (try await seen()))
    #expect(answer.headers["Trendy-Time"] == time())
    let before = try await seen()
    let written = try await hub.send("PATCH", "/events/e", ["notes": "oat"])
    #expect(written.headers["Trendy-Version"] == (try await seen()))
    #expect(try await seen() != before)
  }

  @Test func `the later of two edits wins in any order and the earlier becomes a conflict`() async throws {
    let before = try await seen()
    await hub.clock.advance(by: .seconds(60))
    _ = try await hub.send("PATCH", "/events/e", ["notes": "phone", "location_name": "phone"])
    let earlier = try await edit(
      "PATCH", "/events/e", ["notes": "browser", "title": "new"], key: "k1", seen: before, time: time(-30))
    #expect(earlier.status == 200)
    #expect(earlier["notes"] == "phone")
    #expect(earlier["title"] == "new", "a field that nobody else wrote")
    #expect(try await conflicts() == ["notes browser"])
    await hub.clock.advance(by: .seconds(60))
    let later = try await edit(
      "PATCH", "/events/e", ["location_name": "browser"], key: "k2", seen: before, time: time(-30))
    #expect(later["location_name"] == "browser")
    #expect(try await conflicts() == ["location_name phone", "notes browser"])
  }

  @Test func `a value that the user saw is replaced without a conflict, regardless of clocks`() async throws {
    _ = try await hub.send("PATCH", "/events/e", ["notes": "phone"])
    let known = try await edit(
      "PATCH", "/events/e", ["notes": "browser"], key: "k", seen: try await seen(), time: time(-3600))
    #expect(known["notes"] == "browser")
    #expect(try await conflicts() == [])
    // A third device has seen neither value and writes with a stamp between theirs. The browser's value wins.
    let phone = try await hub.push([
      [
        "id": "m", "seq": 1, "entity_type": "event", "entity_id": "e", "operation": "update",
        "fields": ["notes": ["value": "third", "base": 0, "stamp": .int(Int64(time(-1800)) ?? 0)]],
      ]
    ])
    #expect(phone["outcomes"][0]["status"] == "merged")
    #expect(try await hub.send("GET", "/events/e")["notes"] == "browser")
  }

  @Test func `properties are merged key by key`() async throws {
    let before = try await seen()
    _ = try await hub.send(
      "PATCH", "/events/e", ["properties": ["a": ["type": "text", "value": "phone"]]])
    await hub.clock.advance(by: .seconds(60))
    let answer = try await edit(
      "PATCH", "/events/e", ["properties": ["b": ["type": "text", "value": "browser"]]], key: "k", seen: before,
      time: time())
    #expect(answer["properties"]["a"]["value"] == "phone")
    #expect(answer["properties"]["b"]["value"] == "browser")
    let cleared = try await edit(
      "PATCH", "/events/e", ["properties": .null], key: "k2", seen: try await seen(), time: time())
    #expect(cleared["properties"] == [:])
  }

  @Test func `a repeated edit changes nothing`() async throws {
    let before = try await seen()
    func patch(_ text: JSONValue) async throws -> TestHub.Answer {
      try await edit("PATCH", "/events/e", ["notes": text], key: "k", seen: before, time: time())
    }
    _ = try await patch("browser")
    _ = try await hub.send("PATCH", "/events/e", ["notes": "phone"])
    #expect(try await patch("browser")["notes"] == "phone")
    #expect(try await patch("other").problem == "idempotency_key_reused")

    func delete() async throws -> Int {
      try await edit("DELETE", "/events/e", key: "d", seen: before, time: time()).status
    }
    func restore() async throws -> TestHub.Answer {
      try await edit("POST", "/events/e/restore", key: "r", seen: before, time: time())
    }
    #expect(try await delete() == 204)
    #expect(try await restore().status == 200)
    #expect(try await delete() == 204)
    #expect(try await hub.send("GET", "/events/e").status == 200, "the deletion came before the restore")
    _ = try await hub.send("DELETE", "/events/e")
    #expect(try await restore().problem == "entity_deleted", "the restore came before the second deletion")
    #expect(try await patch("browser").problem == "entity_deleted")
  }

  @Test func `a restore of a live entity does not restore it after a later deletion`() async throws {
    let before = try await seen()
    func restore() async throws -> TestHub.Answer {
      try await edit("POST", "/events/e/restore", key: "r", seen: before, time: time())
    }
    #expect(try await restore().status == 200)
    _ = try await hub.send("DELETE", "/events/e")
    #expect(try await restore().problem == "entity_deleted")
  }

  @Test func `a second stop does not change the end`() async throws {
    let before = try await seen()
    func stop(_ end: String, key: String, token: String? = nil) async throws -> TestHub.Answer {
      try await hub.send(
        "POST", "/events/e/stop", ["end_date": .string(end)],
        headers: [("Idempotency-Key", key), ("Trendy-Version", before), ("Trendy-Time", time())],
        token: token ?? browser)
    }
    #expect(try await stop("2024-01-01T09:00:00.000Z", key: "a")["end_date"] == "2024-01-01T09:00:00.000Z")
    #expect(try await stop("2024-01-01T09:30:00.000Z", key: "b")["end_date"] == "2024-01-01T09:00:00.000Z")
    #expect(try await conflicts() == [], "its own end is known to the browser")
    let other = try await stop("2024-01-01T10:00:00.000Z", key: "a", token: hub.token)
    #expect(other["end_date"] == "2024-01-01T09:00:00.000Z")
    #expect(try await conflicts() == ["end_date 2024-01-01T10:00:00.000Z"])
    _ = try await stop("2024-01-01T10:00:00.000Z", key: "a", token: hub.token)
    #expect(try await conflicts().count == 1)
    #expect(try await hub.send("POST", "/events/e/stop", [:]).problem == "invalid")
    _ = try await hub.send("DELETE", "/events/e")
    #expect(try await stop("2024-01-01T11:00:00.000Z", key: "c").problem == "entity_deleted")
    #expect(try await hub.send("POST", "/events/none/stop", ["end_date": "2024-01-01T11:00:00Z"]).status == 404)
  }

  @Test func `a deletion keeps unseen values as conflicts, also those of a type's events`() async throws {
    let before = try await seen()
    _ = try await hub.send("PATCH", "/events/e", ["notes": "phone"])
    #expect(try await edit("DELETE", "/events/e", key: "d", seen: before, time: time()).status == 204)
    #expect(try await conflicts() == ["notes phone"])
    try await hub.makeEvent("seen")
    let known = try await seen(of: "seen")
    try await hub.makeEvent("late")
    #expect(try await edit("DELETE", "/event-types/t", key: "t", seen: known, time: time()).status == 204)
    let moved = try await hub.send("GET", "/conflicts").json.arrayValue?.filter { $0["field"] == "*" } ?? []
    #expect(moved.map { $0["entity_id"] } == ["late"])
  }

  private func seen(of id: String) async throws -> String {
    try #require(try await hub.send("GET", "/events/\(id)", token: browser).headers["Trendy-Version"])
  }

  @Test func `a deletion of an old incarnation does not delete a later one`() async throws {
    let before = try await seen()
    #expect(try await hub.send("GET", "/events/e")["incarnation"] == .null)
    _ = try await hub.send("DELETE", "/events/e")
    _ = try await hub.send("POST", "/events/e/restore")
    #expect(try await hub.send("GET", "/events/e")["incarnation"] == 1)
    #expect(try await hub.send("GET", "/events?from=2024-01-01T00:00:00Z").json[0]["incarnation"] == 1)
    #expect(try await hub.changes().changes.allSatisfy { $0.data?.rawData["incarnation"] == nil })
    let outdated = try await edit("DELETE", "/events/e", key: "k", seen: before, time: time(), incarnation: 0)
    #expect(outdated.problem == "restored")
    let known = try await edit("DELETE", "/events/e", key: "k2", seen: before, time: time(), incarnation: 1)
    #expect(known.status == 204)
    // A document can be written back exactly as it was read.
    _ = try await hub.send("POST", "/events/e/restore")
    let whole = try await hub.send("GET", "/events/e").json
    #expect(try await hub.send("PUT", "/events/e", whole).json["incarnation"] == 2)
  }

  @Test func `a version of an unknown epoch counts as nothing seen`() async throws {
    await hub.clock.advance(by: .seconds(60))
    _ = try await hub.send("PATCH", "/events/e", ["notes": "phone"])
    let answer = try await edit(
      "PATCH", "/events/e", ["notes": "browser"], key: "k", seen: "another.999", time: time(-30))
    #expect(answer["notes"] == "phone")
    #expect(try await conflicts() == ["notes browser"])
  }

  @Test func `a create is stamped with the time at which it was recorded`() async throws {
    let before = try await seen()
    _ = try await edit(
      "POST", "/events", ["id": "n", "event_type_id": "t", "timestamp": "2024-01-01T08:00:00Z", "notes": "first"],
      key: "k", seen: before, time: time(-600))
    _ = try await hub.push([
      [
        "id": "m", "seq": 1, "entity_type": "event", "entity_id": "n", "operation": "update",
        "fields": ["notes": ["value": "second", "base": 0, "stamp": .int(Int64(time(-300)) ?? 0)]],
      ]
    ])
    #expect(try await hub.send("GET", "/events/n")["notes"] == "second")
  }

  @Test func `invalid headers are rejected, and the detail names the header`() async throws {
    let version = try await seen()
    for headers in [
      [("Trendy-Time", "1")], [("Trendy-Incarnation", "1")], [("Trendy-Version", version)],
      [("Trendy-Version", version), ("Idempotency-Key", "k")], [("Trendy-Version", version), ("Trendy-Time", "1")],
      [("Trendy-Version", "17"), ("Trendy-Time", "1"), ("Idempotency-Key", "k")],
      [("Trendy-Version", version), ("Trendy-Time", "-1"), ("Idempotency-Key", "k")],
      [("Trendy-Version", version), ("Trendy-Time", "soon"), ("Idempotency-Key", "k")],
    ] {
      let answer = try await hub.send("PATCH", "/events/e", ["notes": "x"], headers: headers)
      #expect(answer.problem == "invalid", "\(headers)")
      #expect(answer.detail.hasPrefix("Trendy-"), "\(answer.detail)")
    }
  }

  @Test func `a page of another user is rejected`() async throws {
    let user = [("Trendy-Person", hub.user.id)]
    #expect(try await hub.send("GET", "/events/e", headers: user).status == 200)
    let other = try hub.server.accounts.createPerson(name: "Bea")
    let token = try hub.server.accounts.createToken(user: other.id, deviceName: "browser").token
    for (method, path) in [("GET", "/events"), ("POST", "/events"), ("GET", "/me/devices")] {
      let answer = try await hub.send(method, path, [:], headers: user, token: token)
      #expect(answer.problem == "other_person")
      #expect(answer.status == 409)
    }
  }
}
