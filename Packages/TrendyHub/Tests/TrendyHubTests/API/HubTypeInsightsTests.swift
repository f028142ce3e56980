import Foundation
import Testing
import TrendyHub
import TrendyModels

@Suite("Insights of a type, habits and goals at the hub", .timeLimit(.minutes(10)))
struct HubTypeInsightsTests {
  private let hub: TestHub
  /// The hub's clock starts at the beginning of 2024, on a Monday.
  private let today = CivilDate(year: 2024, month: 1, day: 1)

  init() throws { hub = try TestHub() }

  /// Creates an event on each day, given as days before today, at 08:00, or at 00:00 today.
  private func record(_ type: String = "t", _ ago: [Int], _ properties: [JSONValue] = []) async throws {
    let events = ago.enumerated().map { place, ago -> JSONValue in
      var members: [String: JSONValue] = [
        "id": .string("\(type)-\(ago)-\(UUID())"), "event_type_id": .string(type),
        "timestamp": .string("\(today.advanced(by: -ago))T\(ago == 0 ? "00" : "08"):00:00Z"),
      ]
      if !properties.isEmpty { members["properties"] = properties[place % properties.count] }
      return .object(members)
    }
    for start in stride(from: 0, to: events.count, by: 500) {
      let part = Array(events[start..<min(start + 500, events.count)])
      #expect(try await hub.send("POST", "/events/batch", ["events": .array(part)])["failed"] == 0)
    }
  }

  private func setGoal(_ amount: Int, _ measure: String = "count", per period: String, of type: String = "t")
    async throws
  {
    let goal: JSONValue = [
      "amount": .int(Int64(amount)), "bound": "at_least", "measure": .string(measure), "period": .string(period),
    ]
    #expect(try await hub.send("PATCH", "/event-types/\(type)", ["goal": goal]).status == 200)
  }

  private func type(_ query: String = "", id: String = "t") async throws -> JSONValue {
    let answer = try await hub.send("GET", "/insights/types/\(id)?\(query)")
    #expect(answer.status == 200, "\(answer.detail)")
    return answer.json
  }

  private func goals(_ query: String = "") async throws -> [JSONValue] {
    try await hub.send("GET", "/insights/goals?\(query)").json["goals"].arrayValue ?? []
  }

  @Test func `each day has its events, a moving average and a range`() async throws {
    try await hub.makeType()
    try await record("t", (0..<40).flatMap { Array(repeating: $0, count: $0 < 14 ? 3 : 1) })
    let points = try #require(try await type("days=30")["points"].arrayValue)
    #expect(points.count == 30 && points[0]["from"] == "2023-12-03" && points[29]["through"] == "2024-01-01")
    #expect(points[29]["events"] == 3 && points[29]["mean"] == 3 && points[15]["mean"] == 1)
    #expect(points[29]["lower"] == 1 && points[29]["upper"] == 3)
    let weeks = try #require(try await type("days=36&step=week")["points"].arrayValue)
    #expect(weeks.map { $0["events"] } == [7, 7, 7, 19, 21, 3], "\(weeks)")
    #expect(weeks[4]["from"] == "2023-12-25" && weeks[4]["through"] == "2023-12-31")
    #expect(weeks[5]["mean"] == 14)
  }

  @Test func `days before the first event have no points, and a type without events has none`() async throws {
    try await hub.makeType()
    #expect(try await type()["points"] == [])
    #expect(try await type()["findings"].isNull)
    try await record("t", [3])
    let months = try #require(try await type("days=36525&step=month")["points"].arrayValue)
    #expect(months.map { $0["from"] } == ["2023-12-01", "2024-01-01"] && months[0]["events"] == 1)
    #expect(months[0]["mean"].isNull)
  }

  @Test func `a skipped day interrupts the average`() async throws {
    try await hub.makeType()
    try await record("t", Array(0..<20))
    let skip: JSONValue = [
      "id": "s", "event_type_id": "t", "from": "2023-12-28", "to": "2023-12-28",
    ]
    #expect(try await hub.send("POST", "/skips", skip).status == 201)
    let points = try #require(try await type("days=14")["points"].arrayValue)
    #expect(points.first { $0["from"] == "2023-12-28" }?["mean"].isNull == true)
    #expect(points.first { $0["from"] == "2023-12-29" }?["mean"] == 1)
  }

  @Test func `values are counted by property in display order, for the requested days`() async throws {
    try await hub.makeType()
    for (key, kind, order) in [("km", "number", 1), ("size", "select", 0), ("link", "url", 2)] {
      let body: JSONValue = [
        "id": .string(key), "event_type_id": "t", "key": .string(key), "label": .string(key.uppercased()),
        "property_type": .string(kind), "display_order": .int(Int64(order)), "options": ["small", "large"],
      ]
      #expect(try await hub.send("POST", "/property-definitions", body).status == 201)
    }
    func size(_ value: String) -> JSONValue { ["size": ["type": "select", "value": .string(value)]] }
    try await record("t", [1, 2, 3], [size("large"), size("small"), size("large")])
    try await record("t", [4], [["km": ["type": "number", "value": 4.5]]])
    try await record("t", [40], [size("small")])
    let found = try await type("days=30")
    #expect(found["properties_of"] == 4)
    #expect(found["properties"].arrayValue?.map { $0["key"] } == ["size", "km"])
    let sizes = found["properties"][0]
    #expect(sizes["label"] == "SIZE" && sizes["events"] == 3 && sizes["distribution"].isNull)
    #expect(sizes["parts"][0] == ["value": "large", "end": .null, "events": 2, "share": .double(2.0 / 3)])
    #expect(found["properties"][1]["distribution"]["median"] == 4.5)
    #expect(try await type("days=60")["properties_of"] == 5)
  }

  @Test func `insights of one type equal those among all types`() async throws {
    try await hub.makeType()
    try await setGoal(1, per: "day")
    try await record("t", [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    let all = try await hub.send("GET", "/insights?days=84").json["types"][0]
    #expect(try await type()["findings"] == all)
    let habit = try await hub.send("GET", "/insights/habits").json["habits"][0]
    #expect(habit["streak"] == all["streak"] && habit["score"] == all["score"] && habit["streak"]["longest"] == 9)
    #expect(habit["usual"]["from"] == 480)
  }

  @Test func `a goal counts the values of events, and a week begins on its first day`() async throws {
    try await hub.makeType()
    try await hub.makeType("u", name: "Run")
    try await hub.makeType("v", name: "Without")
    try await setGoal(3, per: "day")
    try await setGoal(3600, "duration", per: "week", of: "u")
    try await record("t", [0, 0], [["count": ["type": "number", "value": 2.5]], [:]])
    try await record("t", [1])
    let lap: JSONValue = [
      "id": "lap", "event_type_id": "u", "timestamp": "2023-12-31T08:00:00Z", "end_date": "2023-12-31T08:20:00Z",
    ]
    #expect(try await hub.send("POST", "/events", lap).status == 201)
    let monday = try await goals()
    #expect(monday.map { $0["event_type_id"] } == ["t", "u"])
    #expect(monday[0]["amount"] == 3.5 && monday[0]["is_met"] == true && monday[0]["left"] == 0)
    #expect(monday[0]["streak"] == 2 && monday[1]["streak"] == 0)
    #expect(monday[1]["amount"] == 0 && monday[1]["from"] == "2024-01-01" && monday[1]["through"] == "2024-01-07")
    let sunday = try await goals("week_start=0")
    #expect(sunday[1]["amount"] == 1200 && sunday[1]["left"] == 2400 && sunday[1]["is_met"] == false)
  }

  @Test func `skipped days later in the week reduce its goal`() async throws {
    try await hub.makeType()
    try await setGoal(7, per: "week")
    let skip: JSONValue = [
      "id": "s", "event_type_id": "t", "from": "2024-01-04", "to": "2024-01-05",
    ]
    #expect(try await hub.send("POST", "/skips", skip).status == 201)
    #expect(try await goals()[0]["target"] == 5)
  }

  @Test func `a week has a summary in sentences`() async throws {
    try await hub.makeType()
    try await record("t", Array(1..<20))
    let words = try #require(try await hub.send("GET", "/insights").json["words"].arrayValue)
    #expect(words.count > 1 && words.allSatisfy { $0.stringValue?.hasSuffix(".") == true }, "\(words)")
  }

  @Test func `invalid parameters are rejected, and the detail names them`() async throws {
    try await hub.makeType()
    #expect(try await hub.send("GET", "/insights/types/nobody").problem == "not_found")
    #expect(try await hub.send("GET", "/insights/types/t?step=year").detail.contains("step"))
    #expect(try await hub.send("GET", "/insights/types/t?days=1501").detail.contains("days"))
    #expect(try await hub.send("GET", "/insights/types/t?days=13").status == 400)
    #expect(try await hub.send("GET", "/insights/goals?week_start=9").status == 400)
  }
}
