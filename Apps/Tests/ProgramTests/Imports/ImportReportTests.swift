import Foundation
import Testing
import TrendyModels

/// Tests the reports of imports: skipped items, and hints about required options.
@Suite("Reports of imports", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ImportReportTests {
  @Test func `the first five problems are listed, JSON contains all, and the status is 0`() throws {
    let bench = try Workbench()
    try bench.trendy("init")
    let rows = (1...50).map { $0 > 8 ? "run,never,\($0)" : "run,2026-03-0\($0),\($0)" }
    let file = bench.folder.appending(path: "table.csv")
    try Data("type,date,n\n\(rows.joined(separator: "\n"))\n".utf8).write(to: file)
    let run = try bench.trendy("import", file.path, "--dry-run")
    #expect(run.status == 0)
    #expect(run.output.contains("line 10: invalid time 'never'"))
    #expect(run.output.contains("line 14:") && !run.output.contains("line 15:"))
    #expect(run.output.contains("and 37 more"))
    let document = try bench.trendy("import", file.path, "--json").document
    #expect(document["bad"]?.intValue == 42 && document["problems"]?.arrayValue?.count == 42)
  }

  @Test(
    "an ambiguous file is rejected as a whole, and the message names the option",
    arguments: [
      ("Date,Weight\n2026-03-01,72.5\n", "--type", ["--type", "Weight"]),
      ("type,date,duration\nrun,2026-03-01 08:00,45\n", "--duration-unit", ["--duration-unit", "min"]),
      ("was;datum;menge\nrun;01.03.2026;8.432\n", "--decimal", ["--decimal", "comma"]),
      ("type,date\nrun,3/4/2026\n", "--date-format", ["--date-format", "dmy"]),
      ("type,start,time zone\nrun,2026-03-01 08:00,Nowhere\n", "--zone", ["--zone", "Europe/Paris"]),
    ])
  func open(table: String, option: String, answer: [String]) throws {
    let bench = try Workbench()
    try bench.trendy("init")
    let file = bench.folder.appending(path: "table.csv")
    try Data(table.utf8).write(to: file)
    let refused = try bench.trendy("import", file.path)
    #expect(refused.status == 65 && refused.talk.contains(option), "\(refused.talk)")
    #expect(try bench.trendy("import", "list").output.contains("No imports yet."))
    #expect(
      try bench.run("trendy", ["import", file.path] + answer + ["--store", bench.store("store")], environment: [:])
        .status == 0)
  }
}
