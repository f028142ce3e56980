import Foundation
import Testing
import TrendyModels

@Suite("trendy import gpx", .waitsForPrograms, .timeLimit(.minutes(10)))
struct RecordingTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  @Test(
    "counts, times and distances equal those of the file",
    arguments: [
      "gpxpy-around-visnjan-with-car", "gpxpy-cerknicko-jezero", "gpxpy-cerknicko-without-times",
      "gpxpy-korita-zbevnica", "gpxpy-mojstrovka", "movingpandas-bus-304", "opentracks-pause-resume",
      "opentracks-timezone",
    ])
  func tells(name: String) throws {
    let table = try WireJSON.decode(
      [String: JSONValue].self, from: Data(contentsOf: Samples.recordings.appending(path: "expect.json")))
    let expected = try #require(table["\(name).gpx"]?.objectValue)
    let path = Samples.recordings.appending(path: "\(name).gpx").path
    let result = try bench.trendy("import", path, "--dry-run", "--json")
    let file = try #require(result.document.objectValue?["file"]?.objectValue)
    for (told, key) in [
      ("tracks", "tracks"), ("segments", "segments"), ("points", "points"),
      ("points_with_time", "points_with_time"), ("waypoints", "waypoints"),
    ] {
      #expect(file[told] == expected[key], "\(told)")
    }
    if let length = expected["length_m"]?.doubleValue, length > 0 {
      let told = try #require(file["length_m"]?.doubleValue)
      #expect(abs(told - length) / length < 0.001, "\(told) m, not \(length) m")
    }
    func moment(_ value: JSONValue?) -> Date? { value?.stringValue.flatMap { RFC3339.date(from: $0) } }
    for end in ["first", "last"] {
      // Times have millisecond precision.
      let told = try #require(moment(file[end])).timeIntervalSince1970
      #expect(abs(told - (try #require(moment(expected[end])).timeIntervalSince1970)) < 0.001, "\(end)")
    }
  }

  @Test func `a track without times is listed, is not a trip, and is reported`() throws {
    let path = Samples.recordings.appending(path: "gpxpy-cerknicko-without-times.gpx").path
    let result = try bench.trendy("import", "gpx", path)
    // The positions in the file that have times are stored.
    #expect(result.status == 0)
    #expect(result.output.contains("8 tracks, 296 points"))
    #expect(result.talk.contains("have no time"))
    #expect(try bench.trendy("trip", "list", "--plain").output == "")
  }

  @Test func `track detect finds trips in files and folders, keyed by track name, without recording them`() throws {
    let folder = bench.folder.appending(path: "tracks")
    let drive = try Data(contentsOf: Samples.drive)
    for (path, data) in [
      ("morning/track.csv", Data("t,lat,lon\n1416303476,-10.9,-37.05\n".utf8)), ("morning/track.gpx", drive),
      ("evening.gpx", drive), ("samples/other.gpx", drive), ("licences/a.txt", Data("words".utf8)),
      ("truth.json", Data("{}".utf8)), ("README.md", Data("words".utf8)),
    ] {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
    }
    let result = try bench.run("trendy", ["track", "detect", folder.path, "--json", "--utc"])
    #expect(result.status == 0)
    #expect(result.talk.contains("Skipped README.md"))
    let tracks = try #require(result.document.objectValue)
    #expect(tracks.keys.sorted() == ["evening", "morning"])
    #expect(tracks["morning"] == [])
    let trip = try #require(tracks["evening"]?.arrayValue?.first?.objectValue)
    #expect(trip.keys.sorted() == ["distance_m", "end", "legs", "mode", "start"])
    #expect(abs((trip["distance_m"]?.doubleValue ?? 0) - 7448) < 7448 * 0.02)
    #expect(try bench.trendy("trip", "list", "--plain").output == "")
    #expect(try bench.run("trendy", ["track", "detect", folder.appending(path: "README.md").path]).status == 65)
    #expect(try bench.run("trendy", ["track", "detect", folder.appending(path: "none").path]).status == 66)
  }

  @Test func `a drive is detected as the same trip in every format`() throws {
    let folder = Samples.forms
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".md") }
      .sorted()
    #expect(files.count == 7)
    func moment(_ trip: [String: JSONValue]?, _ end: String) throws -> Date {
      try #require(trip?[end]?.stringValue.flatMap { RFC3339.date(from: $0) })
    }
    for file in files {
      // The distance is 1518 m between positions, plus the parts that were cut off between positions 89 s apart. GPX
      // and NMEA files contain neither accuracy nor motion data.
      let result = try bench.run("trendy", ["track", "detect", folder.appending(path: file).path, "--json", "--utc"])
      let trips = try result.document.objectValue?.values.first?.arrayValue?.compactMap(\.objectValue) ?? []
      try #require(trips.count == 1, "\(file): \(result.output)\(result.talk)")
      let start = try moment(trips[0], "start").timeIntervalSince(RFC3339.date(from: "2016-02-22T23:33:04.551Z")!)
      let end = try moment(trips[0], "end").timeIntervalSince(RFC3339.date(from: "2016-02-22T23:37:12Z")!)
      #expect(abs(start) <= 1 && abs(end) <= 1, "\(file): \(start) s, \(end) s")
      #expect(
        abs((trips[0]["distance_m"]?.doubleValue ?? 0) - 1592) < 15 && trips[0]["mode"] == "automotive", "\(file)")
    }
  }

  @Test(
    "a drive imported in several formats in any order stays one trip",
    arguments: [["track.gpx", "owntracks.jsonl", "track.csv", "track.nmea"], ["owntracks.rec", "track.geojson"]])
  func oneTrip(files: [String]) throws {
    for (number, file) in files.enumerated() {
      let path = Samples.forms.appending(path: file).path
      let dryRun = try bench.trendy("import", path, "--dry-run", "--json").document.objectValue
      let trips = try #require(try imported(path)["trips"]?.objectValue)
      #expect(trips["new"] == (number == 0 ? 1 : 0) && trips["found"]?.arrayValue?.count == 1, "\(file)")
      #expect(dryRun?["trips"]?.objectValue?["new"] == trips["new"], "\(file)")
      #expect(try self.trips().count == 1, "\(file)")
    }
    #expect(try bench.trendy("trip", "rm", "@1").status == 0)
    let again = try bench.trendy("import", Samples.forms.appending(path: "overland.json").path)
    #expect(again.output.contains("undone after an earlier import: 1"), "\(again.output)\(again.talk)")
    #expect(try trips().isEmpty)
  }

  @Test func `a drive is detected as one trip, and a bus ride as another`() throws {
    for name in ["gpxpy-around-visnjan-with-car", "movingpandas-bus-304"] {
      let path = Samples.recordings.appending(path: "\(name).gpx").path
      #expect(try bench.trendy("import", "gpx", path).status == 0)
    }
    let trips = try bench.trendy("trip", "list", "--json").document.objectValue?["trips"]?.arrayValue ?? []
    let distances = trips.compactMap { $0.objectValue?["distance_m"]?.doubleValue }
    #expect(distances.count == 2)
    // The newest trip is first. The tracks in the files are 2,736 m and 14,217 m long.
    #expect(abs((distances.first ?? 0) - 2736) < 2736 * 0.03)
    #expect(abs((distances.last ?? 0) - 14_217) < 14_217 * 0.02)
  }

  private func imported(_ path: String) throws -> [String: JSONValue] {
    let result = try bench.trendy("import", path, "--json", "--utc")
    return try #require(try result.document.objectValue, "\(result.talk)")
  }

  private func trips() throws -> [[String: JSONValue]] {
    let list = try bench.trendy("trip", "list", "--json", "--utc").document.objectValue?["trips"]
    return (list?.arrayValue ?? []).compactMap(\.objectValue)
  }

  private func count(_ document: [String: JSONValue], _ what: String, _ key: String) -> Int64? {
    document[what]?.objectValue?[key]?.intValue
  }

  @Test func `an imported drive is stored, explained, recomputed without changes, and known the second time`() throws {
    let path = Samples.drive.path
    let first = try imported(path)
    #expect(count(first, "trips", "new") == 1)
    let fixes = try #require(count(first, "fixes", "new"))
    #expect(fixes > 100 && count(first, "fixes", "known") == 0)
    let trips = try trips()
    let id = try #require(trips.first?["id"]?.stringValue)
    let again = try bench.trendy("trip", "recompute")
    #expect(again.status == 0 && again.output.contains("No changes"), "\(again.output)\(again.talk)")
    let second = try imported(path)
    #expect(count(second, "trips", "new") == 0 && count(second, "trips", "known") == 1)
    #expect(count(second, "fixes", "new") == 0 && count(second, "fixes", "known") == fixes)
    #expect(try self.trips() == trips)
    let told = try bench.trendy("trip", "explain", id, "--utc")
    #expect(told.output.contains("Departed:") && told.output.contains("recording 2014-11-18T09:"))
    // A place that is added later also applies to positions imported before.
    let end = try #require(
      second["trips"]?.objectValue?["found"]?.arrayValue?.first?.objectValue.map {
        "\($0["end_latitude"]?.doubleValue ?? 0),\($0["end_longitude"]?.doubleValue ?? 0)"
      })
    #expect(try bench.trendy("place", "add", "office", end, "--radius", "150").status == 0)
    let seen = try bench.trendy("trip", "recompute", "--json").document.objectValue
    #expect(seen?["created"]?.arrayValue?.count == 1 && seen?["deleted"] == [], "\(String(describing: seen))")
    // A trip that the user deleted is not detected again.
    #expect(try bench.trendy("rm", id).status == 0)
    try bench.trendy("trip", "recompute")
    let third = try imported(path)
    #expect(count(third, "trips", "new") == 0 && count(third, "trips", "known") == 1)
    #expect(third["trips"]?.objectValue?["found"] == [])
    #expect(try self.trips().isEmpty)
  }

  @Test("an import by a version without a track log is neither duplicated nor restored", arguments: [false, true])
  func knowsEarlierImports(isDeleted: Bool) throws {
    let path = Samples.drive.path
    _ = try imported(path)
    let trips = try trips()
    // Earlier versions stored only the events and no positions.
    try FileManager.default.removeItem(at: URL(filePath: bench.store()).appending(path: "tracks"))
    if isDeleted { try bench.trendy("rm", try #require(trips.first?["id"]?.stringValue)) }
    let again = try imported(path)
    #expect(count(again, "trips", "new") == 0 && count(again, "trips", "known") == 1)
    #expect(count(again, "fixes", "new") ?? 0 > 100)
    #expect(try self.trips() == (isDeleted ? [] : trips))
    #expect(try bench.trendy("trip", "recompute", "--json").document.objectValue?["created"] == [])
    #expect(try self.trips() == (isDeleted ? [] : trips))
  }

  @Test func `an imported track that ends now is a completed trip, not a running one`() throws {
    let now = Date().timeIntervalSince1970.rounded()
    let points = stride(from: -600.0, through: 0, by: 10).map { second in
      let time = RFC3339.string(from: Date(timeIntervalSince1970: now + second))
      return #"<trkpt lat="\#(52 + (second + 600) * 15 / 111_250)" lon="4"><time>\#(time)</time></trkpt>"#
    }
    let file = bench.folder.appending(path: "now.gpx")
    try Data("<gpx version=\"1.1\"><trk><trkseg>\(points.joined())</trkseg></trk></gpx>".utf8).write(to: file)
    let document = try imported(file.path)
    #expect(count(document, "trips", "new") == 1)
    #expect(try trips().count == 1)
    #expect(try bench.trendy("trip", "show", "--live", "--json").document.objectValue?["trip"] == .null)
    let late = bench.folder.appending(path: "late.csv")
    try Data("time,lat,lon\n\(Int(now)),52,4\n\(Int(now) + 200_000),52,5\n".utf8).write(to: late)
    let refused = try imported(late.path)["problems"]?.arrayValue
    #expect(refused?.first?.stringValue?.contains("more than a day ahead") == true)
  }
}
