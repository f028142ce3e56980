import Foundation
import Testing
import TrendyModels

/// Tests that the options shared by the report commands have the same meaning and the same messages in all of them.
@Suite("Report options", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ReportOptionTests {
  let bench: Workbench

  /// Records sixty days up to Wednesday 20 November 2024: coffee every day, a run every third day.
  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
    try bench.trendy("type", "add", "run")
    var lines: [String] = []
    for ago in (0..<60).reversed() {
      let day = CivilDate(year: 2024, month: 11, day: 20).advanced(by: -ago)
      lines.append("coffee --at '\(day) 08:10'")
      if ago % 3 == 0 { lines.append("run --at '\(day) 18:00'") }
    }
    try bench.log(lines)
  }

  private static let ofOneType = ["stats coffee", "chart coffee", "cal coffee", "hours coffee"]
  private static let ofTypes = [
    "streaks", "records", "week", "month", "year", "cal", "digest", "digest week", "insights", "export report",
  ]

  private func run(_ line: String) throws -> Workbench.Result {
    try bench.run("trendy", line.split(separator: " ").map(String.init) + ["--store", bench.store()])
  }

  @Test(
    arguments: [
      ("--since 2024-11-20 --until 2024-11-10", 64, "--since is after --until", ofOneType + ofTypes),
      (
        "--since 2024-11-20..2024-11-10", 64, "The range '2024-11-20..2024-11-10' ends before it starts",
        ofOneType + ofTypes
      ),
      (
        "--since mon..wed --until today", 64, "The range 'mon..wed' cannot be combined with --until",
        ofOneType + ofTypes
      ),
      ("--since 2999-01-01", 64, "Tue 1 Jan 2999 is in the future", ofOneType + ofTypes),
      ("--since 2999-01-01 --until 2999-02-01", 64, "Tue 1 Jan 2999 is in the future", ofOneType + ofTypes),
      ("--since soon", 64, nil, ofOneType + ofTypes), ("--until soon", 64, nil, ofOneType + ofTypes),
      ("--type nope", 66, "Event type 'nope' not found", ofTypes),
      ("nope", 66, "Event type 'nope' not found", ["stats", "chart", "cal"]),
      ("--source nope", 64, "The value 'nope' is invalid for '--source'", ofOneType + ofTypes.dropLast()),
      ("--where size", 64, "Invalid condition 'size'", ofOneType + ofTypes.dropLast()),
      ("--where nope=1", 66, "Property 'nope' not found in any event type", ofOneType + ofTypes.dropLast()),
      ("--weeks 0", 64, "The value '0' is invalid for '--weeks'", ["chart coffee", "cal", "cal coffee"]),
      ("--weeks x", 64, "The value 'x' is invalid for '--weeks'", ["chart coffee", "cal", "cal coffee"]),
      ("--by hour", 64, "The value 'hour' is invalid for '--by'", ["chart coffee"]),
      ("2999", 64, "Tue 1 Jan 2999 is in the future", ["year", "export report --year"]),
      ("99", 64, "Invalid year '99'", ["year", "export report --year"]),
      ("2024-13", 64, "Invalid month '2024-13'", ["month", "trip report --month", "trip list --month"]),
    ] as [(String, Int, String?, [String])])
  func `a wrong value has the same message in every command`(
    options: String, exit: Int, message: String?, commands: [String]
  ) throws {
    var messages: Set<String> = []
    for command in commands {
      let result = try run("\(command) \(options) --json")
      #expect(result.status == exit && result.output.isEmpty, "\(command) \(options): \(result.talk)")
      messages.insert(try result.error["message"]?.stringValue ?? "")
    }
    #expect(messages.count == 1 && (message == nil || messages == [message ?? ""]), "\(options): \(messages)")
  }

  @Test func `--until is the last day and --since the first one of every report`() throws {
    func days(_ command: String, _ options: String) throws -> (first: String?, last: String?) {
      let file = command.hasPrefix("export") ? " '\(bench.folder.path)/\(UUID().uuidString).html'" : ""
      let found = try bench.shell("trendy \(command)\(file) \(options) --json --store '\(bench.store())'").document
      let list = (found["days"] ?? found["points"])?.arrayValue
      func text(_ value: JSONValue?, _ key: String) -> String? { (value?["day"] ?? value?[key])?.stringValue }
      return (text(list?.first, "from") ?? text(found, "from"), text(list?.last, "through") ?? text(found, "through"))
    }
    for command in Self.ofOneType + ["cal", "export report"] {
      let found = try days(command, "--since 2024-11-04 --until 2024-11-10")
      #expect(found == ("2024-11-04", "2024-11-10"), "\(command): \(found)")
    }
    for (command, first) in [
      ("week", "2024-11-04"), ("month", "2024-11-01"), ("year", "2024-01-01"), ("digest", "2024-11-10"),
      ("digest week", "2024-11-04"),
    ] {
      let found = try days(command, "--until 2024-11-10")
      #expect(found == (first, "2024-11-10"), "\(command): \(found)")
    }
    for (command, row) in [
      ("streaks", "coffee\t7\t7\t2024-11-10\tday"), ("records", "coffee\tmonth\t7\t2024-11-01\t2024-11-30"),
    ] {
      let rows = try run("\(command) --type coffee --since 2024-11-04 --until 2024-11-10 --plain").output
      #expect(rows.split(separator: "\n").contains { $0 == row }, "\(command): \(rows)")
    }
  }

  @Test func `a number of weeks includes the current one in every report`() throws {
    for (command, first, last) in [
      ("cal coffee --weeks 2", "2024-11-11", "2024-11-20"), ("cal --weeks 2", "2024-11-11", "2024-11-20"),
      ("chart coffee --weeks 2", "2024-11-11", "2024-11-20"),
      ("chart coffee --by week --weeks 2", "2024-11-11", "2024-11-18"),
      ("chart coffee --by month --weeks 2", "2024-11-01", "2024-11-01"),
    ] {
      let found = try bench.document(command)
      let days = try #require((found["days"] ?? found["points"])?.arrayValue)
      let (start, end) = (days.first?["day"] ?? days.first?["from"], days.last?["day"] ?? days.last?["from"])
      #expect(start?.stringValue == first && end?.stringValue == last, "\(command): \(found)")
    }
    #expect(try run("chart coffee --by week --weeks 2 --until 2024-11-20").output.split(separator: "\n").count == 4)
  }

  @Test func `--type selects the same types in every report`() throws {
    for command in ["streaks", "records", "week", "month", "year"] {
      func types(_ options: String) throws -> [String] {
        try run("\(command) --until 2024-11-20 --plain \(options)").output.split(separator: "\n")
          .map { String($0.split(separator: "\t")[0]) }
      }
      #expect(try Set(types("")) == ["coffee", "run"] && Set(types("--type run")) == ["run"], "\(command)")
      #expect(try types("--type run --type coffee") == types(""), "\(command)")
    }
    let runs = try bench.document("cal --type run")["days"]?.arrayValue?.reduce(0) { $0 + ($1["count"]?.intValue ?? 0) }
    #expect(try runs == 20 && bench.document("digest --type run")["events"] == 20)
    #expect(try bench.document("insights")["habits"]?.arrayValue?.count == 2)
    #expect(try bench.document("insights --type run")["habits"]?.arrayValue?.count == 1)
  }

  @Test func `options that match no entries are reported as such`() throws {
    for command in Self.ofOneType + Self.ofTypes.dropLast() {
      let shown = try run("\(command) --until 2011-02-01")
      #expect(
        shown.status == 0 && shown.output.lowercased().hasSuffix("no entries match these options.\n"), "\(command)")
    }
    for command in Self.ofTypes.dropLast() {
      let empty = try bench.trendy("init", store: "empty").status
      let shown = try bench.run(
        "trendy", command.split(separator: " ").map(String.init) + ["--store", bench.store("empty")])
      #expect(empty == 0 && shown.output.hasSuffix("No entries yet. To record one: trendy log TYPE\n"), "\(command)")
    }
  }
}
