import Foundation
import Testing
import TrendyModels

@Suite("Statistics", .waitsForPrograms, .timeLimit(.minutes(10)))
struct LookBackTests {
  let bench: Workbench

  /// Records 60 days of events: coffee in the morning of every second day. Every fourth day there is a second coffee,
  /// followed by a headache on the next day.
  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    try bench.trendy("type", "add", "headache")
    var lines: [String] = []
    for day in stride(from: 60, through: 2, by: -2) {
      lines.append("coffee --at '\(Self.day(day)) 08:10'")
      guard day % 4 == 0 else { continue }
      lines.append("coffee --at '\(Self.day(day)) 08:40'")
      lines.append("headache --at '\(Self.day(day - 1)) 16:00'")
    }
    let file = bench.folder.appending(path: "lines")
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    let made = try bench.shell("trendy log - --store '\(bench.store())' < '\(file.path)'")
    try #require(made.status == 0, "\(made.output)\(made.talk)")
  }

  /// Returns the date `ago` days before today in UTC, the time zone of the programs.
  private static func day(_ ago: Int) -> String {
    LocalTime(isUTC: true).date(of: Date()).advanced(by: -ago).description
  }

  private func document(_ words: String...) throws -> [String: JSONValue] {
    try #require(try bench.run("trendy", words + ["--json", "--store", bench.store()]).document.objectValue)
  }

  @Test func `stats show frequency, weekdays, hours and the data still needed`() throws {
    let stats = try document("stats", "coffee")
    #expect(stats["events"] == 45)
    #expect(stats["active_days"] == 30)
    #expect(stats["hours"]?.arrayValue?[8] == 45)
    #expect(stats["hour_habit"]?["peak"] == 8)
    #expect(stats["gap"]?["usual"] == 2)
    #expect(stats["streak"]?["longest"] == 1)
    let text = try bench.trendy("stats", "coffee").output
    #expect(text.contains("Usually 08:00–09:00 (100 %), strong habit (consistency 1.00)."), "\(text)")
    #expect(text.contains("usually every 2 days"), "\(text)")
    #expect(text.contains("67 % start at 08:10."), "\(text)")
    #expect(text.contains("Typical day: 0, usually 0 to 1 (last 28 days)."), "\(text)")
    #expect(stats["usual_time"]?["from"] == "08:10" && stats["usual_day"]?["days"] == 28)
    try bench.trendy("log", "journal")
    let few = try bench.trendy("stats", "journal").output
    #expect(few.contains("needs 27 more days of entries"), "\(few)")
    #expect(few.contains("The usual time of day needs 6 more entries."), "\(few)")
    for ago in 1...7 { try bench.trendy("log", "medication", "--at", Self.day(ago), "--all-day") }
    let whole = try bench.trendy("stats", "medication").output
    #expect(
      whole.contains("All entries are all-day entries, without a time.") && !whole.contains("time of day"), "\(whole)")
    #expect(
      try bench.trendy("stats", "mood").output == "mood: no entries yet. To record one: trendy log mood score=VALUE\n")
    #expect(
      try bench.trendy("type", "add", "read", "--goal", "20min/day").output.contains("Next:  trendy start read\n"))
    #expect(try bench.trendy("chart", "read").output.contains("To record one: trendy start read\n"))
    try bench.trendy("start", "read")
    #expect(try bench.trendy("type", "add", "read").talk.contains("To record an event: trendy stop read\n"))
  }

  @Test(arguments: [40, 80, 120])
  func `every line fits the terminal`(width: Int) throws {
    for words in [["stats", "coffee"], ["streaks"], ["records"], ["cal"], ["cal", "coffee"]] {
      let shown = try bench.run("trendy", words + ["--store", bench.store()], environment: ["COLUMNS": "\(width)"])
      #expect(shown.status == 0)
      for line in shown.output.split(separator: "\n") { #expect(line.count <= width, "\(words) \(line)") }
    }
  }

  @Test func `a built-in correlation is found at its lag and described in a sentence`() throws {
    let relations = try #require(try document("insights")["relations"]?.arrayValue)
    #expect(relations.count == 1)
    #expect(relations.first?["lag_days"] == 1)
    #expect(relations.first?["sentence"] == "More headache on the day after more coffee (strong correlation)")
  }

  @Test func `a correlation is drawn day by day, with the later series below the day before`() throws {
    let one = try document("insights", "1")
    #expect(one["relation"]?["lag_days"] == 1 && one["pairs"] == 1)
    let days = try #require(one["days"]?.arrayValue)
    #expect(days.count == 60 && days.first?["second"] == 1 && days.dropFirst(3).first?["first"] == 2)
    let text = try bench.trendy("insights", "1", environment: ["COLUMNS": "120"]).output
    #expect(text.hasPrefix("More headache on the day after more coffee (strong correlation).\n"), "\(text)")
    func band(_ name: String) throws -> Substring {
      try #require(text.split(separator: "\n").first { $0.hasPrefix("  \(name)") }).suffix(59)
    }
    let (coffee, headache) = (try band("coffee"), try band("headache"))
    #expect(headache.contains("█") && zip(headache, coffee).allSatisfy { $0 == "▁" || $1 == "█" }, "\(text)")
    #expect(try bench.trendy("insights", "2").status == 66)
    #expect(try bench.trendy("insights", "none").status == 64)
  }

  @Test func `--refresh discards the cached counts`() throws {
    let before = try document("insights")
    let cache = bench.folder.appending(path: ".cache/trendy/insights")
    let left = cache.appending(path: "left")
    try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
    try Data().write(to: left)
    #expect(try document("insights") == before && FileManager.default.fileExists(atPath: left.path))
    #expect(try document("insights", "--refresh") == before && !FileManager.default.fileExists(atPath: left.path))
  }

  @Test func `a calendar shows the level of each day as blocks or digits`() throws {
    let days = try #require(try document("cal", "coffee")["days"]?.arrayValue)
    #expect(days.count == 61)
    #expect(days.first?["count"] == 2)
    #expect(days.dropFirst().first?["level"] == 0)
    let plain = try bench.trendy("cal", "coffee", "--weeks", "4", environment: ["LANG": "C", "LC_ALL": "C"])
    #expect(plain.output.contains("0 1 2 3 4  none to most"), "\(plain.output)")
    #expect(!plain.output.contains("█"))
  }

  @Test func `a calendar without a type covers all entries`() throws {
    let all = try document("cal")
    #expect(all["event_type"] == .null)
    #expect(all["days"]?.arrayValue?.reduce(0) { $0 + ($1["count"]?.intValue ?? 0) } == 60)
    #expect(try bench.trendy("cal").output.hasPrefix("All entries  on "))
    #expect(try bench.trendy("cal", "coffee", "--type", "mood").status == 64)
  }

  @Test func `a streak ignores today until it ends and is neither broken nor extended by skips`() throws {
    for day in 1...3 { try bench.trendy("log", "journal", "--at", "\(Self.day(day)) 21:00") }
    func streak() throws -> JSONValue? {
      try document("streaks")["streaks"]?.arrayValue?.first { $0["event_type"]?["name"] == "journal" }
    }
    #expect(try streak()?["current"] == 3)
    try bench.trendy("log", "journal", "--at", "\(Self.day(5)) 21:00")
    #expect(try streak()?["current"] == 3)
    try bench.trendy("skip", "journal", "--from", Self.day(4), "--to", Self.day(4))
    #expect(try streak()?["current"] == 4)
  }

  @Test func `a past range ends on its last day`() throws {
    #expect(try document("stats", "coffee", "--until", Self.day(30))["events"] == 24)
  }

  @Test func `the current week is compared with the previous week up to the same time`() throws {
    for time in ["00:00", "23:59"] { try bench.trendy("log", "journal", "--at", "\(Self.day(7)) \(time)") }
    let week = try bench.run(
      "trendy", ["week", "--type", "journal", "--json", "--utc", "--store", bench.store()]
    ).document
    let clock = LocalTime(isUTC: true).components(of: Date())
    // Skip the test in the last minute of the day, because the entry at 23:59 is then included as well.
    guard (clock.hour, clock.minute) != (23, 59) else { return }
    #expect(week["types"]?.arrayValue?.first?["before"] == 1, "\(week)")
    let text = try bench.trendy("week", "--type", "journal", environment: ["COLUMNS": "120"]).output
    #expect(text.contains(#/This week, .* [0-9]{2}:[0-9]{2}, compared with /#), "\(text)")
  }

  @Test func `the last day of a week is still compared with part of the previous week`() throws {
    let tomorrow = LocalTime(isUTC: true).date(of: Date()).advanced(by: 1).weekday
    let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    try bench.trendy("config", "set", "week_starts_on", names[tomorrow])
    let text = try bench.trendy("week", environment: ["COLUMNS": "120"]).output
    #expect(text.contains("compared with the same part of last week, "), "\(text)")
  }

  @Test func `odometer readings are excluded unless their type is named`() throws {
    try bench.trendy("vehicle", "add", "Van")
    for day in 1...3 {
      try bench.trendy("vehicle", "odometer", "log", "Van", "48210km", "--at", "\(Self.day(day)) 21:00")
    }
    for words in [["streaks"], ["records"], ["week"], ["insights"], ["digest"]] {
      let shown = try bench.run("trendy", words + ["--store", bench.store()])
      #expect(shown.status == 0 && !shown.output.contains("Odometer"), "\(words) \(shown.output)")
    }
    #expect(try bench.trendy("streaks", "--type", "Odometer").output.contains("3 days"))
    #expect(try bench.trendy("records", "--type", "Odometer").output.hasPrefix("Odometer\n  most in a day "))
  }

  @Test func `records show the maximum and the longest period with their dates`() throws {
    let records = try #require(try document("records", "--type", "coffee")["records"]?.arrayValue?.first)
    #expect(records["day"]?["events"] == 2)
    #expect(records["day"]?["from"]?.stringValue == Self.day(60))
    #expect(records["streak"]?["days"] == 1)
    #expect(records["pause"]?["days"] == 1)
    #expect(records["pause"]?["from"]?.stringValue == Self.day(59))
    let text = try bench.trendy("records", "--type", "headache").output
    #expect(text.hasPrefix("headache\n  most in a day    1  "), "\(text)")
    #expect(text.contains("\n  longest break    3  "), "\(text)")
  }
}
