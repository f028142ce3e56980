import Testing
import TrendyInterchange
import TrendyModels

@Suite("Folders of Apple Health exports", .timeLimit(.minutes(10)))
struct HealthFolderTests {
  struct NoSuchFile: Error {}

  /// Returns files with these contents, which are read in chunks of `step` bytes.
  static func files(_ contents: [String: String], step: Int = 1000) -> ExportFiles {
    ExportFiles(contents.keys) { path in
      guard let content = contents[path] else { throw NoSuchFile() }
      let bytes = Array(content.utf8)
      var position = 0
      return { buffer in
        let count = min(step, buffer.count, bytes.count - position)
        buffer.copyBytes(from: bytes[position..<(position + count)])
        position += count
        return count
      }
    }
  }

  static let data = HealthExportTests.document(
    """
     <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="1" durationUnit="min" sourceName="W" startDate="2026-02-14 17:00:00 +0100" endDate="2026-02-14 17:40:00 +0100">
      <WorkoutRoute><FileReference path="/workout-routes/route_2026-02-14_5.40pm.gpx"/></WorkoutRoute>
      <WorkoutRoute><FileReference path="/workout-routes/lost.gpx"/></WorkoutRoute>
     </Workout>
    """)

  static let route = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1">
      <trk><name>Route 2026-02-14 5:40pm</name><trkseg>
        <trkpt lon="4.9" lat="52.1"><ele>3.1</ele><time>2026-02-14T16:00:00Z</time><extensions><speed>2.5</speed><course>-1</course><hAcc>4.5</hAcc><vAcc>3</vAcc></extensions></trkpt>
        <trkpt lon="4.91" lat="52.1"><ele>3.1</ele><time>2026-02-14T16:00:10Z</time><extensions><speed>-1</speed><course>90</course><hAcc>5</hAcc><vAcc>3</vAcc></extensions></trkpt>
      </trkseg></trk>
    </gpx>
    """

  @Test(
    "the data of an export is found in any language and in a subfolder",
    arguments: ["apple_health_export/export.xml", "导出.xml", "again/apple_health_export/exportar.xml"])
  func found(path: String) throws {
    let folder = path.contains("/") ? String(path[...path.lastIndex(of: "/")!]) : ""
    let files = Self.files([
      path: Self.data, folder + "export_cda.xml": "<ClinicalDocument/>", folder + "other.xml": "<gpx/>",
      folder + "workout-routes/route_2026-02-14_5.40pm.gpx": Self.route, "__MACOSX/._export.xml": "\u{0}",
      folder + "electrocardiograms/ecg.csv": "a,b",
    ])
    let export = try #require(try HealthExport.Folder(files))
    #expect(export.dataPath == path)
    var events: [HealthEvent] = []
    let summary = try export.read { events.append($0) }
    #expect(summary.events == [.workout: 1])
    let routes = try #require(events.first).routes
    #expect(routes == ["workout-routes/route_2026-02-14_5.40pm.gpx", "workout-routes/lost.gpx"])
    let track = try #require(try export.route(routes[0]))
    #expect(track.points.map(\.speed) == [2.5, nil])
    #expect(track.points.map(\.course) == [nil, 90])
    #expect(track.points.map(\.horizontalAccuracy) == [4.5, 5])
    #expect(try export.route(routes[1]) == nil)
  }

  @Test func `a folder without data is not an export, and one with two exports is rejected`() throws {
    #expect(try HealthExport.Folder(Self.files(["a.xml": "<gpx/>", "b.json": "{}"])) == nil)
    #expect(throws: HealthExportError.severalExports(["2025/export.xml", "2026/export.xml"])) {
      _ = try HealthExport.Folder(Self.files(["2026/export.xml": Self.data, "2025/export.xml": Self.data]))
    }
  }

  @Test func `a damaged route or an unreadable file is an error`() throws {
    let export = try #require(
      try HealthExport.Folder(Self.files(["export.xml": Self.data, "workout-routes/a.gpx": "<gpx><trk>"])))
    #expect(throws: InterchangeError.self) { try export.route("workout-routes/a.gpx") }
    let broken = ExportFiles(["export.xml"]) { _ in throw NoSuchFile() }
    #expect(throws: NoSuchFile.self) { _ = try HealthExport.Folder(broken) }
  }

  @Test(
    "the data is recognized by its root element",
    arguments: [
      (HealthExportTests.document(""), true), ("  <HealthData/>", false), ("<HealthData>", true),
      ("<HealthData", false),
      ("<!DOCTYPE HealthData [\n<!ELEMENT HealthData (Me)>\n]>\n<HealthData locale=\"nl\">", true),
      ("<!DOCTYPE HealthData [\n]>\n<HealthDataset>", false), ("text <HealthData>", false), ("", false),
    ])
  func root(text: String, isHealth: Bool) {
    // An empty element contains no data.
    #expect(HealthExport.isBeginning(of: Array(text.utf8)[...]) == isHealth)
  }

  @Test("files are read completely or up to a limit, in pieces of any size", arguments: [1, 3, 100])
  func reading(step: Int) throws {
    let files = Self.files(["a": "hello", "b": ""], step: step)
    #expect(try files.bytes(of: "a", limit: 5) == Array("hello".utf8))
    #expect(try files.bytes(of: "a", limit: 4) == nil)
    #expect(try files.bytes(of: "b", limit: 0) == [])
    #expect(try files.beginning(of: "a", count: 2) == Array("he".utf8))
    #expect(files.contains("a") && files.contains("b") && !files.contains("c"))
  }
}
