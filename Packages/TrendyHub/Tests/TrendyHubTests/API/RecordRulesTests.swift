import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

/// The device store runs the same records; see `RecordRulesTests` in TrendyAgent. One record at a time, so that tests
/// of sockets get CPU time meanwhile.
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
    for other in record.records {
      let path = other.kind == .skip ? "/skips" : "/settings"
      try await post(path, .object(other.fields.merging(["id": .string(other.id)]) { $1 }))
    }
    let events = try record.events.map { JSONValue.object(try WireJSON.members(of: $0.createRequest)) }
    let answer = try await hub.send("POST", "/events/batch", ["events": .array(events)])
    #expect(answer["failed"] == 0, "\(answer.detail)")
  }
}
