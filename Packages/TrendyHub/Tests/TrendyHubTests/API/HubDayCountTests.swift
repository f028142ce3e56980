import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyTesting

/// After any write, the cached daily counts equal those from a hub that counts from scratch.
@Suite("Counts by day", .timeLimit(.minutes(10)))
struct HubDayCountTests {
  private let hub: TestHub

  init() throws { hub = try TestHub() }

  private static let path = "/events/days?from=2023-12-01&to=2024-02-01&zone=Europe/Amsterdam&day_start=14400"

  /// Returns the hub's counts after comparing them with those from a second, uncached hub on the same storage.
  private func counts() async throws -> JSONValue {
    let known = try await hub.send("GET", Self.path).json
    let other = HubServer(storage: hub.storage, clock: hub.clock)
    let answer = await other.handle(
      HTTPRequest(
        id: "x", method: "GET", target: "/api/v1\(Self.path)",
        headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")])))
    let counted = try WireJSON.decode(JSONValue.self, from: try await answer.collectedBody())
    #expect(known == counted)
    return known
  }

  private func days() async throws -> [String: Int64] {
    var days: [String: Int64] = [:]
    for day in try await counts()["days"].arrayValue ?? [] {
      days[day["date"].stringValue ?? ""] = day["counts"].objectValue?.values.compactMap(\.intValue).reduce(0, +)
    }
    return days
  }

  @Test func `a type with most events on one weekday is reported with that weekday`() async throws {
    try await hub.makeType()
    try await hub.makeType("u", name: "Tea")
    // One type occurs only on Tuesdays, the other on consecutive days.
    for week in 0..<4 {
      try await hub.makeEvent("t\(week)a", at: "2024-01-\(["02", "09", "16", "23"][week])T08:00:00Z")
    }
    for week in 0..<4 {
      try await hub.makeEvent("t\(week)b", at: "2024-01-\(["02", "09", "16", "23"][week])T09:00:00Z")
    }
    for day in 10..<24 { try await hub.makeEvent("u\(day)", type: "u", at: "2024-01-\(day)T08:00:00Z") }
    #expect(try await counts()["weekdays"] == ["t": 2])
  }

  @Test func `counts follow creates, edits, deletions, restores and the deletion of a type`() async throws {
    try await hub.makeType()
    try await hub.makeType("u", name: "Tea")
    #expect(try await counts()["first_date"].isNull)
    try await hub.makeEvent("a", at: "2024-01-01T08:00:00Z")
    // Before the start of the day, so it belongs to the previous day and year.
    try await hub.makeEvent("b", at: "2024-01-01T01:00:00Z")
    try await hub.makeEvent("c", type: "u", at: "2024-01-02T08:00:00Z")
    #expect(try await days() == ["2023-12-31": 1, "2024-01-01": 1, "2024-01-02": 1])
    #expect(try await counts()["first_date"] == "2023-12-31")

    _ = try await hub.send("PATCH", "/events/a", ["notes": "oat"])
    #expect(try await days()["2024-01-01"] == 1)
    _ = try await hub.send("PATCH", "/events/a", ["timestamp": "2024-01-02T09:00:00Z"])
    #expect(try await days() == ["2023-12-31": 1, "2024-01-02": 2])
    _ = try await hub.send("DELETE", "/events/b")
    #expect(try await days() == ["2024-01-02": 2])
    #expect(try await counts()["first_date"] == "2024-01-02")
    _ = try await hub.send("POST", "/events/b/restore")
    #expect(try await days()["2023-12-31"] == 1)
    _ = try await hub.send("DELETE", "/events/b")
    #expect(try await days()["2023-12-31"] == nil)
    // Between two reads, one event is created and deleted, and another event changes its type.
    try await hub.makeEvent("d", at: "2024-01-05T08:00:00Z")
    _ = try await hub.send("DELETE", "/events/d")
    _ = try await hub.send("PATCH", "/events/a", ["event_type_id": "u"])
    #expect(try await days() == ["2024-01-02": 2])
    _ = try await hub.send("DELETE", "/event-types/u")
    #expect(try await days() == [:])
  }

  @Test func `days counted before the first write of a hub run stay up to date after it`() async throws {
    try await hub.makeType()
    for month in 1...3 { try await hub.makeEvent("e\(month)", at: "2024-0\(month)-01T08:00:00Z") }
    let restarted = HubServer(storage: hub.storage, clock: hub.clock)
    func send(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
      let answer = await restarted.handle(
        HTTPRequest(
          id: "x", method: method, target: "/api/v1\(path)",
          headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")]),
          body: try body.map { try WireJSON.encode($0) } ?? Data()))
      #expect(answer.status / 100 == 2)
      return (try? WireJSON.decode(JSONValue.self, from: try await answer.collectedBody())) ?? .null
    }
    #expect(try await send("GET", Self.path)["days"].arrayValue?.count == 2)
    // The first write begins an epoch.
    _ = try await send(
      "POST", "/events", ["id": "new", "event_type_id": "t", "timestamp": "2024-01-20T08:00:00Z"])
    _ = try await send("DELETE", "/events/e1")
    let days = try await send("GET", Self.path)["days"].arrayValue
    #expect(days?.map { $0["date"] } == ["2024-01-20", "2024-02-01"])
  }

  @Test func `streaks grow with new events and end at a deleted one`() async throws {
    _ = try await hub.send(
      "POST", "/event-types",
      [
        "id": "t", "name": "Tea", "color": "#000000", "icon": "cup",
        "goal": ["amount": 1, "bound": "at_least", "measure": "count", "period": "day"],
      ])
    func streak() async throws -> JSONValue {
      try await hub.send("GET", "/insights/streaks").json["streaks"][0]["current"]
    }
    func moment(_ ago: Int) -> String {
      RFC3339.string(from: hub.clock.now.addingTimeInterval(-86_400 * Double(ago)))
    }
    #expect(try await streak() == 0)
    for ago in 1...100 { try await hub.makeEvent("e\(ago)", at: moment(ago)) }
    #expect(try await streak() == 100)
    try await hub.makeEvent("today", at: moment(0))
    #expect(try await streak() == 101)
    _ = try await hub.send("DELETE", "/events/e50")
    #expect(try await streak() == 50)
  }
}
