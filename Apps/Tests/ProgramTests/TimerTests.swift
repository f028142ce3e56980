import Foundation
import Testing
import TrendyModels

/// Tests commands that change a running event, each of which is one undo step.
@Suite("trendy timers", .waitsForPrograms, .timeLimit(.minutes(10)))
struct TimerTests {
  private let bench: Workbench
  private let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down) - 3600)

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    try bench.trendy("type", "add", "work")
    try bench.trendy("type", "add", "call")
  }

  /// Returns the state of all events, newest first: type, start and end in minutes after ``start``, and note.
  private func events() throws -> [String] {
    try #require(bench.trendy("list", "--json").document["events"]?.arrayValue).map { event in
      func minutes(_ key: String) -> String {
        guard let date = event[key]?.stringValue.flatMap({ RFC3339.date(from: $0) }) else { return "-" }
        return "\(Int((date.timeIntervalSince(start) / 60).rounded(.down)))"
      }
      let words = [
        event["event_type"]?["name"]?.stringValue, minutes("timestamp"), minutes("end_date"),
        event["notes"]?.stringValue,
      ]
      return words.compactMap(\.self).joined(separator: " ") + (event["is_running"] == true ? " running" : "")
    }
  }

  private func at(_ minutes: Double) -> String { RFC3339.string(from: start + minutes * 60) }

  /// Runs a command and checks that undoing and redoing it restores the states before and after.
  private func change(_ words: String..., to expected: [String]) throws {
    let before = try events()
    let result = try bench.run("trendy", words + ["--store", bench.store()])
    #expect(result.status == 0, "\(words): \(result.talk)")
    #expect(try events() == expected, "\(words)")
    try bench.trendy("undo")
    #expect(try events() == before, "undo \(words)")
    try bench.trendy("redo")
    #expect(try events() == expected, "redo \(words)")
  }

  @Test func `switch stops an event and starts another at the same time`() throws {
    try bench.trendy("start", "work", "--at", at(0), "-n", "plan")
    try change("switch", "call", "--at", at(20), to: ["call 20 - running", "work 0 20 plan"])
    try change("switch", "work", "--at", at(30), to: ["work 30 - running", "call 20 30", "work 0 20 plan"])
    let early = try bench.trendy("switch", "call", "--at", at(10))
    #expect(early.status == 64 && early.talk.contains("The end is before the start"))
    try bench.trendy("start", "call")
    let several = try bench.trendy("switch", "coffee")
    #expect(several.status == 64 && several.talk.contains("Stop all but one: trendy stop call, trendy stop work"))
    let future = try bench.trendy("switch", "coffee", "--at", at(90))
    #expect(future.status == 64 && future.talk.contains("in the future"))
  }

  @Test func `a running trip is neither switched nor split`() throws {
    try bench.trendy("start", "work", "--at", at(0))
    try bench.trendy("trip", "start")
    try bench.trendy("switch", "call", "--at", at(20))
    #expect(try events().prefix(2).contains { $0.hasSuffix("running") && $0.hasPrefix("call") })
    let trip = try #require(bench.trendy("list", "--json").document["events"]?.arrayValue).first {
      $0["event_type"]?["name"] == "Trip"
    }
    let result = try bench.trendy("split", #require(trip?["id"]?.stringValue))
    #expect(result.status == 64 && result.talk.contains("trendy trip end"), "\(result.talk)")
  }

  @Test func `cancel discards a running event`() throws {
    try bench.trendy("start", "work", "--at", at(0))
    try bench.trendy("start", "call", "--at", at(5))
    #expect(try bench.trendy("cancel").talk.contains("Choose one: trendy cancel call, trendy cancel work"))
    try change("cancel", "call", to: ["work 0 - running"])
    try change("cancel", to: [])
  }

  @Test func `split divides a running or a finished event`() throws {
    try bench.trendy("start", "work", "--at", at(0), "-n", "plan")
    try change("split", "--at", at(20), to: ["work 20 - plan running", "work 0 20 plan"])
    try bench.trendy("stop", "--at", at(40))
    let time = try bench.trendy("split", "@1")
    #expect(time.status == 64 && time.talk.contains("Missing time"))
    try change("split", "@1", "--at", at(30), to: ["work 30 40 plan", "work 20 30 plan", "work 0 20 plan"])
    #expect(try bench.trendy("split", "@1", "--at", at(50)).status == 64)
    #expect(try bench.trendy("hours", "--json").document["time_s"] == 2400)
  }

  @Test func `numbers and a duration are not repeated by a split`() throws {
    try bench.trendy("log", "workout", "distance=5", "--create", "--from", at(0), "--to", at(30))
    try bench.trendy("split", "@1", "--at", at(10))
    let sums = try bench.trendy("list", "--json").document["events"]?.arrayValue?.map { event in
      (event["properties"]?["distance"]?["value"], event["properties"]?["duration"]?["value"]?.doubleValue)
    }
    #expect(sums?.map(\.0) == [nil, 5])
    #expect(sums?.first?.1 == 1200)
  }

  @Test func `continue starts an event like an earlier one`() throws {
    let none = try bench.trendy("continue")
    #expect(none.status == 66 && none.talk.contains("No recent event has a duration"))
    try bench.trendy("log", "work", "--from", at(0), "--to", at(10), "-n", "plan")
    try bench.trendy("log", "call", "--at", at(20))
    try change(
      "continue", "--at", at(30), to: ["work 30 - plan running", "call 20 -", "work 0 10 plan"])
    #expect(try bench.trendy("continue").status == 77)
    try change("stop", "--at", at(40), to: ["work 30 40 plan", "call 20 -", "work 0 10 plan"])
    try change(
      "continue", "@2", "--at", at(50), to: ["call 50 - running", "work 30 40 plan", "call 20 -", "work 0 10 plan"])
  }

  @Test(arguments: ["stop", "cancel", "split", "switch work"])
  func `without a running event, the exit status is 1`(line: String) throws {
    let result = try bench.run("trendy", line.split(separator: " ").map(String.init) + ["--store", bench.store()])
    #expect(result.status == 1 && result.talk.contains("No event is running"), "\(line): \(result.talk)")
  }
}
