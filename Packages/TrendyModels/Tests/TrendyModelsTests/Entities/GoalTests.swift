import Foundation
import Testing
import TrendyModels

@Suite("Goal")
struct GoalTests {
  @Test(
    "common ways to write a goal are parsed",
    arguments: [
      ("3/week", Goal(3, per: .week)), ("3 / Week", Goal(3, per: .week)), ("3 per week", Goal(3, per: .week)),
      ("3 a week", Goal(3, per: .week)), ("3x/week", Goal(3, per: .week)), ("3 times a week", Goal(3, per: .week)),
      ("8/day", Goal(8, per: .day)), ("8/d", Goal(8, per: .day)), ("  8/day ", Goal(8, per: .day)),
      ("at least 8/day", Goal(8, per: .day)), (">=8/day", Goal(8, per: .day)),
      ("at most 2/day", Goal(.atMost, 2, per: .day)), ("AT MOST 2 A DAY", Goal(.atMost, 2, per: .day)),
      ("max 2/day", Goal(.atMost, 2, per: .day)), ("up to 2/day", Goal(.atMost, 2, per: .day)),
      ("no more than 2/day", Goal(.atMost, 2, per: .day)), ("<=2/day", Goal(.atMost, 2, per: .day)),
      ("≤ 2/day", Goal(.atMost, 2, per: .day)), ("at most 0/day", Goal(.atMost, 0, per: .day)),
      ("20min/day", Goal(1200, .duration, per: .day)), ("20 min/day", Goal(1200, .duration, per: .day)),
      ("1h30m/week", Goal(5400, .duration, per: .week)), ("1h30/week", Goal(5400, .duration, per: .week)),
      ("1.5h/week", Goal(5400, .duration, per: .week)), ("1,5 hours a week", Goal(5400, .duration, per: .week)),
      ("90s/day", Goal(90, .duration, per: .day)), ("1 h a day", Goal(3600, .duration, per: .day)),
      ("at most 2h/day", Goal(.atMost, 7200, .duration, per: .day)), ("24h/day", Goal(86_400, .duration, per: .day)),
      ("168h/week", Goal(604_800, .duration, per: .week)), ("1000000/week", Goal(1_000_000, per: .week)),
    ])
  func understood(text: String, goal: Goal) throws {
    #expect(try Goal(text) == goal)
  }

  @Test(
    "only a minimum per day requires every day",
    arguments: [
      ("8/day", true), ("20min/day", true), ("7/week", false), ("at most 2/day", false), ("at most 0/day", false),
    ])
  func everyDay(text: String, asks: Bool) throws {
    #expect(try Goal(text).asksForEveryDay == asks)
  }

  @Test(
    "invalid text is rejected with its error and a hint",
    arguments: [
      ("", GoalTextError.empty, "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("3/fortnight", .unknownPeriod("fortnight"), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("3/month", .unknownPeriod("month"), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("3", .noPeriod("3"), "Write 3/day or 3/week."), ("20min", .noPeriod("20min"), "Write 20min/day or 20min/week."),
      ("3/", .noPeriod("3/"), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("often", .noPeriod("often"), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("/week", .unknownAmount(""), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("three/week", .unknownAmount("three"), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("3 cups/week", .unknownAmount("3 cups"), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("1.5/week", .unknownAmount("1.5"), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("-1/week", .unknownAmount("-1"), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("30min1h/day", .unknownAmount("30min1h"), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("0/week", .outOfRange("0", .count, .week), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("1000001/week", .outOfRange("1000001", .count, .week), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("0min/day", .outOfRange("0min", .duration, .day), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("25h/day", .outOfRange("25h", .duration, .day), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      ("169h/week", .outOfRange("169h", .duration, .week), "Write it as 3/week, 20min/day or 'at most 2/day'."),
      (
        "99999999999999999999999999/day", .outOfRange("99999999999999999999999999", .count, .day),
        "Write it as 3/week, 20min/day or 'at most 2/day'."
      ),
    ])
  func refused(text: String, error: GoalTextError, hint: String) {
    #expect(throws: error) { try Goal(text) }
    #expect(error.hint == hint)
    #expect(!error.description.isEmpty)
  }

  /// Returns a random goal that can be written as text.
  private static func random(using random: inout SeededGenerator) -> Goal {
    let bound = Goal.Bound.allCases.randomElement(using: &random)!
    let measure = Goal.Measure.allCases.randomElement(using: &random)!
    let period = Goal.Period.allCases.randomElement(using: &random)!
    let most = measure == .count ? Goal.maximumAmount : period.length * 86_400
    let amount = Int.random(in: 0...[3, 100, most].randomElement(using: &random)!, using: &random)
    return Goal(bound, amount, measure, per: period)
  }

  @Test("a goal survives conversion to text and to JSON", arguments: UInt64(1)...20)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let goal = Self.random(using: &random)
      #expect(try Goal(goal.description) == goal, "\(goal)")
      #expect(Goal(goal.json) == goal)
      #expect(try JSONDecoder().decode(Goal.self, from: JSONEncoder().encode(goal)) == goal)
    }
  }

  @Test func `a goal is written in its shortest form`() {
    #expect(Goal(3, per: .week).description == "3/week")
    #expect(Goal(.atMost, 2, per: .day).description == "at most 2/day")
    #expect(Goal(1200, .duration, per: .day).description == "20min/day")
    #expect(Goal(5400, .duration, per: .day).description == "1h30min/day")
    #expect(Goal(3601, .duration, per: .week).description == "1h1s/week")
    #expect(Goal(.atMost, 0, .duration, per: .day).description == "at most 0s/day")
  }

  @Test func `amounts are clamped to their range`() {
    #expect(Goal(0, per: .day).amount == 1)
    #expect(Goal(.atMost, -1, per: .day).amount == 0)
    #expect(Goal(.max, per: .day).amount == 1_000_000)
  }

  @Test(
    "a goal that this version cannot represent is not decoded",
    arguments: [
      #"{"amount":3,"bound":"at_least","measure":"count","period":"month"}"#,
      #"{"amount":3,"bound":"exactly","measure":"count","period":"week"}"#,
      #"{"amount":3,"bound":"at_least","measure":"metres","period":"week"}"#,
      #"{"amount":3,"bound":"at_least","measure":"count","period":"week","property":"cups"}"#,
      #"{"amount":3,"bound":"at_least","measure":"count"}"#,
      #"{"amount":2.5,"bound":"at_least","measure":"count","period":"week"}"#,
      #"{"amount":0,"bound":"at_least","measure":"count","period":"week"}"#,
      #"{"amount":-1,"bound":"at_most","measure":"count","period":"week"}"#,
      #"{"amount":1000001,"bound":"at_least","measure":"count","period":"week"}"#,
      #"{"amount":"3","bound":"at_least","measure":"count","period":"week"}"#, #""3/week""#, "3", "null", "[]",
    ])
  func unreadable(text: String) throws {
    let json = try WireJSON.decode(JSONValue.self, from: Data(text.utf8))
    #expect(Goal(json) == nil)
    #expect(throws: (any Error).self) { try JSONDecoder().decode(Goal.self, from: Data(text.utf8)) }
  }
}

@Suite("Goal of an event type")
struct EventTypeGoalTests {
  private static let later: JSONValue = ["amount": 3, "bound": "at_least", "measure": "count", "period": "month"]
  private static let run = EventType(
    id: "t", name: "run", colorHex: "#000000", iconName: "r", goal: Goal(3, per: .week))
  private static let newer = EventType(APIEventType(id: "t", name: "run", goal: later, unknownFields: ["mood": 1]))

  @Test func `the goal is a field that can be cleared`() throws {
    var other = Self.run
    other.goal = Goal(.atMost, 2, per: .day)
    #expect(
      other.updateRequest(from: Self.run) == UpdateEventTypeRequest(goal: .value(Goal(.atMost, 2, per: .day).json)))
    other.goal = nil
    let request = try #require(other.updateRequest(from: Self.run))
    #expect(String(decoding: try WireJSON.encode(request), as: UTF8.self) == #"{"goal":null}"#)
    var edited = Self.run
    edited.apply(request)
    #expect(edited == other)
    edited.apply(UpdateEventTypeRequest(name: "jog"))
    #expect(edited.goal == nil)
  }

  @Test func `the goal of a newer version is kept unchanged in every form`() throws {
    #expect(Self.newer.goal == nil)
    #expect(Self.newer.createRequest.goal == Self.later)
    #expect(Self.newer.createRequest.unknownFields == ["mood": 1])
    var renamed = Self.newer
    renamed.name = "jog"
    #expect(renamed.updateRequest(from: Self.newer) == UpdateEventTypeRequest(name: "jog"))
    #expect(EventType(renamed.createRequest).createRequest.goal == Self.later)
    var stored = EventType(id: "t", name: "jog", colorHex: "#888888", iconName: "circle")
    stored.storedMembers = renamed.storedMembers
    #expect(stored.createRequest == renamed.createRequest)
  }

  @Test func `a goal replaces that of a newer version, and undoing the change restores it`() {
    var set = Self.newer
    set.goal = Goal(3, per: .week)
    #expect(set.updateRequest(from: Self.newer) == UpdateEventTypeRequest(goal: .value(Goal(3, per: .week).json)))
    #expect(Self.newer.updateRequest(from: set) == UpdateEventTypeRequest(goal: .value(Self.later)))
    #expect(set.unknownFields == ["mood": 1])
    var cleared = Self.newer
    cleared.goal = nil
    #expect(cleared.updateRequest(from: Self.newer) == UpdateEventTypeRequest(goal: .null))
    var restored = set
    restored.apply(UpdateEventTypeRequest(goal: .value(Self.later)))
    #expect(restored.createRequest == Self.newer.createRequest)
  }

  @Test func `a goal stored as an unknown member by an earlier version is read`() {
    var stored = EventType(id: "t", name: "run", colorHex: "#000000", iconName: "r")
    stored.storedMembers = ["goal": Goal(3, per: .week).json, "mood": 1]
    #expect(stored.goal == Goal(3, per: .week))
    #expect(stored.unknownFields == ["mood": 1])
    #expect(stored.storedMembers == ["goal": Goal(3, per: .week).json, "mood": 1])
  }
}
