import Foundation
import Testing
import TrendyModels

@Suite("trendy vehicle, trip and undo", .waitsForPrograms, .timeLimit(.minutes(10)))
struct MileageTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  @discardableResult
  private func told(_ words: String..., status: Int32 = 0) throws -> [String: JSONValue] {
    let result = try bench.run("trendy", words + ["--json", "--store", bench.store()])
    #expect(result.status == status, "\(words): \(result.talk)")
    return try result.document.objectValue ?? [:]
  }

  private func trips() throws -> [[String: JSONValue]] {
    try told("trip", "list", "--limit", "0")["trips"]?.arrayValue?.compactMap(\.objectValue) ?? []
  }

  /// Adds a half-hour trip that starts at the given hour on a day in November 2026.
  @discardableResult
  private func add(_ length: String, hour: Int, day: Int = 20, _ more: String...) throws -> String {
    let start = "2026-11-\(day)T\(hour < 10 ? "0" : "")\(hour):00:00Z"
    let result = try bench.run(
      "trendy", ["trip", "add", length, "--from", start, "--for", "30m", "--json", "--store", bench.store()] + more)
    #expect(result.status == 0, "\(result.talk)")
    return try #require(result.document.objectValue?["trip"]?.objectValue?["id"]?.stringValue)
  }

  @Test func `the first vehicle is the default until another is chosen, and undo restores it`() throws {
    try told("vehicle", "add", "Van", "--device", "bt-1", "--colour", "#7b4f2e", "--start-odometer", "1000km")
    try told("vehicle", "add", "Car")
    func isDefault() throws -> [String: Bool] {
      let vehicles = try told("vehicle", "list")["vehicles"]?.arrayValue?.compactMap(\.objectValue) ?? []
      return Dictionary(
        uniqueKeysWithValues: vehicles.map {
          ($0["name"]?.stringValue ?? "", $0["is_default"]?.boolValue ?? false)
        })
    }
    #expect(try isDefault() == ["Van": true, "Car": false])
    try told("vehicle", "edit", "car", "--default")
    #expect(try isDefault() == ["Van": false, "Car": true])
    try told("undo")
    #expect(try isDefault() == ["Van": true, "Car": false])
    try add("10km", hour: 8, day: 20, "--vehicle", "car")
    try told("vehicle", "rm", "car")
    #expect(try isDefault() == ["Van": true])
    try told("undo")
    let report = try told("trip", "report", "--month", "2026-11", "--vehicle", "car")
    #expect(report["total"]?.objectValue?["trips"] == 1)
    #expect(try isDefault() == ["Van": true, "Car": false])
    #expect(try bench.trendy("vehicle", "add", "van").status == 64)
    #expect(try bench.trendy("vehicle", "edit", "bicycle", "--default").status == 66)
  }

  @Test func `a trip is classified by rules, and a manual classification is kept`() throws {
    try told("vehicle", "add", "Van")
    // Without an office or a rule, a trip has no category.
    let unknown = try add("3km", hour: 7)
    #expect(try trips().first?["category"] == .null)
    try told("trip", "rm", unknown)
    try told("place", "add", "Office", "52.36,4.90", "--role", "office")
    let friday = try add("12km", hour: 8)
    let saturday = try add("5km", hour: 8, day: 21)
    var byID = Dictionary(uniqueKeysWithValues: try trips().map { ($0["id"]?.stringValue ?? "", $0) })
    #expect(byID[friday]?["category"] == "business")
    #expect(byID[friday]?["rule"] == "any other day")
    #expect(byID[friday]?["car"] == "Van")
    #expect(byID[saturday]?["category"] == "private")
    #expect(byID[saturday]?["rule"] == "weekend")
    try told("trip", "classify", friday, "mixed", "--business", "4km")
    try told("trip", "rule", "add", "all mine", "private")
    #expect(try told("trip", "classify")["changed"] == 1)
    byID = Dictionary(uniqueKeysWithValues: try trips().map { ($0["id"]?.stringValue ?? "", $0) })
    #expect(byID[friday]?["category"] == "mixed")
    #expect(byID[friday]?["business_distance_m"] == 4000)
    #expect(byID[saturday]?["rule"] == "all mine")
    let total = try told("trip", "report", "--month", "2026-11")["total"]?.objectValue
    #expect(total?["trips"] == 2)
    #expect(total?["total_m"] == 17_000)
    #expect(total?["business_m"] == 4000)
    #expect(total?["private_m"] == 13_000)
    #expect(try told("trip", "report", "--month", "2026-10")["total"]?.objectValue?["trips"] == 0)
    #expect(try bench.trendy("trip", "report", "--month", "2026-13").status == 64)
  }

  @Test func `split, merge and undo preserve the total distance`() throws {
    let trip = try add("20km", hour: 8)
    try told("trip", "split", trip, "2026-11-20T08:12:00Z")
    var parts = try trips()
    #expect(parts.count == 2)
    #expect(parts.compactMap { $0["distance_m"]?.doubleValue }.sorted() == [8000, 12_000])
    try told("undo")
    #expect(try trips().map { $0["id"] } == [.string(trip)])
    #expect(try trips().first?["distance_m"] == 20_000)

    let next = try add("3km", hour: 9)
    try told("trip", "merge", next, trip)
    #expect(try trips().map { $0["distance_m"] } == [23_000])
    try told("undo")
    parts = try trips()
    #expect(parts.compactMap { $0["distance_m"]?.doubleValue }.sorted() == [3000, 20_000])
    // The first trip kept its id, and the second one was restored with its previous id.
    let ids = Set([trip, next].map { JSONValue.string($0) })
    #expect(Set(parts.compactMap { $0["id"] }) == ids)

    try told("trip", "rm", trip)
    #expect(try trips().count == 1)
    try told("undo", "1")
    #expect(Set(try trips().compactMap { $0["id"] }) == ids)
    // Undoes the remaining steps. After that, there is nothing to undo.
    try told("undo", "2")
    #expect(try trips().isEmpty)
    #expect(try bench.trendy("undo").status == 1)
    try add("20km", hour: 8)
    #expect(try bench.trendy("trip", "split", "@1", "2026-11-20T20:00:00Z").status == 64)
    #expect(try bench.trendy("trip", "merge", "@1", "@1").status == 64)
  }

  @Test func `concurrent changes are all recorded, and each is undone once`() throws {
    let trip = try add("20km", hour: 8)
    let store = bench.store()
    let line =
      "for i in 1 2 3 4 5 6; do trendy vehicle add Car$i --store '\(store)' -q & pids=\"$pids $!\"; done; "
      + "for pid in $pids; do wait $pid || exit 1; done"
    let added = try bench.shell(line)
    #expect(added.status == 0, "\(added.talk)")
    let undone = try bench.shell(line.replacing("vehicle add Car$i", with: "undo"))
    #expect(undone.status == 0, "\(undone.talk)")
    #expect(try bench.trendy("vehicle", "list", "--plain").output.isEmpty)
    #expect(try trips().map { $0["id"] } == [.string(trip)])
    try told("undo")
    #expect(try trips().isEmpty)
  }

  @Test func `edits of a trip are undone in reverse order, whichever command made them`() throws {
    let trip = try add("20km", hour: 8)
    try told("trip", "edit", trip, "--distance", "21km")
    #expect(try bench.trendy("edit", trip, "-n", "by hand").status == 0)
    try told("undo")
    #expect(try trips().first?["distance_m"] == 21_000)
    try told("undo")
    #expect(try trips().first?["distance_m"] == 20_000)
    let empty = try bench.trendy("undo", store: "other")
    #expect(empty.status != 0)
  }

  @Test func `an edit of a trip as an event changes the values that follow from it`() throws {
    let trip = try add("20km", hour: 8)
    let seconds = try #require(trips().first?["duration_s"]?.doubleValue)
    #expect(try bench.trendy("edit", trip, "distance=30000").status == 0)
    let edited = try #require(trips().first)
    #expect(edited["average_speed_mps"]?.doubleValue == (30_000 / seconds * 10).rounded() / 10)
    #expect(try bench.trendy("edit", trip, "average_speed=5").status == 0)
    #expect(try trips().first?["average_speed_mps"] == 5, "a value that the user sets stays")
  }

  @Test func `the mileage log has nineteen columns with place names and odometer readings`() throws {
    try told("vehicle", "add", "Van", "--start-odometer", "1000km")
    try told("place", "add", "home", "51.9270,4.3620")
    try told("place", "add", "work", "51.9420,4.4850", "--role", "office")
    try add("9.5km", hour: 8, "--start", "home", "--end", "work", "-n", "a, \"b\"")
    try add("9.5km", hour: 17, "--start", "work", "--end", "home")
    let result = try bench.trendy("export", "mileage", "--month", "2026-11", "--utc")
    #expect(result.status == 0)
    let lines = result.output.components(separatedBy: "\r\n")
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("ID,Date,Departure,Arrival,From,To,"))
    #expect(lines[0].split(separator: ",").count == 19)
    #expect(
      lines[1].contains(
        ",2026-11-20,08:00,08:30,home,work,51.927,4.362,51.942,4.485,9.5,business,9.5,0,1000,1009.5,Van,\"a, \"\"b\"\"\","
      ))
    #expect(lines[2].contains(",work,home,"))
    #expect(lines[2].contains(",1009.5,1019,Van,"))
    // The rule for places with the role office classified the trips as business.
    #expect(try trips().allSatisfy { $0["rule"] == "office at either end" })
    let folder = bench.folder.appending(path: "logs").path
    #expect(try bench.trendy("export", "mileage", folder, "--all", "--by-vehicle").status == 0)
    #expect(try String(contentsOfFile: "\(folder)/Van.csv", encoding: .utf8).components(separatedBy: "\r\n").count == 4)
  }

  @Test func `the mileage log replaces a file only after confirmation, and a hyphen means standard output`() throws {
    try told("vehicle", "add", "Van")
    try add("9.5km", hour: 8)
    let output = try bench.trendy("export", "mileage", "-", "--all").output
    #expect(try output == bench.trendy("export", "mileage", "--all").output && output.hasPrefix("ID,Date"))
    let file = bench.folder.appending(path: "log.csv")
    let folder = bench.folder.appending(path: "logs")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (words, file) in [
      ([file.path], file), ([folder.path, "--by-vehicle"], folder.appending(path: "Van.csv")),
    ] {
      try Data("mine".utf8).write(to: file)
      let refused = try bench.run("trendy", ["export", "mileage", "--all", "--store", bench.store()] + words)
      #expect(refused.status == 73 && refused.talk.contains("To overwrite it, add --yes"), "\(refused.talk)")
      #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
      let done = try bench.run("trendy", ["export", "mileage", "--all", "--yes", "--store", bench.store()] + words)
      #expect(done.status == 0)
      #expect(try String(contentsOf: file, encoding: .utf8) == output)
    }
  }

  @Test func `odometer check compares readings with trips and ignores lower readings`() throws {
    try told("vehicle", "add", "Van")
    try told("vehicle", "odometer", "log", "van", "1000km", "--at", "2026-11-20T07:00:00Z")
    try add("100km", hour: 8)
    try told("vehicle", "odometer", "log", "van", "1101km", "--at", "2026-11-20T12:00:00Z")
    #expect(try told("vehicle", "odometer", "check", "van")["vehicles"]?.arrayValue?.count == 1)
    let back = try bench.trendy("vehicle", "odometer", "log", "van", "900km", "--at", "2026-11-20T13:00:00Z")
    #expect(back.talk.contains("ignores lower readings"))
    try told("vehicle", "odometer", "log", "van", "1200km", "--at", "2026-11-20T14:00:00Z")
    let check = try told("vehicle", "odometer", "check", status: 1)["vehicles"]?.arrayValue?.first?.objectValue
    #expect(check?["warning"] == true)
    #expect(check?["ignored"] == 1)
    #expect(check?["whole"]?.objectValue?["odometer_m"] == 200_000)
  }

  @Test func `a place simulates its crossings, and check reports missing fixes`() throws {
    try told("place", "add", "home", "51.9270,4.3620")
    let result = try told("place", "simulate", "home")
    let crossings = result["crossings"]?.arrayValue?.compactMap { $0.objectValue?["kind"]?.stringValue }
    #expect(crossings == ["enter", "exit"])
    #expect(try told("place", "simulate", "home", "--beside", "400")["crossings"] == [])
    #expect(try told("place", "simulate", "home", "--speed", "20", "--every", "60", "--stay", "0s")["crossings"] == [])
    let passing = try told("place", "simulate", "home", "--speed", "20", "--every", "17", "--stay", "0s")
    #expect(passing["crossings"]?.arrayValue?.count == 2)
    let words = try bench.trendy("place", "simulate", "home")
    #expect(words.output.contains("→ entered at"))
    #expect(words.output.contains("entry after the dwell time"))
    // No position has been recorded yet.
    let check = try told("place", "check", status: 1)
    #expect(check["findings"]?.arrayValue?.count == 1)
    #expect(try trips().isEmpty)
  }
}
