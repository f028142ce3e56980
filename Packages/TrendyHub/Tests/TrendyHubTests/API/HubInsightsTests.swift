import Foundation
import Testing
import TrendyHub
import TrendyModels

@Suite("Insights of the hub", .timeLimit(.minutes(10)))
struct HubInsightsTests {
  private let hub: TestHub
  /// The hub's clock starts at the beginning of 2024.
  private let today = CivilDate(year: 2024, month: 1, day: 1)

  init() throws { hub = try TestHub() }

  private func record(_ type: String, at times: [String], zone: String? = nil, _ more: [String: JSONValue] = [:])
    async throws
  {
    let events = times.enumerated().map { place, time -> JSONValue in
      var members: [String: JSONValue] = [
        "id": .string("\(type)-\(time)-\(place)"), "event_type_id": .string(type), "timestamp": .string(time),
      ]
      members["time_zone"] = zone.map { .string($0) }
      return .object(members.merging(more) { $1 })
    }
    for start in stride(from: 0, to: events.count, by: 500) {
      let part = Array(events[start..<min(start + 500, events.count)])
      let answer = try await hub.send("POST", "/events/batch", ["events": .array(part)])
      #expect(answer["failed"] == 0, "\(answer.detail)")
    }
  }

  /// Returns a time on each day, given as days before today: 08:00, or 00:00 today, when 08:00 is in the future.
  private func times(_ ago: some Sequence<Int>) -> [String] {
    ago.map { "\(today.advanced(by: -$0))T\($0 == 0 ? "00" : "08"):00:00Z" }
  }

  private func insights(_ query: String = "") async throws -> JSONValue {
    let answer = try await hub.send("GET", "/insights?\(query)")
    #expect(answer.status == 200, "\(answer.detail)")
    return answer.json
  }

  private func findings(_ type: String, _ query: String = "") async throws -> JSONValue {
    try await insights(query)["types"].arrayValue?.first { $0["event_type_id"] == .string(type) } ?? .null
  }

  @Test func `the next insights include every write, as if computed from scratch`() async throws {
    for id in ["t", "u", "w"] { try await hub.makeType(id, name: id) }
    func goal(_ measure: JSONValue) -> JSONValue {
      ["goal": ["amount": 1, "bound": "at_least", "measure": measure, "period": "day"]]
    }
    #expect(try await hub.send("PATCH", "/event-types/u", goal("count")).status == 200)
    try await record("t", at: times((1..<50).filter { $0 % 3 != 1 }), zone: "Europe/Paris")
    try await record("u", at: times((1..<400).filter { $0 % 2 != 1 }))
    let first = "t-\(times([2])[0])-0"
    func event(_ id: JSONValue, _ type: JSONValue, _ time: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
      .object(["id": id, "event_type_id": type, "timestamp": .string(time)].merging(more) { $1 })
    }
    let dose: JSONValue = ["Count": ["type": "number", "value": 2.5]]
    let acts: [(String, String, JSONValue?)] = [
      ("POST", "/events", event("a", "t", "2024-01-01T00:00:00Z")),
      ("POST", "/events", event("b", "u", "2010-05-01T12:00:00Z")),
      ("POST", "/events", event("c", "w", "2023-12-30T12:00:00Z", ["source_type": "trip", "is_all_day": true])),
      ("POST", "/events", event("d", "u", "2024-02-01T12:00:00Z")), ("PATCH", "/events/a", ["notes": "oat"]),
      ("DELETE", "/events/b", nil), ("DELETE", "/events/\(first)", nil), ("POST", "/events/\(first)/restore", nil),
      ("DELETE", "/events/c", nil), ("PATCH", "/events/a", ["timestamp": "2023-11-01T00:00:00Z"]),
      ("PATCH", "/events/a", ["event_type_id": "w"]), ("PATCH", "/events/a", ["source_type": "geofence"]),
      ("POST", "/events", event("e", "u", "2023-12-31T12:00:00Z", ["properties": dose])), ("DELETE", "/events/e", nil),
      ("PATCH", "/event-types/t", goal("duration")),
      ("POST", "/events", event("f", "t", "2023-12-29T12:00:00Z", ["end_date": "2023-12-29T12:20:00.5Z"])),
      ("PATCH", "/events/f", ["end_date": "2023-12-29T13:00:00Z"]), ("DELETE", "/events/f", nil),
      (
        "POST", "/skips",
        ["id": "s", "event_type_id": "u", "from": "2023-12-20", "to": "2023-12-27"]
      ),
      ("PATCH", "/event-types/t", ["name": "Tea"]), ("DELETE", "/event-types/u", nil),
      ("POST", "/event-types/u/restore", nil),
    ]
    _ = try await insights("days=90")
    for (method, path, body) in acts {
      let answer = try await hub.send(method, path, body)
      #expect(answer.status < 300, "\(method) \(path): \(answer.detail)")
      let anew = try await hub.withNothingRead.send("GET", "/insights?days=90&zone=Asia/Tokyo").json
      #expect(try await insights("days=90&zone=Asia/Tokyo") == anew, "\(method) \(path)")
    }
  }

  @Test func `a correlation is reported with its days and a sentence`() async throws {
    try await hub.makeType()
    try await hub.makeType("u", name: "Mood")
    let days = (0..<40).filter { $0 % 3 != 1 }
    try await record("t", at: times(days))
    try await record("u", at: times(days + [days[0]]))
    let relation = try await insights()["relations"][0]
    #expect(relation["first"] == "t" && relation["second"] == "u" && relation["lag_days"] == 0)
    #expect(try #require(relation["r"].doubleValue) > 0.9)
    #expect(relation["days"] == 40 && relation["confidence"] == "high")
    #expect(relation["sentence"] == "More Mood on days with more Coffee (strong correlation)")
    // A shorter period contains fewer days.
    #expect(try await insights("days=20")["relations"][0]["days"] == 20)
  }

  @Test func `odometer readings are not a habit, and trips and visits have a streak only with a goal`()
    async throws
  {
    for (id, name) in [("t", "Coffee"), ("o", "Odometer"), ("v", "Visit")] { try await hub.makeType(id, name: name) }
    try await record("t", at: times(0..<30))
    try await record("o", at: times(0..<30))
    try await record("v", at: times(0..<30), ["source_type": "geofence"])
    let found = try await insights()
    #expect(found["types"].arrayValue?.map { $0["name"] } == ["Coffee", "Visit"])
    #expect(found["types"][0]["streak"]["current"] == 30 && found["types"][1]["streak"].isNull)
    #expect(!"\(found["words"])".contains("Odometer"), "\(found["words"])")
    let habits = try await hub.send("GET", "/insights/habits?zone=UTC").json["habits"].arrayValue
    #expect(habits?.map { $0["streak"].isNull } == [true, false, true])
    for id in ["o", "v"] {
      let goal: JSONValue = ["amount": 1, "bound": "at_least", "measure": "count", "period": "week"]
      #expect(try await hub.send("PATCH", "/event-types/\(id)", ["goal": goal]).status == 200)
    }
    let streaks = try await insights()["types"].arrayValue?.map { $0["streak"]["current"] }
    // The first streak is in days. The two goals per week count weeks from Monday.
    #expect(streaks == [30, 6, 6])
  }

  @Test func `with too few days only the number of missing days is reported`() async throws {
    #expect(try await insights()["needs_days"] == 14)
    try await hub.makeType()
    try await hub.makeType("u", name: "Mood")
    try await record("t", at: times(0..<30))
    try await record("u", at: times([8, 3]))
    let found = try await insights()
    #expect(found["needs_days"] == 5 && found["relations"] == [])
    #expect(found["first_date"] == "2023-12-03")
    #expect(try await findings("u")["pattern"]["needs_events"] == 5)
    #expect(try await findings("u")["trend"].isNull)
  }

  @Test func `a partial week is compared with the same part of the previous week`() async throws {
    try await hub.makeType()
    // 1 January 2024 was a Monday: the first day of a week from Monday, the second of a week from Sunday.
    try await record("t", at: times([0, 0, 1, 7, 8, 8, 8, 9]))
    let monday = try await findings("t", "week_start=1")["week"]
    #expect(monday["from"] == "2024-01-01" && monday["now"] == 2 && monday["before"] == 1)
    #expect(monday["percent"] == 100 && monday["direction"] == "up")
    let sunday = try await findings("t", "week_start=0")["week"]
    #expect(sunday["from"] == "2023-12-31" && sunday["now"] == 3 && sunday["before"] == 4)
    #expect(sunday["direction"] == "down")
  }

  @Test func `hours and days follow the local time where the event was recorded`() async throws {
    try await hub.makeType()
    // Saturday 19:30 in Auckland is Saturday 06:30 UTC.
    try await record("t", at: (1...8).map { "\(today.advanced(by: -2 - 7 * $0))T06:30:00Z" }, zone: "Pacific/Auckland")
    let pattern = try await findings("t", "zone=America/Los_Angeles")["pattern"]
    #expect(pattern["events"] == 8)
    #expect(pattern["grid"][6][19] == 8, "Saturday, 19 to 20 o'clock")
    #expect(pattern["hour"]["peak"] == 19 && pattern["weekday"]["peak"] == 6)
    #expect(pattern["usual"]["from"] == 1170)
    // If the day starts later, the hours after midnight belong to the previous day.
    try await hub.makeType("u", name: "Reading")
    try await record("u", at: ["2023-12-30T01:00:00Z"])
    #expect(try await findings("u", "day_start=14400")["pattern"]["grid"][5][1] == 1, "still Friday")
  }

  @Test func `a streak continues over skipped days, and the score is that of the goal`() async throws {
    try await hub.makeType()
    let goal: JSONValue = ["amount": 1, "bound": "at_least", "measure": "count", "period": "day"]
    #expect(try await hub.send("PATCH", "/event-types/t", ["goal": goal]).status == 200)
    try await record("t", at: times(1...4) + times(7...10))
    #expect(try await findings("t")["streak"]["current"] == 4)
    let skip: JSONValue = [
      "id": "s", "event_type_id": "t", "from": .string("\(today.advanced(by: -6))"),
      "to": .string("\(today.advanced(by: -5))"),
    ]
    #expect(try await hub.send("POST", "/skips", skip).status == 201)
    let found = try await findings("t")
    #expect(found["streak"] == ["period": "day", "current": 8, "longest": 8, "longest_end": "2023-12-31"])
    // The goal was met on eight days and never missed. Today is still open.
    let memory = pow(0.5, 1.0 / 13)
    let score = try #require(found["score"].doubleValue)
    #expect(abs(score - (1 - pow(memory, 8)) * memory) < 1e-9)
    #expect(
      try await hub.send("GET", "/insights/streaks")["streaks"] == [
        ["event_type_id": "t", "current": 8, "period": "day"]
      ])
    // The next response includes a new event.
    try await record("t", at: times([0]))
    #expect(try await findings("t")["streak"]["current"] == 9)
  }

  @Test func `a long streak is followed to its start, and a type without a daily goal has none`() async throws {
    try await hub.makeType()
    try await hub.makeType("u", name: "Headache")
    let goal: JSONValue = ["amount": 1, "bound": "at_least", "measure": "count", "period": "day"]
    _ = try await hub.send("PATCH", "/event-types/t", ["goal": goal])
    try await record("t", at: times(0..<310))
    try await record("u", at: times(0..<5))
    #expect(
      try await hub.send("GET", "/insights/streaks")["streaks"] == [
        ["event_type_id": "t", "current": 310, "period": "day"]
      ])
  }

  @Test func `a record read in parts is complete, including many events of one timestamp`() async throws {
    try await hub.makeType()
    for part in 0..<11 {
      try await record("t", at: Array(repeating: "2023-12-\(10 + part)T08:00:00Z", count: 600))
    }
    let found = try await findings("t")
    #expect(found["basis"]["events"] == 6600 && found["basis"]["active_days"] == 11)
  }

  @Test func `invalid parameters are rejected, and the detail names them`() async throws {
    #expect(try await hub.send("GET", "/insights?days=13").detail.contains("days"))
    #expect(try await hub.send("GET", "/insights?zone=Moon").detail.contains("zone"))
    #expect(try await hub.send("GET", "/insights?week_start=7").status == 400)
  }
}
