import Foundation
import Testing
import TrendyModels

@Suite("Import from trackers", .waitsForPrograms, .timeLimit(.minutes(10)))
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

  /// Checks that a file is imported only once and that undoing the import removes all of its events.
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

  @Test func `Loop habits are imported with goals and skips, and can be exported to Loop`() throws {
    let archive = try loop()
    try comesAndGoes(archive, "loop", events: 2)
    // Importing the uncompressed folder has the same result.
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

  @Test func `time sheets are imported once and can be undone`() throws {
    try comesAndGoes(
      file("2026-03.data", "inc 20260301T080000Z - 20260301T093000Z # code\ninc 20260303T080000Z # code\n"),
      "timewarrior", events: 1)
    try comesAndGoes(
      file("frames", "[[1772352000, 1772355600, \"trendy\", \"0123456789abcdef0123456789abcdef\", [], 1772355601]]"),
      "watson", events: 1)
    try comesAndGoes(
      file(
        "tasks.json",
        """
        [{"id":0,"uuid":"5b8e2f60-0000-4000-8000-000000000001","status":"completed","description":"file taxes",
        "project":"home.admin","entry":"20260201T090000Z","end":"20260301T170500Z"}]
        """), "taskwarrior", events: 1)
    try comesAndGoes(
      file(
        "aw.json",
        """
        {"buckets":{"aw-watcher-window_pc":{"id":"aw-watcher-window_pc","type":"currentwindow","events":[
        {"timestamp":"2026-03-01T08:02:00+00:00","duration":60,"data":{"app":"code","title":"b"}},
        {"timestamp":"2026-03-01T08:00:00+00:00","duration":120,"data":{"app":"code","title":"a"}}]}}}
        """), "activitywatch", events: 1)
  }

  @Test func `habits and notes in JSON are imported once and can be undone`() throws {
    try comesAndGoes(
      file(
        "habitkit.json",
        """
        {"habits":[{"id":"h1","name":"Read"}],"completions":[{"id":"c1","habitId":"h1","date":"2026-03-01T22:00:00Z",
        "timezoneOffsetInMinutes":120,"amountOfCompletions":1,"note":null}]}
        """), "habitkit", events: 1)
    try comesAndGoes(
      file(
        "nomie.json",
        """
        {"nomie":{"number":"5.6.1"},"trackers":{"tea":{"tag":"tea","type":"value"}},
        "events":[{"_id":"x1","end":"2026-02-03T07:30:00.000Z","note":"#tea(2) #walk"}]}
        """), "nomie", events: 2)
    try comesAndGoes(
      file(
        "habitica-user-data.json",
        """
        {"auth":{},"achievements":{},"tasks":{"habits":[{"_id":"h","text":"Read","up":true,"down":true,
        "history":[{"date":1772351000000,"scoredUp":2,"scoredDown":1}]}],"dailys":[],"todos":[],"rewards":[]}}
        """), "habitica-data", events: 2)
  }

  @Test func `exported JSON can be imported with its ids, types and days`() throws {
    try bench.trendy("log", "coffee", "2", "size=large", "--at", "2026-11-20T08:30:00+01:00", "-n", "a, \"b\"\nc")
    try bench.trendy("log", "journal", "--all-day", "--at", "2026-11-19")
    let out = try bench.trendy("export", "json", path("out.json"))
    #expect(out.status == 0, "\(out.talk)")
    try bench.trendy("init", store: "other")
    let first = try bench.trendy("import", path("out.json"), "--json", store: "other")
    #expect(try first.document.objectValue?["new"]?.objectValue?["event"] == 2, "\(first.talk)")
    let again = try bench.trendy("import", path("out.json"), "--json", store: "other")
    #expect(try again.document.objectValue?["new"] == .object([:]), "\(again.talk)")
    try bench.trendy("export", "json", path("again.json"), store: "other")
    #expect(
      try String(contentsOfFile: path("out.json"), encoding: .utf8)
        == String(contentsOfFile: path("again.json"), encoding: .utf8))
    // `--map` renames types during an import.
    try bench.trendy("init", store: "third")
    try bench.trendy("import", path("out.json"), "--map", "coffee=Espresso", store: "third")
    let listed = try bench.trendy("list", "--plain", store: "third").output
    #expect(listed.contains("Espresso") && !listed.contains("coffee"), "\(listed)")
  }

  @Test func `files of wearables add nothing when they are imported again`() throws {
    try file("Takeout/steps-2026-03-01.json", #"[{"dateTime":"03/01/26 08:05:00","value":"12"}]"#)
    try file("Takeout/weight.csv", "timestamp,weight grams,data source\n2026-03-01T08:00:00Z,80500,Aria\n")
    try file("Takeout/journal.txt", "[2026-03-01 08:05] A walk.\n")
    let first = try bench.trendy("import", path("Takeout"), "--json")
    #expect(try first.document.objectValue?["new"]?.objectValue?["event"] == 3, "\(first.talk)")
    let again = try bench.trendy("import", path("Takeout"), "--json")
    #expect(try again.document.objectValue?["new"] == .object([:]), "\(again.talk)")
    // The name of a single file determines its type.
    let single = try bench.trendy("import", path("Takeout/steps-2026-03-01.json"), "--json")
    #expect(try single.document.objectValue?["new"] == .object([:]), "\(single.talk)")
  }

  @Test func `help on a format explains how to export the file, what is imported and how it was verified`() throws {
    let list = try bench.trendy("help", "formats").output
    for word in ["fitbit", "gpx", "ics", "zip"] { #expect(list.contains("\n  \(word) "), "\(list)") }
    let help = try bench.trendy("help", "import", "nomie").output
    #expect(help.contains("Backup") && help.contains("#tag") && help.contains("no real file"), "\(help)")
    #expect(try bench.trendy("help", "export", "loop").output.contains("trendy export loop FILE"))
    // `import undo` is a command rather than a format.
    #expect(try bench.trendy("help", "import", "undo").output.contains("trendy import undo"))
    #expect(try bench.trendy("help", "import", "nothing").status == 64)
    try file("Pictures/a.jpg", "x")
    let none = try bench.trendy("import", path("Pictures"))
    #expect(none.status == 65 && none.talk.contains("a.jpg") && none.talk.contains("help import"), "\(none.talk)")
  }
}
