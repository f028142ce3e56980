import Foundation
import Testing
import TrendyModels

/// Tests sums of time and compares them with Timewarrior.
@Suite("trendy hours", .waitsForPrograms, .timeLimit(.minutes(10)))
struct HoursTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  /// Intervals of a Timewarrior data file, in Amsterdam.
  static let ledgers: [(name: String, lines: [String])] = [
    ("within a day", ["2026-05-04T09:00:00 2026-05-04T12:30:15 work", "2026-05-05T18:00:00 2026-05-05T18:30:00 run"]),
    ("over midnight", ["2026-05-04T23:00:00 2026-05-05T07:00:00 sleep"]),
    (
      "until midnight",
      ["2026-05-04T23:00:00 2026-05-05T00:00:00 work", "2026-05-05T00:00:00 2026-05-05T01:00:07 work"]
    ),
    ("over four days", ["2026-05-01T20:00:00 2026-05-04T06:00:00 hike"]),
    ("over the new year", ["2025-12-31T22:00:00 2026-01-01T02:00:00 party"]),
    ("clock set forward", ["2026-03-28T22:00:00 2026-03-29T06:00:00 sleep"]),
    ("clock set back", ["2025-10-25T22:00:00 2025-10-26T06:00:00 sleep"]),
    ("overlap", ["2026-05-04T09:00:00 2026-05-04T11:00:00 work", "2026-05-04T10:00:00 2026-05-04T12:00:00 call"]),
    (
      "nested overlap",
      [
        "2026-05-04T09:00:00 2026-05-04T17:00:00 work", "2026-05-04T10:00:00 2026-05-04T12:00:00 call",
        "2026-05-04T11:00:00 2026-05-04T11:10:00 tea",
      ]
    ),
    (
      "tags of a long week",
      (4...10).map { day in
        let date = day < 10 ? "0\(day)" : "\(day)"
        return
          "2026-05-\(date)T08:15:\(10 + day) 2026-05-\(date)T1\(day % 3 + 2):\(10 + day * 3):00 work client\(day % 3)"
      }
    ),
  ]

  private static let zone = ["TZ": "Europe/Amsterdam"]
  static let timew = ["/usr/bin/timew", "/usr/local/bin/timew"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Returns the total of each day in Timewarrior's summary, as seconds.
  ///
  /// - Parameter adjusts: whether a later interval cuts overlapping ones, so that no time is counted twice.
  private func timewarrior(_ lines: [String], adjusts: Bool, _ timew: String) throws -> (
    days: [String: Double], data: String
  ) {
    let database = bench.folder.appending(path: "timew-\(adjusts)")
    let data = database.appending(path: "data")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    try Data().write(to: database.appending(path: "timewarrior.cfg"))
    let environment = Self.zone.merging(["TIMEWARRIORDB": database.path]) { $1 }
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      let made = try bench.run(
        timew, ["track", words[0], "-", words[1]] + words[2...] + (adjusts ? [":adjust"] : []),
        environment: environment)
      try #require(made.status == 0, "\(made.output)\(made.talk)")
    }
    let summary = try bench.run(timew, ["summary", "2025-01-01", "-", "2027-01-01"], environment: environment).output
    var (days, day) = ([String: Double](), "")
    for line in summary.split(separator: "\n") where line.contains(":") {
      let cells = line.split(separator: " ")
      if cells.count > 1, CivilDate(cells[1]) != nil { day = String(cells[1]) }
      // The last column is the total of the day, in the last line of the day. The line of all days has no other cell.
      let isLastOfDay =
        cells.count > 1 && line.count > 3 && line.split(separator: " ").suffix(4).count { $0.contains(":") } == 4
      if isLastOfDay { days[day] = Self.seconds(cells[cells.count - 1]) }
    }
    return (days, data.path)
  }

  private static func seconds(_ text: Substring) -> Double {
    text.split(separator: ":").reduce(0) { $0 * 60 + (Double($1) ?? .nan) }
  }

  /// Returns the rows and the total of `trendy hours`.
  private func hours(_ words: String..., store: String) throws -> (rows: [String: Double], total: Double) {
    let result = try bench.run(
      "trendy", ["hours"] + words + ["--json", "--store", bench.store(store)], environment: Self.zone)
    let rows = try #require(result.document["rows"]?.arrayValue, "\(result.talk)").map {
      ($0["name"]?.stringValue ?? "", $0["time_s"]?.doubleValue ?? .nan)
    }
    return (Dictionary(uniqueKeysWithValues: rows), try result.document["time_s"]?.doubleValue ?? .nan)
  }

  @Test(.enabled(if: timew != nil, "Timewarrior is not installed"), arguments: ledgers)
  func `the time of each day equals Timewarrior's to the second`(name: String, lines: [String]) throws {
    let timew = try #require(Self.timew)
    // Timewarrior refuses to track overlapping intervals, unless they are adjusted or the file contains them.
    let once = try timewarrior(lines, adjusts: true, timew)
    let file = bench.folder.appending(path: "whole.data")
    let inc = try lines.map { line in
      let words = line.split(separator: " ").map(String.init)
      return "inc \(try utc(words[0])) - \(try utc(words[1])) # \(words[2...].joined(separator: " "))\n"
    }
    try Data(inc.joined().utf8).write(to: file)
    let imported = try bench.run("trendy", ["import", file.path, "--store", bench.store()], environment: Self.zone)
    try #require(imported.status == 0, "\(imported.talk)")
    let days = try hours("--by", "day", store: "store")
    #expect(days.rows == once.days && days.total == once.days.values.reduce(0, +), "\(name)")
    for by in ["type", "tags", "word", "week", "month", "place"] {
      // No property exists if no interval has a second tag.
      if by == "tags", !lines[0].contains("client") { continue }
      #expect(try hours("--by", by, store: "store").total == days.total, "\(name) by \(by)")
    }
    let each = try hours("--count-overlaps", store: "store").total
    #expect(each == lines.reduce(0) { $0 + length($1) }, "\(name)")
  }

  /// Returns a time in Amsterdam as `20260504T070000Z`.
  private func utc(_ text: String) throws -> String {
    RFC3339.string(from: try moment(text)).filter { $0 != "-" && $0 != ":" }.prefix(15) + "Z"
  }

  private func moment(_ text: String) throws -> Date {
    let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
    return try #require(LocalTime(zoneName: "Europe/Amsterdam")).date(
      year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4], second: numbers[5])
  }

  private func length(_ line: String) -> Double {
    let words = line.split(separator: " ").map(String.init)
    guard let start = try? moment(words[0]), let end = try? moment(words[1]) else { return .nan }
    return end.timeIntervalSince(start)
  }

  private func sample() throws {
    try bench.trendy("type", "add", "work")
    try bench.trendy("type", "add", "call")
    try bench.trendy("type", "prop", "add", "work", "client", "--kind", "text")
    try bench.log([
      "work client=acme --at '2024-11-18 09:00' --to '2024-11-18 12:00' -n '#plan'",
      "call --at '2024-11-18 10:00' --to '2024-11-18 11:00'",
      "work --at '2024-11-19 22:00' --for 4h5m",
      "coffee --at '2024-11-19 08:00'",
    ])
  }

  @Test func `time is shown by type, with overlaps`() throws {
    try sample()
    #expect(
      try bench.shown("hours", width: 80) == """
        Time by type, Mon 18 to Wed 20 Nov
          work     7 h 5 min   2 sessions  ████████████
          call           1 h    1 session  █▊
          Overlap       −1 h
          Total    7 h 5 min   3 sessions

        Overlaps, counted once:
          Mon 18 Nov 2024 10:00 to 11:00: work, call, 1 h

        """)
    #expect(
      try bench.shown("hours work --by day --plain", width: 80) == """
        2024-11-18\t10800\t1\t0
        2024-11-19\t7200\t1\t0
        2024-11-20\t7500\t1\t0

        """)
    #expect(
      try bench.shown("hours --by client --csv", width: 80) == """
        client,hours,seconds,sessions,running\r
        (no client),5.08,18300,2,0\r
        acme,3,10800,1,0\r
        Overlap,-1,-3600,0,0\r

        """)
    let rounded = try bench.document("hours --round 15m --up")
    #expect(rounded["time_s"] == 26_100 && rounded["overlap_s"] == 3600 && rounded["sessions"] == 3)
    #expect(try bench.shown("hours coffee", width: 80).hasPrefix("No time recorded."))
    for (line, status) in [
      ("hours --by nope", 66), ("hours nope", 66), ("hours --up", 64), ("hours --csv --json", 64),
      ("hours --round x", 64),
    ] {
      let result = try bench.run("trendy", line.split(separator: " ").map(String.init) + ["--store", bench.store()])
      #expect(result.status == status, "\(line): \(result.talk)")
    }
  }

  @Test func `a running event counts up to now and is marked`() throws {
    let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down) - 5400)
    try bench.trendy("start", "workout", "--at", RFC3339.string(from: start))
    #expect(try bench.trendy("hours").output.contains("workout, running  1 h 30 min   1 session"))
    let found = try bench.trendy("hours", "--json").document
    let now = try #require(found["now"]?.stringValue.flatMap { RFC3339.date(from: $0) })
    #expect(abs(now.timeIntervalSince(start) - (found["time_s"]?.doubleValue ?? 0)) < 0.002 && found["running"] == 1)
  }

  @Test func `the first line of a report is its time`() throws {
    try sample()
    #expect(try bench.shown("stats work", width: 80).hasPrefix("work  7 h 5 min in 2 sessions  on 2 of 3 days"))
    #expect(try bench.shown("stats call", width: 80).hasPrefix("call  1 h in 1 session  on 1 of 3 days"))
    for command in ["week", "month", "year"] {
      let lines = try bench.shown(command, width: 120).split(separator: "\n")
      #expect(lines[1] == "  work 7 h 5 min in 2 sessions, call 1 h in 1 session.", "\(command): \(lines)")
      let types = try bench.document(command)["types"]?.arrayValue ?? []
      let work = types.first { $0["event_type"]?["name"] == "work" }
      #expect(work?["time_s"] == 25_500 && work?["sessions"] == 2)
    }
    #expect(try bench.shown("digest", width: 120).split(separator: "\n")[1] == "  work 2 h 5 min in 1 session.")
    #expect(try bench.document("stats work")["time_s"] == 25_500)
    // A type without a number property charts its time.
    let chart = try bench.document("chart work --sum")
    #expect(chart["points"]?.arrayValue?.map { $0["value"]?.doubleValue } == [10_800, 7200, 7500])
    #expect(chart["property"] == "time" && chart["property_type"] == "duration")
  }
}
