import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

/// Compares the hub's API with an independent calculation on generated records.
///
/// `RecordRulesTests` in TrendyAgent tests the device store with the same records. Records are tested one at a time to
/// leave CPU time for the socket tests.
@Suite("RecordRules: hub", .serialized, .timeLimit(.minutes(20)))
struct RecordRulesTests {
  @Test("the API agrees with an independent calculation", arguments: 0..<20)
  func agrees(part: UInt64) async throws {
    for seed in part * 10..<part * 10 + 10 {
      let record = RuleRecord(seed: seed)
      let hub = try TestHub()
      hub.clock.setDate(record.now)
      try await fill(hub, with: record)
      for zone in RuleRecord.zones {
        for dayStart in RuleRecord.dayStarts {
          let expected = record.expectation(zone: zone, dayStart: dayStart)
          try await check(hub, "zone=\(zone)&day_start=\(dayStart)&week_start=1", expected)
          await Task.yield()
        }
      }
    }
  }

  @Test func `the API gives the results of the table of cases`() async throws {
    for one in try RuleCase.all() {
      let hub = try TestHub()
      hub.clock.setDate(one.record.now)
      try await fill(hub, with: one.record)
      let query = "zone=\(one.zone)&day_start=\(one.dayStart)&week_start=1"
      let types = try await hub.send("GET", "/insights/types")["types"].arrayValue ?? []
      for (type, action) in one.expected("actions") {
        #expect(types.first { $0["event_type_id"] == .string(type) }?["action"] == action, "\(one.name) \(type)")
      }
      for (type, keys) in one.expected("order") {
        let own = try await hub.send("GET", "/event-types/\(type)/properties").json.arrayValue
        #expect(own?.map { $0["key"] } == keys.arrayValue, "\(one.name) \(type)")
      }
      let goals = try await hub.send("GET", "/insights/goals?\(query)")["goals"].arrayValue ?? []
      for (type, own) in one.expected("progress") {
        let found = goals.first { $0["event_type_id"] == .string(type) } ?? .null
        #expect(
          found["amount"].doubleValue == own["amount"].doubleValue && found["target"] == own["target"]
            && found["is_excused"] == own["is_excused"], "\(one.name): \(found)")
      }
      let habits = try await hub.send("GET", "/insights/habits?\(query)")["habits"].arrayValue ?? []
      for (type, own) in one.expected("streaks") {
        let found = habits.first { $0["event_type_id"] == .string(type) }?["streak"].objectValue
        #expect(found?.filter { $0.key != "longest_end" } == own.objectValue, "\(one.name): \(type)")
      }
      var days: [String: Int64] = [:]
      for day in one.expected("days").values { days[day.stringValue ?? "", default: 0] += 1 }
      if let first = days.keys.min(), let last = days.keys.max() {
        let answer = try await hub.send("GET", "/events/days?from=\(first)&to=\(last)&\(query)")
        let found = (answer["days"].arrayValue ?? []).map {
          ($0["date"].stringValue ?? "", $0["counts"].objectValue?.values.compactMap(\.intValue).reduce(0, +) ?? 0)
        }
        #expect(Dictionary(uniqueKeysWithValues: found) == days, "\(one.name)")
      }
      let trips = try await hub.send("GET", "/trips")["trips"].arrayValue ?? []
      for (trip, ends) in one.expected("trip_ends") {
        let found = try #require(trips.first { $0["id"] == .string(trip) })
        #expect([found["start_place"]["geofence_id"], found["end_place"]["geofence_id"]] == ends.arrayValue, "\(trip)")
        #expect(found["speed_mps"] == 10)
      }
    }
  }

  private func check(_ hub: TestHub, _ query: String, _ expected: RuleRecord.Expectation) async throws {
    let context: Comment = "\(query) \(hub.clock.now)"
    let habits = try await hub.send("GET", "/insights/habits?\(query)")
    #expect(habits["today"] == .string("\(expected.today)"), context)
    let known = expected.streaks.keys.sorted()
    #expect(habits["habits"].arrayValue?.map { $0["event_type_id"].stringValue } == known, context)
    for habit in habits["habits"].arrayValue ?? [] {
      let own = try #require(expected.streaks[habit["event_type_id"].stringValue ?? ""])
      let streak = habit["streak"]
      #expect(
        streak["period"] == .string(own.period.rawValue) && streak["current"].intValue == Int64(own.current)
          && streak["longest"].intValue == Int64(own.longest), "\(context) \(habit), expected \(own)")
    }
    let goals = try await hub.send("GET", "/insights/goals?\(query)")
    #expect(
      Set(goals["goals"].arrayValue?.map { $0["event_type_id"].stringValue } ?? []) == Set(expected.progress.keys))
    for goal in goals["goals"].arrayValue ?? [] {
      let type = goal["event_type_id"].stringValue ?? ""
      let own = try #require(expected.progress[type])
      #expect(
        abs((goal["amount"].doubleValue ?? -1) - own.amount) < 0.001 && goal["target"].intValue == Int64(own.target)
          && goal["is_excused"].boolValue == own.isExcused, "\(context) \(goal), expected \(own)")
      if let current = goal["streak"].intValue {
        #expect(current == Int64(expected.streaks[type]?.current ?? 0), "\(context) \(goal)")
      }
    }
    let (first, last) = (expected.today.advanced(by: -60), expected.today.advanced(by: 10))
    let days = try await hub.send("GET", "/events/days?from=\(first)&to=\(last)&\(query)")
    var counts: [String: [CivilDate: Int]] = [:]
    for day in days["days"].arrayValue ?? [] {
      let date = try #require(day["date"].stringValue.flatMap { CivilDate($0) })
      for (type, count) in day["counts"].objectValue ?? [:] {
        counts[type, default: [:]][date] = count.intValue.map(Int.init)
      }
    }
    #expect(counts == expected.counts, context)
  }

  private func fill(_ hub: TestHub, with record: RuleRecord) async throws {
    func post(_ path: String, _ body: JSONValue) async throws {
      let answer = try await hub.send("POST", path, body)
      #expect(answer.status == 201 || answer.status == 200, "\(path): \(answer.detail)")
    }
    for type in record.types { try await post("/event-types", .object(try WireJSON.members(of: type.createRequest))) }
    for definition in record.definitions {
      try await post("/property-definitions", .object(try WireJSON.members(of: definition.createRequest)))
    }
    for place in record.places { try await post("/geofences", .object(try WireJSON.members(of: place.createRequest))) }
    for other in record.records {
      let path = other.kind == .skip ? "/skips" : "/settings"
      try await post(path, .object(other.fields.merging(["id": .string(other.id)]) { $1 }))
    }
    let events = try record.events.map { JSONValue.object(try WireJSON.members(of: $0.createRequest)) }
    let answer = try await hub.send("POST", "/events/batch", ["events": .array(events)])
    #expect(answer["failed"] == 0, "\(answer.detail)")
  }
}
