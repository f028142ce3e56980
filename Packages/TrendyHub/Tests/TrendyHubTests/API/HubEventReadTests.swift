import Foundation
import Testing
import TrendyHub
import TrendyModels

@Suite("Events by time", .timeLimit(.minutes(5)))
struct HubEventReadTests {
  private let hub: TestHub

  init() throws { hub = try TestHub() }

  private func make(_ id: String, _ timestamp: String, type: String = "t", _ more: [String: JSONValue] = [:])
    async throws
  {
    let members: [String: JSONValue] = [
      "id": .string(id), "event_type_id": .string(type), "timestamp": .string(timestamp),
    ]
    let answer = try await hub.send("POST", "/events", .object(members.merging(more) { $1 }))
    #expect(answer.status == 201, "\(id): \(answer.detail)")
  }

  private func ids(_ answer: TestHub.Answer, in member: String? = nil) -> [String] {
    ((member.map { answer[$0] } ?? answer.json).arrayValue ?? []).compactMap { $0["id"].stringValue }
  }

  @Test func `a list contains the events from one timestamp up to and excluding another`() async throws {
    try await hub.makeType()
    for hour in 8...11 { try await make("e\(hour)", "2026-11-19T\(hour < 10 ? "0" : "")\(hour):00:00Z") }
    func list(_ query: String) async throws -> [String] { ids(try await hub.send("GET", "/events?\(query)")) }
    #expect(try await list("from=2026-11-19T09:00:00Z&to=2026-11-19T11:00:00Z") == ["e10", "e9"])
    #expect(try await list("from=2026-11-19T10:30:00%2B01:00") == ["e11", "e10"])
    #expect(try await list("to=2026-11-19T10:00:00Z&limit=1") == ["e9"])
    #expect(try await hub.send("GET", "/events?from=soon").detail.contains("from"))
    #expect(try await hub.send("GET", "/events?from=2026-11-19T10:00:00Z&offset=1").status == 400)
    #expect(try await hub.send("GET", "/events?from=2026-11-20T00:00:00Z&to=2026-11-19T00:00:00Z").status == 400)
  }

  @Test func `days follow the time zone, its clock changes and the user's start of day`() async throws {
    try await hub.makeType()
    try await hub.makeType("u", name: "Run")
    // Amsterdam set its clocks back on 25 October 2026, so that day had 25 hours.
    try await make("a", "2026-10-24T21:59:00Z")  // 23:59 on the 24th
    try await make("b", "2026-10-24T22:00:00Z")  // 00:00 on the 25th
    try await make("c", "2026-10-25T22:59:00Z")  // 23:59 on the 25th, with the winter offset
    try await make("d", "2026-10-25T23:00:00Z", type: "u")  // 00:00 on the 26th
    func days(_ query: String) async throws -> JSONValue {
      try await hub.send("GET", "/events/days?from=2026-10-24&to=2026-10-26&\(query)")["days"]
    }
    #expect(
      try await days("zone=Europe/Amsterdam") == [
        ["date": "2026-10-24", "counts": ["t": 1]], ["date": "2026-10-25", "counts": ["t": 2]],
        ["date": "2026-10-26", "counts": ["u": 1]],
      ])
    #expect(
      try await days("zone=Europe/Amsterdam&day_start=14400") == [
        ["date": "2026-10-24", "counts": ["t": 2]], ["date": "2026-10-25", "counts": ["t": 1, "u": 1]],
      ])
    #expect(try await days("zone=UTC&day_start=0").arrayValue?.count == 2)
    #expect(try await hub.send("GET", "/events/days?from=2026-10-24&to=2026-10-26")["first_date"] == "2026-10-24")
  }

  @Test func `an all-day event is on its own date in every time zone`() async throws {
    try await hub.makeType()
    // Midnight of the 20th in Auckland.
    try await make("a", "2026-11-19T11:00:00Z", ["is_all_day": true, "time_zone": "Pacific/Auckland"])
    for zone in ["Pacific/Auckland", "America/Los_Angeles", "UTC"] {
      let answer = try await hub.send("GET", "/events/days?from=2026-11-01&to=2026-11-30&zone=\(zone)")
      #expect(answer["days"] == [["date": "2026-11-20", "counts": ["t": 1]]], "\(zone)")
    }
  }

  @Test func `invalid days are rejected, and the detail names the parameter`() async throws {
    for (query, word) in [
      ("from=2026-11-31&to=2026-12-01", "from"), ("from=2026-11-01", "to"), ("from=2026-11-02&to=2026-11-01", "to"),
      ("from=2020-01-01&to=2026-01-01", "to"), ("from=2026-11-01&to=2026-11-02&zone=../etc/passwd", "zone"),
      ("from=2026-11-01&to=2026-11-02&day_start=86400", "day_start"),
    ] {
      let answer = try await hub.send("GET", "/events/days?\(query)")
      #expect(answer.status == 400 && answer.detail.hasPrefix(word), "\(query): \(answer.detail)")
    }
    #expect(
      try await hub.send("GET", "/events/days?from=2026-11-01&to=2026-11-02").json
        == ["days": [], "first_date": .null, "levels": [:], "weekdays": [:]])
  }

  @Test func `levels of a heat map depend on the requested days of a type`() async throws {
    try await hub.makeType()
    try await hub.makeType("u", name: "Tea")
    for (day, count) in [(1, 1), (2, 2), (3, 5), (4, 9)] {
      for number in 0..<count { try await hub.makeEvent("e\(day)-\(number)", at: "2024-01-0\(day)T08:00:00Z") }
    }
    try await hub.makeEvent("u1", type: "u", at: "2024-01-02T08:00:00Z")
    func levels(_ query: String) async throws -> JSONValue {
      try await hub.send("GET", "/events/days?\(query)").json["levels"]
    }
    #expect(try await levels("from=2024-01-01&to=2024-01-31") == ["t": [1.75, 3.5, 6.0], "u": [0.0, 0.0, 1.0]])
    #expect(try await levels("from=2024-01-01&to=2024-01-02") == ["t": [0.0, 0.0, 1.0], "u": [0.0, 0.0, 1.0]])
    #expect(try await levels("from=2023-01-01&to=2023-12-31") == [:])
  }

  @Test func `a search matches every word of the text and the type`() async throws {
    try await hub.makeType()
    try await hub.makeType("u", name: "Lunch")
    try await make("a", "2026-11-19T08:00:00Z", ["notes": "Soup with Tom"])
    try await make("b", "2026-11-19T09:00:00Z", type: "u", ["location_name": "Soup bar"])
    try await make("c", "2026-11-19T10:00:00Z", ["properties": ["size": ["type": "select", "value": "large"]]])
    func found(_ query: String) async throws -> [String] {
      ids(try await hub.send("GET", "/events/search?\(query)"), in: "events")
    }
    #expect(try await found("text=soup") == ["b", "a"])
    #expect(try await found("text=tom+soup") == ["a"])
    #expect(try await found("text=LUNCH") == ["b"])
    #expect(try await found("text=large") == ["c"])
    #expect(try await found("event_type_id=t") == ["c", "a"])
    #expect(try await found("text=soup&event_type_id=u") == ["b"])
    #expect(try await found("text=nowhere") == [])
  }

  @Test func `events are filtered by source and by place`() async throws {
    try await hub.makeType()
    try await make("a", "2026-11-19T08:00:00Z", ["source_type": "trip"])
    try await make("b", "2026-11-19T09:00:00Z", ["source_type": "geofence", "location_name": "Home"])
    for (id, second) in [("c", 1), ("d", 1), ("e", 2)] {
      try await make(id, "2026-11-19T10:00:0\(second)Z", ["source_type": "trip"])
    }
    func list(_ query: String) async throws -> [String] {
      ids(try await hub.send("GET", "/events?from=2026-11-01T00:00:00Z&\(query)"))
    }
    #expect(try await list("source_type=trip") == ["e", "d", "c", "a"])
    #expect(try await list("source_type=trip&limit=2") == ["e", "d"])
    #expect(try await list("source_type=trip&to=2026-11-19T10:00:01Z") == ["a"])
    #expect(try await list("source_type=imported") == [])
    #expect(
      try await hub.send("GET", "/events?from=2026-11-01T00:00:00Z&source_type=car").detail.contains("source_type"))
    #expect(try await hub.send("GET", "/events?source_type=trip&offset=1").detail.contains("offset"))

    _ = try await hub.send(
      "POST", "/geofences", ["id": "g-1", "name": "Home", "latitude": 52, "longitude": 13, "radius": 100])
    #expect(try await hub.send("PATCH", "/events/b", ["geofence_id": "g-1", "notes": "g-1"]).status == 200)
    #expect(try await hub.send("PATCH", "/events/c", ["notes": "g-1"]).status == 200)
    func found(_ query: String) async throws -> [String] {
      ids(try await hub.send("GET", "/events/search?\(query)"), in: "events")
    }
    #expect(try await found("geofence_id=g-1") == ["b"])
    #expect(try await found("geofence_id=g-1&text=home") == ["b"])
    #expect(try await found("geofence_id=g") == [])
  }

  @Test func `a search continues after its last page and skips no events with equal timestamps`() async throws {
    try await hub.makeType()
    for number in 0..<7 { try await make("e\(number)", "2026-11-19T08:00:0\(number / 3)Z") }
    var all: [String] = []
    var query = "limit=2"
    for _ in 0..<10 {
      let answer = try await hub.send("GET", "/events/search?\(query)")
      all += ids(answer, in: "events")
      guard let next = answer["next"].stringValue else { break }
      query = "limit=2&before=\(next)"
    }
    #expect(all.count == 7 && Set(all).count == 7)
  }

  @Test func `a deleted event is restored unchanged, but not without its type`() async throws {
    try await hub.makeType()
    try await make("e", "2026-11-19T08:00:00Z", ["notes": "oat"])
    #expect(try await hub.send("DELETE", "/events/e").status == 204)
    let back = try await hub.send("POST", "/events/e/restore")
    #expect(back.status == 200 && back["notes"] == "oat")
    #expect(try await hub.send("GET", "/events/e").json == back.json)
    #expect(try await hub.send("POST", "/events/e/restore").json == back.json, "again changes nothing")
    #expect(try await hub.send("POST", "/events/none/restore").problem == "not_found")
    #expect(try await hub.send("DELETE", "/event-types/t").status == 204)
    #expect(try await hub.send("POST", "/events/e/restore").problem == "parent_deleted")
    #expect(try await hub.send("POST", "/event-types/t/restore").status == 200)
    #expect(try await hub.send("POST", "/events/e/restore").status == 200)
  }
}
