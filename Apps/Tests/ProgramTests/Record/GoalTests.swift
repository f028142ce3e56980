import Foundation
import Testing
import TrendyModels

@Suite("Goals", .waitsForPrograms, .timeLimit(.minutes(10)))
struct GoalTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  private func goal(of type: String, store: String = "store") throws -> String? {
    try bench.trendy("type", "list", "--plain", store: store).output.split(separator: "\n")
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false) }.first { $0[1] == type }.map { String($0[4]) }
  }

  /// Returns the line with an event type's goal from the output of `trendy today`.
  private func line(_ type: String) throws -> String? {
    try bench.trendy("today").output.split(separator: "\n").last { $0.hasPrefix("  \(type) ") }
      .map { $0.split(separator: " ", omittingEmptySubsequences: true).dropFirst().joined(separator: " ") }
  }

  @Test func `a goal can be set, shown, changed and removed, and undo restores it`() throws {
    #expect(try bench.trendy("type", "add", "run", "--goal", "3 a week").output.contains("  goal 3/week\n"))
    #expect(try goal(of: "run") == "3/week")
    #expect(try goal(of: "coffee") == "")
    let edited = try bench.trendy("type", "edit", "coffee", "--goal", "at most 2/day")
    #expect(edited.output.contains("☕ coffee  #7B4F2E  goal at most 2/day  0 events"), "\(edited.output)")
    #expect(try bench.trendy("type", "list").output.contains("☕ coffee  goal at most 2/day  count (number)"))
    let document = try bench.trendy("type", "show", "run", "--json").document.objectValue?["event_type"]
    #expect(
      document?.objectValue?["goal"] == ["amount": 3, "bound": "at_least", "measure": "count", "period": "week"])
    try bench.trendy("type", "edit", "run", "--name", "jog")
    #expect(try goal(of: "jog") == "3/week")
    try bench.trendy("type", "edit", "jog", "--goal", "none")
    #expect(try goal(of: "jog") == "")
    try bench.trendy("undo", "2")
    #expect(try goal(of: "run") == "3/week")
    try bench.trendy("redo", "2")
    #expect(try goal(of: "jog") == "")
  }

  @Test(
    "an invalid goal is rejected with a hint",
    arguments: [
      ("3/fortnight", "Unknown period 'fortnight': use day or week"),
      ("3", "Hint:  Write 3/day or 3/week."), ("three/week", "Invalid amount 'three'"),
      ("0/week", "Amount '0' is out of range"),
      ("25h/day", "at most a day"), ("", "The goal is empty"),
    ])
  func refused(text: String, words: String) throws {
    for command in [["type", "add", "run"], ["type", "edit", "coffee"]] {
      let answer = try bench.run("trendy", command + ["--goal", text, "--store", bench.store()])
      #expect(answer.status == 64 && answer.talk.contains(words), "\(answer.talk)")
      #expect(answer.talk.contains("Hint:  Write "), "\(answer.talk)")
    }
    #expect(try goal(of: "run") == nil)
    #expect(try goal(of: "coffee") == "")
  }

  @Test func `log and today show the remaining amount`() throws {
    try bench.trendy("type", "add", "run", "--goal", "3/week")
    try bench.trendy("type", "edit", "coffee", "--goal", "at most 2/day")
    try bench.trendy("type", "edit", "workout", "--goal", "20min/day")
    #expect(try line("run") == "0 of 3 this week, 3 left")
    #expect(try line("coffee") == "0 of at most 2, 2 left")
    #expect(try line("workout") == "0 of 20 min, 20 min left")
    #expect(try line("mood") == nil)

    #expect(try bench.trendy("log", "run").output.contains("\n  1 of 3 this week, 2 left · Undo with: trendy undo"))
    #expect(try line("run") == "1 of 3 this week, 2 left")
    for _ in 0..<3 { try bench.trendy("log", "run") }
    #expect(try line("run") == "4 of 3 this week")
    #expect(try bench.trendy("log", "run", "--at", "-8d").output.contains("4 of 3 this week ·"))

    #expect(try bench.trendy("log", "coffee", "2").output.contains("\n  2 of at most 2 today · Undo with: trendy undo"))
    #expect(try bench.trendy("log", "coffee").output.contains("3 of at most 2 today, 1 over ·"))
    #expect(try line("coffee") == "3 of at most 2, 1 over")

    #expect(try bench.trendy("log", "workout", "12m").output.contains("\n  12 of 20 min today, 8 min left ·"))
    #expect(try bench.trendy("log", "workout", "30m").output.contains("\n  42 of 20 min today ·"))

    let goals = try #require(bench.trendy("today", "--json").document.objectValue?["goals"]?.arrayValue)
    #expect(goals.count == 3)
    let coffee = try #require(goals.first { $0.objectValue?["text"] == "at most 2/day" }?.objectValue)
    #expect(coffee["amount"] == 3 && coffee["target"] == 2 && coffee["left"] == 0 && coffee["is_met"] == false)
    #expect(coffee["share"] == 0.5 && coffee["event_type"]?.objectValue?["name"] == "coffee")
    #expect(coffee["first_day"] == coffee["last_day"])
  }

  @Test func `a running event counts toward a duration goal`() throws {
    try bench.trendy("type", "edit", "workout", "--goal", "2h/week")
    try bench.trendy("start", "workout")
    let goal = try bench.trendy("today", "--json").document.objectValue?["goals"]?.arrayValue?.first?.objectValue
    let (amount, left) = try (#require(goal?["amount"]?.doubleValue), #require(goal?["left"]?.doubleValue))
    #expect(amount > 0 && amount + left == 7200, "\(amount) and \(left)")
  }

  @Test func `a skipped day lowers a weekly goal, and a skipped period has no goal`() throws {
    try bench.trendy("type", "edit", "coffee", "--goal", "2/day")
    try bench.trendy("type", "add", "run", "--goal", "7/week")
    try bench.trendy("skip", "coffee")
    #expect(try line("coffee") == "skipped today")
    #expect(try bench.trendy("log", "coffee").output.contains("\n  skipped today · Undo with: trendy undo"))
    try bench.trendy("skip", "run")
    #expect(try line("run") == "0 of 6 this week, 6 left, 1 day skipped")
    try bench.trendy("skip", "run", "--from", "-7d", "--to", "2099-01-01")
    #expect(try line("run") == "skipped this week")
  }

  @Test func `a goal syncs to other devices`() throws {
    let hub = try TestHub(bench)
    for store in ["store", "other"] {
      if store != "store" { try bench.trendy("init", store: store) }
      #expect(try bench.trendy("connect", hub.url, hub.code(), store: store).status == 0)
    }
    try bench.trendy("type", "edit", "coffee", "--goal", "at most 2/day")
    try bench.trendy("sync")
    try bench.trendy("sync", store: "other")
    #expect(try goal(of: "coffee", store: "other") == "at most 2/day")
    try bench.trendy("type", "edit", "coffee", "--goal", "none", store: "other")
    try bench.trendy("sync", store: "other")
    try bench.trendy("sync")
    #expect(try goal(of: "coffee") == "")
  }
}
