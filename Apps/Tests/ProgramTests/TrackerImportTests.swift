import Foundation
import Testing
import TrendyModels

/// A person comes from another tracker, and may go back to it.
@Suite("Import from trackers", .timeLimit(.minutes(10)))
struct TrackerImportTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  private func path(_ name: String) -> String { bench.folder.appending(path: name).path }

  @discardableResult
  private func file(_ name: String, _ text: String) throws -> String {
    try FileManager.default.createDirectory(
      at: URL(filePath: path(name)).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path(name)))
    return path(name)
  }

  private func count(store: String = "store") throws -> Int {
    try bench.trendy("list", "--limit", "0", "--plain", store: store).output.split(separator: "\n").count
  }

  /// Comes in, adds nothing the second time, and is taken back whole.
  private func comesAndGoes(_ path: String, _ format: String, events: Int64) throws {
    let first = try bench.trendy("import", path, "--json")
    #expect(try first.document.objectValue?["format"] == .string(format), "\(first.talk)")
    #expect(try first.document.objectValue?["new"]?.objectValue?["event"] == .int(events), "\(first.talk)")
    let again = try bench.trendy("import", path, "--json")
    #expect(try again.document.objectValue?["new"] == .object([:]), "\(again.talk)")
    #expect(try count() == Int(events))
    let id = try bench.trendy("import", "list", "--plain").output.split(separator: "\t").first.map(String.init)
    try bench.trendy("import", "undo", try #require(id))
    #expect(try count() == 0)
  }

  private func loop() throws -> String {
    try file(
      "loop/Habits.csv",
      """
      Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,Unit,Target Type,Target Value,Archived?
      001,Meditate,YES_NO,,,3,7,#FF8F00,,,,false
      002,"Pages, read",NUMERICAL,,,1,1,#C2185B,pages,AT_LEAST,20.0,false

      """)
    try file(
      "loop/001 Meditate/Checkmarks.csv",
      "Date,Value,Notes\n2026-03-03,YES_AUTO,\n2026-03-02,YES_MANUAL,calm\n2026-03-01,SKIP,at sea\n")
    try file("loop/002 Pages read/Checkmarks.csv", "Date,Value,Notes\n2026-03-02,12500,\n2026-03-01,UNKNOWN,\n")
    _ = try bench.shell(
      "cd '\(bench.folder.path)'; python3 -c 'import shutil; shutil.make_archive(\"loop\", \"zip\", \"loop\")'")
    return path("loop.zip")
  }

  @Test func `habits of Loop come with goals and days off, and go back to Loop`() throws {
    let archive = try loop()
    try comesAndGoes(archive, "loop", events: 2)
    // From its folder as well.
    try comesAndGoes(path("loop"), "loop", events: 2)
    try bench.trendy("init", store: "mine")
    let mapped = try bench.trendy("import", archive, "--map", "meditate=Sitting", store: "mine")
    #expect(mapped.status == 0, "\(mapped.talk)")
    let types = try bench.trendy("type", "list", store: "mine").output
    #expect(types.contains("Sitting") && !types.contains("Meditate"), "\(types)")
    try bench.trendy("log", "Sitting", "--at", "2026-03-04T22:00:00", "-n", "late, \"so\"", store: "mine")
    try bench.trendy("log", "Sitting", "--at", "2026-03-05T10:00:00", store: "mine")
    let out = try bench.trendy("export", "loop", path("out.zip"), store: "mine")
    #expect(out.status == 0, "\(out.talk)")
    let back = try bench.trendy("init", store: "other")
    #expect(back.status == 0)
    let taken = try bench.trendy("import", path("out.zip"), "--json", store: "other")
    #expect(try taken.document.objectValue?["new"]?.objectValue?["event"] == 4, "\(taken.talk)")
    #expect(try taken.document.objectValue?["new"]?.objectValue?["skip"] == 1, "\(taken.talk)")
    try bench.trendy("export", "loop", path("again.zip"), store: "other")
    #expect(try Data(contentsOf: URL(filePath: path("out.zip"))) == Data(contentsOf: URL(filePath: path("again.zip"))))
    let days = try bench.shell("cd '\(bench.folder.path)'; unzip -p out.zip '*Sitting/Checkmarks.csv'").output
    #expect(days.contains("2026-03-04,YES_MANUAL,\"late, \"\"so\"\"\"") && days.contains("2026-03-05,"), "\(days)")
    #expect(try bench.trendy("export", "loop").status == 64)
  }
}
