import Foundation
import Testing
import TrendyModels

@Suite("Import and export", .waitsForPrograms, .timeLimit(.minutes(10)))
struct InterchangeTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  private func path(_ name: String) -> String { bench.folder.appending(path: name).path }

  @discardableResult
  private func file(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
    return path(name)
  }

  private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  /// Returns the lines of `trendy list`, newest first.
  private func listed(store: String = "store") throws -> [String] {
    try bench.trendy("list", "--plain", store: store).output.split(separator: "\n").map(String.init)
  }

  @Test func `integers keep all digits on devices, at the hub and in files`() throws {
    let (number, largest) = ("9007199254740993", "-9223372036854775807")
    let hub = try TestHub(bench)
    try hub.connect("phone", "laptop")
    try bench.trendy("type", "add", "Ride", store: "phone")
    for key in ["n", "m"] { try bench.trendy("type", "prop", "add", "Ride", key, "--kind", "number", store: "phone") }
    try bench.trendy("log", "Ride", "n=\(number)", "m=\(largest)", store: "phone")
    for device in ["phone", "laptop"] { try bench.trendy("sync", store: device) }
    hub.stop()
    func hasDigits(_ text: String) -> Bool { text.contains(number) && text.contains(largest) }
    #expect(try hasDigits(bench.trendy("list", "--json", store: "laptop").output))
    for name in ["csv", "ndjson"] {
      let (file, store) = ("digits.\(name)", "from-\(name)")
      try bench.trendy("export", name, path(file), store: "laptop")
      #expect(try hasDigits(text(file)), "\(name)")
      try bench.trendy("init", store: store)
      let imported = try bench.trendy("import", path(file), store: store)
      #expect(imported.status == 0, "\(imported.output)\(imported.talk)")
      #expect(try hasDigits(bench.trendy("list", "--json", store: store).output), "\(name)")
    }
    // A number with more than 64 bits is probably an identifier and is stored as text.
    let table = try file("ids.csv", "type,start,code\nRide,2026-01-02T08:00:00Z,12345678901234567890\n")
    try bench.trendy("init", store: "ids")
    try bench.trendy("import", table, store: "ids")
    #expect(try bench.trendy("list", "--json", store: "ids").output.contains("12345678901234567890"))
  }

  @Test func `a lossless export imported into an empty store exports the same bytes again`() throws {
    let note = "two\nlines, \"quoted\" and ☕"
    for words in [
      ["log", "coffee", "2", "size=large", "-n", note], ["log", "journal", "--all-day"], ["start", "workout"],
      ["type", "add", "Ride", "--color", "#123456"], ["type", "prop", "add", "Ride", "due", "--kind", "date"],
      ["log", "Ride", "due=2026-01-02", "--from", "2026-01-02T08:00:00+01:00", "--for", "30m"],
      ["type", "edit", "Ride", "--goal", "3/week"],
      ["place", "add", "Home", "51.9270,4.3620"], ["vehicle", "add", "Van", "--device", "bt"],
      ["vehicle", "odometer", "log", "Van", "48210km"], ["type", "add", "Pulse", "--goal", "at most 2/day"],
      ["trip", "rule", "add", "all mine", "private"], ["skip", "coffee"],
      ["config", "set", "week_starts_on", "sunday"],
      ["import", Samples.drive.path], ["rm", "@1"],
    ] {
      let result = try bench.run("trendy", words + ["--store", bench.store()])
      #expect(result.status == 0, "\(words): \(result.talk)")
    }
    // A detected trip that was deleted must not be detected again from imported positions.
    let trips = try bench.trendy("trip", "list", "--plain").output
    if let trip = trips.split(separator: "\t").first { try bench.trendy("trip", "rm", String(trip), "--yes") }
    let out = try bench.trendy("export", "ndjson", path("a.ndjson"))
    #expect(out.status == 0, "\(out.talk)")
    let back = try bench.trendy("import", path("a.ndjson"), store: "fresh")
    #expect(back.status == 0, "\(back.talk)")
    try bench.trendy("trip", "recompute", store: "fresh")
    try bench.trendy("export", "ndjson", path("b.ndjson"), store: "fresh")
    #expect(try text("a.ndjson") == text("b.ndjson"))
    let kinds = Set(
      try text("a.ndjson").split(separator: "\n").compactMap { line in
        try WireJSON.decode(JSONValue.self, from: Data(line.utf8)).objectValue?["record"]?.stringValue
      })
    #expect(
      kinds.isSuperset(of: [
        "event_type", "property_definition", "geofence", "event", "vehicle", "trip_rule", "setting", "skip", "fix",
      ]), "\(kinds)")
    #expect(try listed() == listed(store: "fresh"))
  }

  @Test func `a table is imported once, and undo removes it except for edited events`() throws {
    let table = try file("gym.csv", "habit,date,minutes\ngym,2026-01-02,30\ngym,2026-01-03,45\ngym,2026-01-03,45\n")
    let dry = try bench.trendy("import", table, "--dry-run")
    #expect(dry.status == 0 && dry.output.contains("3 events"), "\(dry.talk)")
    #expect(try listed().isEmpty)
    let first = try bench.trendy("import", table, "--map", "gym=workout", "--json")
    #expect(try first.document.objectValue?["new"]?.objectValue?["event"] == 3, "\(first.talk)")
    let again = try bench.trendy("import", table, "--map", "gym=workout", "--json")
    #expect(try again.document.objectValue?["known"] == 3, "\(again.talk)")
    #expect(try listed().count == 3)
    let edited = try #require(try listed().first?.split(separator: "\t").first.map(String.init))
    try bench.trendy("edit", edited, "--note", "mine")
    let id = try #require(
      try bench.trendy("import", "list", "--plain").output.split(separator: "\t").first.map(String.init))
    let undone = try bench.trendy("import", "undo", id, "--json")
    #expect(try undone.document.objectValue?["left"] == .array([.string(edited)]), "\(undone.talk)")
    #expect(try listed().count == 1)
    #expect(try bench.trendy("import", "undo", id).status == 1)
    // The whole import was undone, so repeating it imports the events again.
    try bench.trendy("import", table, "--map", "gym=workout")
    #expect(try listed().count == 3)
  }

  @Test func `a table with unknown headers is read with the mapping that the user gives`() throws {
    let table = try file("odd.csv", "Quand;Quoi;Combien\n02/01/2026 08:30;vélo;12,5\n15/01/2026 09:00;vélo;3\n")
    let refused = try bench.trendy("import", table)
    #expect(refused.status == 65 && refused.talk.contains("--map type=COLUMN --map start=COLUMN"), "\(refused.talk)")
    #expect(refused.talk.contains("Quand, Quoi, Combien") && !refused.talk.contains("track"), "\(refused.talk)")
    let wrong = try bench.trendy("import", table, "--map", "start=Quand", "--map", "type=Quo")
    #expect(wrong.status == 65 && wrong.talk.contains("column 'Quo' not found"), "\(wrong.talk)")
    try bench.trendy("import", table, "--map", "start=Quand", "--map", "type=Quoi")
    let events = try listed()
    #expect(events.count == 2 && events.allSatisfy { $0.contains("vélo") }, "\(events)")
    #expect(events.contains { $0.contains("Combien=12.5") && $0.contains("2026-01-02T08:30") }, "\(events)")
  }

  @Test func `a database file is rejected, with a hint on how to export from its program`() throws {
    let database = try file("loop.db", "SQLite format 3\u{0}  CREATE TABLE Repetitions (id integer)")
    let refused = try bench.trendy("import", database)
    #expect(refused.status == 65 && refused.talk.contains("database of Loop") && refused.talk.contains("Export as CSV"))
  }

  @Test func `an import that was undone can be repeated with the types it created`() throws {
    let table = try file("gym.csv", "habit,date\nclimbing,2026-01-02\nclimbing,2026-01-03\n")
    for _ in 0..<2 {
      try bench.trendy("import", table)
      #expect(try listed().count == 2)
      let id = try bench.trendy("import", "list", "--plain").output.split(separator: "\t").first.map(String.init)
      try bench.trendy("import", "undo", try #require(id))
      #expect(try listed().isEmpty)
    }
  }

  @Test func `a backup contains the import history, and the restored store can undo its imports`() throws {
    let table = try file("gym.csv", "habit,date\ngym,2026-01-02\ngym,2026-01-03\n")
    try bench.trendy("import", table)
    let kept = try bench.trendy("import", "list", "--plain").output
    try bench.trendy("backup", path("all.backup"))
    let restored = try bench.trendy("restore", path("all.backup"), store: "elsewhere")
    #expect(restored.status == 0, "\(restored.talk)")
    #expect(
      try bench.trendy("import", "list", "--plain", store: "elsewhere").output == kept && kept.contains("\tdone\t"))
    // Repeating the import in the restored store adds nothing.
    try bench.trendy("import", table, store: "elsewhere")
    #expect(try listed(store: "elsewhere").count == 2)
    let id = try #require(kept.split(separator: "\t").first.map(String.init))
    let undone = try bench.trendy("import", "undo", id, store: "elsewhere")
    #expect(undone.status == 0, "\(undone.talk)")
    #expect(try listed(store: "elsewhere").isEmpty)
  }

  @Test func `a vehicle's track export reports trips without fixes, and its table contains all trips`() throws {
    try bench.trendy("vehicle", "add", "Van")
    try bench.trendy("vehicle", "add", "Bicycle")
    try bench.trendy("import", Samples.drive.path)
    let found = try #require(
      try bench.trendy("trip", "list", "--plain").output.split(separator: "\t").first.map(String.init))
    try bench.trendy("trip", "edit", found, "--vehicle", "Van")
    let whole = try bench.trendy("export", "gpx", "--vehicle", "Van", path("van.gpx"), "--json")
    #expect(whole.talk.isEmpty, "\(whole.talk)")
    #expect(try whole.document["trips_without_fixes"] == 0 && whole.document["records"]?.intValue ?? 0 > 10)
    for day in ["2026-03-01", "2026-03-02"] {
      let added = try bench.trendy(
        "trip", "add", "12km", "--from", "\(day)T08:00:00Z", "--for", "30m", "--vehicle", "Van")
      #expect(added.status == 0, "\(added.talk)")
    }
    let part = try bench.trendy("export", "gpx", "--vehicle", "Van", path("van.gpx"), "--yes")
    #expect(
      part.status == 0 && part.talk.contains("2 of 3 trips with 'Van' have no recorded positions on this device"),
      "\(part.talk)")
    let none = try bench.trendy("export", "gpx", "--vehicle", "Bicycle")
    #expect(none.status == 0 && none.talk.contains("No trips with 'Bicycle'"), "\(none.talk)")
    #expect(try bench.trendy("export", "csv", "--vehicle", "Van").output.split(separator: "\r\n").count == 4)
    #expect(try bench.trendy("export", "csv", "--vehicle", "Bicycle").output.split(separator: "\r\n").count == 1)
    let day = try bench.trendy("export", "json", "--day", "2026-03-01", "--vehicle", "Van").document
    #expect(day.arrayValue?.count == 1, "\(day)")
    // An option that does not apply to a format is rejected rather than ignored.
    for words in [
      ["gpx", "--all", "--type", "coffee"], ["gpx", "--trip", found, "--day", "today"],
      ["csv", "--day", "today", "--since", "7d"], ["ndjson", "--day", "today"], ["csv", "--trip", found],
    ] {
      #expect(try bench.run("trendy", ["export"] + words + ["--store", bench.store()]).status == 64, "\(words)")
    }
  }

  @Test func `an event that the user deleted is not imported again`() throws {
    let table = try file("gym.csv", "habit,date\ngym,2026-01-02\ngym,2026-01-03\n")
    try bench.trendy("import", table)
    try bench.trendy("rm", "@1", "--yes")
    try bench.trendy("import", table)
    #expect(try listed().count == 1)
  }

  @Test func `a killed import resumes with the same command as a single import`() throws {
    // The import takes more than one save. The file is NDJSON rather than a table, which would be read completely
    // before the first save.
    let type = "{\"record\":\"event_type\",\"id\":\"t\",\"name\":\"run\",\"color\":\"#000000\",\"icon\":\"x\"}\n"
    let rows = (0..<70_000).map { index in
      let time = RFC3339.string(from: Date(timeIntervalSince1970: 1_700_000_000 + Double(index * 60)))
      return "{\"record\":\"event\",\"id\":\"e\(index)\",\"event_type_id\":\"t\",\"timestamp\":\"\(time)\"}\n"
    }
    let table = try file("runs.ndjson", type + rows.joined())
    // The input stays open after the last row. The import is killed after its first save, while it waits for more
    // input.
    let program = "'\(Workbench.path("trendy"))'"
    _ = try bench.shell(
      """
      cd '\(bench.folder.path)'; export TRENDY_STORE='\(bench.store())'; mkfifo pipe
      \(program) import - < pipe & pid=$!
      exec 3> pipe; cat '\(table)' >&3
      until \(program) status | grep -q 'Contents: 6.... events'; do sleep 0.1; done
      kill -9 $pid; exec 3>&-
      """)
    let kept = try bench.trendy("status")
    #expect(kept.output.contains("Contents: 6"), "\(kept.output)")
    #expect(try bench.trendy("import", "list", "--plain").output.contains("\tinterrupted\t"))
    let again = try bench.shell("cat '\(table)' | TRENDY_STORE='\(bench.store())' \(program) import -")
    #expect(again.status == 0, "\(again.talk)")
    let whole = try bench.trendy("status")
    #expect(whole.output.contains("Contents: 70000 events"), "\(whole.output)")
    let imports = try bench.trendy("import", "list", "--plain").output.split(separator: "\n")
    #expect(imports.count == 1 && imports[0].contains("\tdone\t"), "\(imports)")
    let id = try #require(imports[0].split(separator: "\t").first.map(String.init))
    try bench.trendy("import", "undo", id)
    #expect(try listed().isEmpty)
  }

  @Test func `an exported table can be imported with its ids, zones and days`() throws {
    try bench.trendy("log", "coffee", "2", "size=large", "--at", "2026-11-20T08:30:00+01:00", "-n", "a, \"b\"\nc")
    try bench.trendy("log", "journal", "--all-day", "--at", "2026-11-19")
    let out = try bench.trendy("export", "csv", path("out.csv"))
    #expect(out.status == 0, "\(out.talk)")
    try bench.trendy("init", store: "other")
    try bench.trendy("import", path("out.csv"), store: "other")
    #expect(try listed() == listed(store: "other"))
    try bench.trendy("export", "csv", path("again.csv"), store: "other")
    #expect(try text("out.csv") == text("again.csv"))
    let array = try bench.trendy("export", "json", "--type", "coffee").output
    let events = try #require(try WireJSON.decode(JSONValue.self, from: Data(array.utf8)).arrayValue)
    #expect(events.first?.objectValue?["event_type"]?.objectValue?["name"] == "coffee")
    // An existing file is replaced only with `--yes`.
    #expect(try bench.trendy("export", "csv", path("out.csv")).status == 73)
    #expect(try bench.trendy("export", "csv", path("out.csv"), "--yes").status == 0)
  }

  @Test func `an import without a usable record fails and reports what the file contains`() throws {
    let table = try file("gym.csv", "habit,date\ngym,someday\n")
    let bad = try bench.trendy("import", table)
    #expect(bad.status == 65 && bad.talk.contains("someday"), "\(bad.talk)")
    let other = try bench.trendy("import", try file("no.txt", "hello\n"))
    #expect(other.status == 65 && other.talk.contains("plain text"), "\(other.talk)")
    let ambiguous = try bench.trendy("import", try file("us.csv", "habit,date\ngym,3/4/2026\n"))
    #expect(ambiguous.status == 65 && ambiguous.talk.contains("--date-format"), "\(ambiguous.talk)")
    #expect(try bench.trendy("import", path("us.csv"), "--date-format", "mdy", "--since", "2026-04-01").status == 65)
    #expect(try bench.trendy("import", "daylio", path("us.csv")).status == 65)
    #expect(try bench.trendy("import", "none", path("us.csv")).status == 64)
  }

  // MARK: Archives and folders

  private static let health = """
    <?xml version="1.0" encoding="UTF-8"?>
    <HealthData locale="en_NL">
     <Record type="HKQuantityTypeIdentifierStepCount" sourceName="iPhone" device="name:iPhone" unit="count" \
    startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 08:10:00 +0100" value="900"/>
     <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" device="name:Apple Watch" unit="count" \
    startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 08:10:00 +0100" value="1000"/>
     <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" sourceName="Watch" \
    startDate="2026-03-01 07:00:00 +0100" endDate="2026-03-01 07:30:00 +0100">
      <WorkoutRoute sourceName="Watch" startDate="2026-03-01 07:00:00 +0100" endDate="2026-03-01 07:30:00 +0100">
       <FileReference path="/workout-routes/route.gpx"/>
      </WorkoutRoute>
     </Workout>
    </HealthData>
    """
  private static let route = """
    <gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
    <trkpt lat="52.1" lon="5.1"><time>2026-03-01T06:00:00Z</time></trkpt>
    <trkpt lat="52.11" lon="5.1"><time>2026-03-01T06:10:00Z</time></trkpt>
    <trkpt lat="52.12" lon="5.1"><time>2026-03-01T06:20:00Z</time></trkpt>
    </trkseg></trk></gpx>
    """

  @Test func `a health archive imports the same events as a file, a pipe and a folder, and can be undone`() throws {
    let folder = bench.folder.appending(path: "apple_health_export/workout-routes")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try file("apple_health_export/eksport.xml", Self.health)
    try file("apple_health_export/workout-routes/route.gpx", Self.route)
    _ = try bench.shell(
      "cd '\(bench.folder.path)'; python3 -c 'import shutil; shutil.make_archive(\"export\", \"zip\", \".\", \"apple_health_export\")'"
    )
    let dry = try bench.trendy("import", path("export.zip"), "--dry-run")
    #expect(dry.status == 0 && dry.output.contains("2 events"), "\(dry.talk)")
    #expect(try listed().isEmpty)
    let first = try bench.trendy("import", path("export.zip"), "--json")
    #expect(try first.document.objectValue?["new"]?.objectValue?["event"] == 2, "\(first.talk)")
    let events = try bench.trendy("export", "csv").output
    // Only the steps counted by the watch are imported. The straight route is reduced to its end points.
    #expect(events.contains(",1000") && !events.contains("1900"), "\(events)")
    #expect(events.contains("_x~|H_bc^_|B?"), "\(events)")
    for command in [
      "cat export.zip | \(Workbench.path("trendy")) import - --json",
      "\(Workbench.path("trendy")) import apple_health_export --json",
      "gzip -c apple_health_export/eksport.xml | \(Workbench.path("trendy")) import apple-health - --json",
    ] {
      let again = try bench.shell("cd '\(bench.folder.path)'; export TRENDY_STORE='\(bench.store())'; \(command)")
      #expect(try again.document.objectValue?["new"]?.objectValue?["event"] == nil, "\(again.talk)")
      #expect(try again.document.objectValue?["known"]?.intValue ?? 0 > 0, "\(again.talk)")
    }
    let id = try bench.trendy("import", "list", "--plain").output.split(separator: "\t").first.map(String.init)
    try bench.trendy("import", "undo", try #require(id))
    #expect(try listed().isEmpty)
  }

  @Test func `an archive with several formats is imported completely, and one with none reports its content`() throws {
    try FileManager.default.createDirectory(
      at: bench.folder.appending(path: "Takeout/Photos"), withIntermediateDirectories: true)
    try file("Takeout/Photos/a.txt", "a photo")
    let none = try bench.trendy("import", path("Takeout"))
    #expect(none.status == 65 && none.talk.contains("a.txt"), "\(none.talk)")
    try file("Takeout/gym.csv", "habit,date\ngym,2026-01-02\n")
    try FileManager.default.copyItem(at: Samples.drive, to: URL(filePath: path("Takeout/drive.gpx")))
    let both = try bench.trendy("import", path("Takeout"), "--json")
    #expect(both.status == 0, "\(both.talk)")
    let answer = try #require(try both.document.objectValue)
    #expect(answer["new"]?.objectValue?["event"] == 1, "\(both.output)")
    #expect(answer["found"]?.intValue ?? 0 > 0, "\(both.output)")
    #expect(answer["skipped"]?.objectValue?.values.first == 1, "\(both.output)")
  }
}
