import Foundation
import Testing
import TrendyModels

/// Tests times as users type them, resolved by the program in the Amsterdam time zone.
@Suite("Event times", .waitsForPrograms, .timeLimit(.minutes(10)))
struct TimeTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    try bench.trendy("type", "add", "nap")
  }

  private func trendy(_ words: String...) throws -> Workbench.Result {
    try bench.run("trendy", ["--store", bench.store()] + words, environment: ["TZ": "Europe/Amsterdam"])
  }

  private func times(_ result: Workbench.Result) throws -> [String?] {
    let event = try event(result)
    return [event["timestamp"]?.stringValue, event["end_date"]?.stringValue]
  }

  private func event(_ result: Workbench.Result) throws -> [String: JSONValue] {
    try #require(
      result.document.objectValue.flatMap { $0["event"] ?? $0["trip"] }?.objectValue, "\(result.output) \(result.talk)")
  }

  @Test(
    "options and phrases set the start and the end of an event",
    arguments: [
      (["--from", "2026-11-19 9:00", "--to", "10:00"], ["2026-11-19T09:00:00+01:00", "2026-11-19T10:00:00+01:00"]),
      (["--from", "2026-11-18 23:30", "--to", "0:30"], ["2026-11-18T23:30:00+01:00", "2026-11-19T00:30:00+01:00"]),
      (["--at", "2026-11-19 9:00-10:30"], ["2026-11-19T09:00:00+01:00", "2026-11-19T10:30:00+01:00"]),
      (["--for", "45m", "--until", "2026-11-19 10:00"], ["2026-11-19T09:15:00+01:00", "2026-11-19T10:00:00+01:00"]),
      (["--at", "2026-11-19 8:30pm", "--for", "1h30"], ["2026-11-19T20:30:00+01:00", "2026-11-19T22:00:00+01:00"]),
      // In the night when clocks are set back, the event is one hour longer than the difference between the clock
      // times.
      (["--from", "2026-10-25 01:30", "--to", "04:30"], ["2026-10-25T01:30:00+02:00", "2026-10-25T04:30:00+01:00"]),
    ])
  func lies(options: [String], expected: [String]) throws {
    let result = try bench.run(
      "trendy", ["--store", bench.store(), "log", "nap", "--json"] + options, environment: ["TZ": "Europe/Amsterdam"])
    #expect(result.status == 0, "\(result.talk)")
    #expect(try times(result) == expected)
    #expect(result.talk == "")
  }

  @Test func `a time that a clock change skips or repeats is resolved and noted`() throws {
    let skipped = try trendy("log", "nap", "--at", "2026-03-29 2:30", "--json")
    #expect(try times(skipped)[0] == "2026-03-29T03:30:00+02:00")
    #expect(
      skipped.talk.contains("02:30 did not exist on Sun 29 Mar, when the clocks went forward. Using 03:30 +02:00"),
      "\(skipped.talk)")
    let twice = try trendy("log", "nap", "--at", "2026-10-25 2:30", "--json")
    #expect(try times(twice)[0] == "2026-10-25T02:30:00+02:00")
    #expect(twice.talk.contains("the other is 2026-10-25T02:30:00+01:00"), "\(twice.talk)")
    let other = try trendy("log", "nap", "--at", "2026-10-25T02:30:00+01:00", "--json")
    #expect(try times(other)[0] == "2026-10-25T02:30:00+01:00")
    // When clocks are set back, an hour occurs twice. Tests the end of events that started in each of the two hours.
    for (start, end) in [("2026-10-25T02:10:00+02:00", "+02:00"), ("2026-10-25T02:40:00+02:00", "+01:00")] {
      let ended = try trendy("log", "nap", "--at", start, "--to", "2:30", "--json")
      #expect(try times(ended)[1] == "2026-10-25T02:30:00\(end)")
    }
  }

  @Test func `a time in the future is noted, and too many or too few times are rejected`() throws {
    let tomorrow = try trendy("log", "nap", "--at", "tomorrow 7:00")
    #expect(tomorrow.status == 0)
    #expect(tomorrow.talk.contains("is in the future"))
    let twoHours = try trendy("log", "nap", "--at", "-1h", "--for", "2h")
    #expect(twoHours.talk.contains("Note: the end is in the future"), "\(twoHours.talk)")
    #expect(!twoHours.talk.contains("--until now"))
    #expect(try trendy("log", "nap", "--for", "45m").talk.contains("If the event is over, add --until now."))
    #expect(try !trendy("log", "nap", "--for", "45m", "--until", "now").talk.contains("future"))
    for _ in 0..<3 { #expect(try trendy("rm", "@1").status == 0) }
    for (words, message) in [
      (["--from", "8:00", "--to", "9:00", "--for", "1h"], "Only two of --from, --for and --to"),
      (["--at", "8:00-9:00", "--for", "1h"], "cannot be combined with --to or --for"),
      (["--to", "2026-11-01 9:00"], "Missing start time"),
      (["--from", "2026-11-19 9:00", "--to", "2026-11-19 8:00"], "The end is before the start"),
      (["--at", "45m"], "is a duration, not a time"), (["--for", "7:75"], "Invalid duration '7:75'"),
    ] {
      let refused = try bench.run("trendy", ["--store", bench.store(), "log", "nap"] + words)
      #expect(refused.status == 64, "\(words)")
      #expect(refused.talk.contains(message), "\(refused.talk)")
      #expect(refused.talk.contains("Hint:") || message != "Missing start time")
    }
    #expect(try trendy("list", "--plain").output.split(separator: "\n").count == 1)
  }

  @Test func `a time without a date refers to the day of the edited event`() throws {
    let made = try trendy("log", "nap", "--at", "2026-11-10 9:00-10:00", "--json")
    let id = try #require(try event(made)["id"]?.stringValue)
    #expect(
      try times(try trendy("edit", id, "--at", "8:30", "--json"))
        == ["2026-11-10T08:30:00+01:00", "2026-11-10T09:30:00+01:00"])
    #expect(
      try times(try trendy("edit", id, "--to", "9:00", "--json"))
        == ["2026-11-10T08:30:00+01:00", "2026-11-10T09:00:00+01:00"])
    #expect(
      try times(try trendy("edit", id, "--for", "45 min", "--until", "12:00", "--json"))
        == ["2026-11-10T11:15:00+01:00", "2026-11-10T12:00:00+01:00"])
  }

  @Test func `a day is listed from its first instant to its last`() throws {
    for time in ["2026-11-18 23:59", "2026-11-19 0:00", "2026-11-19 23:59", "2026-11-20 0:00"] {
      #expect(try trendy("log", "nap", "--at", time).status == 0)
    }
    let day = try trendy("list", "--since", "2026-11-19", "--until", "2026-11-19", "--plain")
    #expect(day.output.split(separator: "\n").count == 2)
    #expect(try trendy("list", "--since", "Nov 19 2026", "--until", "19 nov 2026", "--plain").output == day.output)
  }

  @Test func `a trip is split at a time on its own day`() throws {
    let made = try trendy("trip", "add", "30km", "--from", "2026-11-10 17:00", "--for", "40m", "--json")
    let id = try #require(try event(made)["id"]?.stringValue)
    let parts = try trendy("trip", "split", id, "17:20", "--plain")
    #expect(parts.status == 0, "\(parts.talk)")
    #expect(
      try trendy("trip", "list", "--since", "2026-11-10", "--until", "2026-11-10", "--plain").output.split(
        separator: "\n"
      ).count == 2)
  }
}
