import Foundation
import Testing
import TrendyModels

/// Files as real programs wrote them, through the whole way from the file to what a person is told.
@Suite("trendy import gpx", .timeLimit(.minutes(10)))
struct RecordingTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  @Test(
    "counts, times and lengths are those of the file",
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
      // Written to the millisecond.
      let told = try #require(moment(file[end])).timeIntervalSince1970
      #expect(abs(told - (try #require(moment(expected[end])).timeIntervalSince1970)) < 0.001, "\(end)")
    }
  }

  @Test func `a track without times is listed, is no trip, and it says so`() throws {
    let path = Samples.recordings.appending(path: "gpxpy-cerknicko-without-times.gpx").path
    let result = try bench.trendy("import", "gpx", path)
    #expect(result.status == 65)
    #expect(result.output.contains("8 tracks, 296 points"))
    #expect(result.talk.contains("have no time"))
    #expect(try bench.trendy("trip", "list", "--plain").output == "")
  }

  @Test func `trips are found in files and folders, by the names of the tracks, and nothing is recorded`() throws {
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
    #expect(result.talk.contains("Passed over README.md"))
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

  @Test func `a drive among them is one trip, a bus ride another`() throws {
    for name in ["gpxpy-around-visnjan-with-car", "movingpandas-bus-304"] {
      let path = Samples.recordings.appending(path: "\(name).gpx").path
      #expect(try bench.trendy("import", "gpx", path).status == 0)
    }
    let trips = try bench.trendy("trip", "list", "--json").document.objectValue?["trips"]?.arrayValue ?? []
    let distances = trips.compactMap { $0.objectValue?["distance_m"]?.doubleValue }
    #expect(distances.count == 2)
    // The newest first; the files' own lengths are 2,736 m and 14,217 m.
    #expect(abs((distances.first ?? 0) - 2736) < 2736 * 0.03)
    #expect(abs((distances.last ?? 0) - 14_217) < 14_217 * 0.02)
  }
}
