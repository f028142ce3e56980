import Foundation
import Testing
import TrendyModels

@Suite("trendy start, stop and skip", .waitsForPrograms, .timeLimit(.minutes(10)))
struct RunningTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  private func event(_ id: String) throws -> [String: JSONValue] {
    try #require(bench.trendy("show", id, "--json").document.objectValue?["event"]?.objectValue)
  }

  @Test func `a started event runs until it is stopped`() throws {
    #expect(try bench.trendy("stop").status == 1)
    let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down) - 2700)
    let started = try bench.trendy("start", "workout", "--at", RFC3339.string(from: start)).output
    #expect(started.contains("running 45 min"), "\(started)")
    #expect(try event("@1")["is_running"] == true)
    let twice = try bench.trendy("start", "workout")
    #expect(twice.status == 77 && twice.talk.contains("trendy stop workout"))
    #expect(try bench.trendy("start", "headache").talk.contains("trendy start headache --create"))
    try bench.trendy("start", "headache", "--create", "--at", "-2h")
    let which = try bench.trendy("stop")
    #expect(which.status == 64 && which.talk.contains("trendy stop headache"))
    #expect(try bench.trendy("stop", "coffee").talk.contains("Running: workout, headache."))
    let end = RFC3339.string(from: start + 2700)
    #expect(try bench.trendy("stop", "work", "-n", "rain", "--at", end).output.contains("45 min"))
    let stopped = try event("@2")
    #expect(stopped["is_running"] == false && stopped["notes"] == "rain")
    // The duration property is set to the elapsed time.
    let length = stopped["properties"]?.objectValue?["duration"]?.objectValue?["value"]?.doubleValue
    #expect(length == 2700)
    #expect(try bench.trendy("stop").output.contains("headache"))
    #expect(try bench.trendy("stop").status == 1)
    try bench.trendy("undo")
    #expect(try event("@1")["is_running"] == true)
    #expect(try bench.trendy("today").output.contains("running 2 h"))
    try bench.trendy("redo")
    #expect(try event("@1")["end_date"] != .null)
  }

  @Test func `running events can be stopped at a given time, all at once or by an edit, but not before their start`()
    throws
  {
    try bench.trendy("start", "coffee", "--at", "-50m")
    try bench.trendy("start", "mood", "--at", "-40m")
    #expect(try bench.trendy("stop", "coffee", "--at", "2020-01-01").status == 64)
    #expect(try bench.trendy("stop", "coffee", "--at", "2099-01-01").status == 64)
    #expect(try bench.trendy("start", "journal", "--at", "tomorrow").status == 64)
    #expect(
      try bench.trendy("stop", "--all", "--at", "-20m", "--json").document.objectValue?["events"]?.arrayValue?.count
        == 2)
    #expect(try bench.trendy("show", "@1").output.contains("20 min"))
    try bench.trendy("undo")
    try bench.trendy("rm", "@1", "@2")
    #expect(try bench.trendy("stop").status == 1)
    try bench.trendy("undo")
    #expect(try bench.trendy("stop", "--all").status == 0)
    // Setting an end with `trendy edit` also stops the event.
    try bench.trendy("start", "coffee", "--at", "-30m")
    try bench.trendy("edit", "@1", "--to", "-10m")
    #expect(try event("@1")["is_running"] == false)
    #expect(try bench.trendy("stop").status == 1)
  }

  @Test func `a running event is visible on every device and can be stopped on any`() throws {
    let hub = try TestHub(bench)
    for store in ["store", "other"] {
      if store != "store" { try bench.trendy("init", store: store) }
      #expect(try bench.trendy("connect", hub.url, hub.code(), store: store).status == 0)
    }
    let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down) - 2700)
    try bench.trendy("start", "workout", "--at", RFC3339.string(from: start))
    try bench.trendy("sync")
    try bench.trendy("sync", store: "other")
    #expect(try bench.trendy("today", store: "other").output.contains(" running 4"))
    let end = RFC3339.string(from: start + 2700)
    #expect(try bench.trendy("stop", "--at", end, store: "other").status == 0)
    try bench.trendy("sync", store: "other")
    try bench.trendy("sync")
    #expect(try bench.trendy("stop").status == 1)
    #expect(try bench.trendy("list").output.contains("workout  45 min"))
  }

  @Test func `a running event with a start in the future cannot be stopped until its start is corrected`() throws {
    try bench.trendy("start", "workout", "--at", "-45m")
    #expect(try bench.trendy("edit", "@1", "--at", "2099-01-02 8:00").status == 0)
    let refused = try bench.trendy("stop")
    #expect(
      refused.status == 64 && refused.talk.contains("The end is before the start, Fri 2 Jan 2099 08:00"),
      "\(refused.talk)")
    #expect(refused.talk.contains("trendy edit \(try bench.trendy("list", "--plain").output.prefix(13)) --at"))
    #expect(try bench.trendy("edit", "@1", "--at", "-45m").status == 0)
    #expect(try bench.trendy("stop").status == 0)
  }

  @Test func `skipped days neither break nor extend a streak`() throws {
    try bench.trendy("type", "edit", "coffee", "--goal", "1/day")
    for days in [1, 2, 5] { try bench.trendy("log", "coffee", "--at", "-\(days)d") }
    #expect(try bench.trendy("log", "coffee").output.contains("3-day streak"))
    let from = try day(-4)
    let excused = try bench.trendy("skip", "coffee", "--from", from, "--to", try day(-3), "-n", "flu")
    #expect(excused.status == 0 && excused.output.contains("Skipped:") && excused.output.contains("flu"))
    #expect(try bench.trendy("log", "coffee").output.contains("4-day streak"))
    #expect(try bench.trendy("skip", "coffee", "--from", from).status == 64)
    #expect(try bench.trendy("skip", "coffee", "--from", from, "--clear").output.contains("No longer skipped"))
    #expect(try bench.trendy("log", "coffee").output.contains("3-day streak"))
    let list = try bench.trendy("skip", "--plain").output.split(separator: "\n")
    let left = try day(-3)
    #expect(list.count == 1 && list[0].contains(left))
    try bench.trendy("undo", "2")
    #expect(try bench.trendy("log", "coffee").output.contains("4-day streak"))
    #expect(try bench.trendy("skip", "coffee", "--from", "2026-11-20", "--to", "2026-11-18").status == 64)
    #expect(try bench.trendy("skip", "--clear").status == 64)
    #expect(try bench.trendy("skip", "mood", "--clear").status == 66)
  }

  @Test func `log, today and streaks report the same streak of over a month, also after its days change`() throws {
    try bench.trendy("type", "edit", "coffee", "--goal", "1/day")
    let lines = bench.folder.appending(path: "lines")
    try (1...100).map { "coffee --at -\($0)d" }.joined(separator: "\n").write(
      to: lines, atomically: true, encoding: .utf8)
    #expect(try bench.shell("trendy log - --store '\(bench.store())' < '\(lines.path)'").status == 0)
    #expect(try bench.trendy("log", "coffee").output.contains("101-day streak"))
    #expect(try bench.trendy("today").output.contains("101-day streak"))
    // @2 is the entry from 100 days ago, which was recorded last, so @61 is the entry from 41 days ago. Deleting it
    // splits the streak.
    #expect(try bench.trendy("rm", "@61", "--yes").status == 0)
    #expect(try bench.trendy("today").output.contains("41-day streak"))
    #expect(try bench.trendy("streaks", "--plain").output.contains("\t41\t59\t"))
    #expect(try bench.trendy("log", "coffee").output.contains("41-day streak"))
    try bench.trendy("undo", "2")
    #expect(try bench.trendy("today").output.contains("101-day streak"))
  }

  @Test func `a manually started trip counts when it has ended, with its distance`() throws {
    try bench.trendy("place", "add", "home", "52.0,4.0")
    try bench.trendy("place", "add", "office", "52.1,4.1")
    #expect(try bench.trendy("trip", "end", "12km").status == 66)
    let begun = try bench.trendy(
      "trip", "start", "--at", "-30m", "--start", "home", "--category", "business", "-n", "work")
    #expect(begun.output.contains("running 30 min"), "\(begun.talk)")
    #expect(try bench.trendy("trip", "start").status == 77)
    #expect(try bench.trendy("stop").talk.contains("trendy trip end"))
    #expect(try bench.trendy("trip", "list", "--plain").output.isEmpty)
    let unknown = try bench.trendy("trip", "end")
    #expect(unknown.status == 64 && unknown.talk.contains("Missing distance"))
    let ended = try bench.trendy("trip", "end", "12km", "--end", "office").output
    #expect(ended.contains("home → office") && ended.contains("12.0 km") && ended.contains("business"), "\(ended)")
    #expect(try bench.trendy("trip", "list", "--plain").output.split(separator: "\n").count == 1)
    try bench.trendy("undo")
    #expect(try bench.trendy("trip", "list", "--plain").output.isEmpty)
    #expect(try bench.trendy("trip", "cancel").status == 0)
    #expect(try bench.trendy("today", "--plain").output.isEmpty)
    try bench.trendy("undo")
    #expect(try bench.trendy("trip", "end", "1km", "--at", "2020-01-01").status == 64)
    #expect(try bench.trendy("trip", "end", "3km").status == 0)
  }

  @Test func `details of a manual trip move to the detected trip that it overlaps`() throws {
    try bench.trendy("import", Samples.drive.path)
    try bench.trendy("trip", "start", "--at", "2014-11-18 9:37", "--category", "private", "-n", "joined")
    let twice = try bench.trendy("trip", "end", "7km", "--at", "2014-11-18 10:10")
    #expect(twice.status == 77 && twice.talk.contains("has detected this trip"), "\(twice.talk)")
    let joined = try bench.trendy("trip", "end", "--at", "2014-11-18 10:10")
    #expect(joined.output.contains("private") && joined.output.contains("joined"), "\(joined.talk)")
    #expect(try bench.trendy("list", "--plain", "--limit", "0").output.split(separator: "\n").count == 1)
    try bench.trendy("undo")
    #expect(try bench.trendy("list", "--plain", "--limit", "0").output.split(separator: "\n").count == 2)
    #expect(try bench.trendy("trip", "cancel").status == 0)
    let tracks = try bench.trendy("track", "list", "--plain").output.split(separator: "\t")
    #expect(tracks.count == 4 && tracks[3] == "196\n")
  }

  /// Returns the date a number of days from today, as `2026-11-20`.
  private func day(_ days: Int) throws -> String {
    String(RFC3339.string(from: Date(timeIntervalSinceNow: Double(days) * 86_400)).prefix(10))
  }
}
