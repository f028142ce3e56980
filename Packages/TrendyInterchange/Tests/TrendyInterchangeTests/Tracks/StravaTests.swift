import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("Strava archives", .timeLimit(.minutes(10)))
struct StravaTests {
  static let gpx = """
              <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="x"><trk><trkseg><trkpt lat="52.1" lon="5.1"><time>2026-03-04T15:02:06Z</time></trkpt>
    <trkpt lat="52.2" lon="5.1"><time>2026-03-04T15:30:00Z</time></trkpt></trkseg></trk></gpx>
    """

  /// Returns a header in the language of an account, with the columns that the reader distinguishes.
  static func header(_ names: [String], energy: String) -> String {
    let first = names + ["Max. HF", "Anstrengung", "Arbeitsweg", "Notiz", "Gear", "Filename", "kg", "kg"]
    let second = [names[5], "In motion", names[6]] + (0..<16).map { "c\($0)" } + [energy]
    return (first + second).map { "\"\($0)\"" }.joined(separator: ",")
  }

  static func row(_ cells: [String], file: String, exact: [String]) -> String {
    let first = cells + ["", "", "false", "", "", file, "", ""]
    return (first + exact + [String](repeating: "", count: 16) + ["333.0"]).map { "\"\($0)\"" }.joined(separator: ",")
  }

  static let german = ["Aktivitäts-ID", "Datum", "Name", "Art", "Beschreibung", "Verstrichene Zeit", "Distanz"]
  static let english = [
    "Activity ID", "Activity Date", "Name", "Activity Type", "Description", "Elapsed Time", "Distance",
  ]

  static func records(_ files: [String: String]) throws -> [InterchangeRecord] {
    let folder = HealthFolderTests.files(files)
    let format = try #require(try InterchangeFormat.detect(in: folder))
    #expect(format.word == "strava")
    var records: [InterchangeRecord] = []
    try format.read(folder, FormatTableTests.options) { record, place in
      #expect(!place.isEmpty)
      records.append(record)
    }
    return records
  }

  @Test(
    "an activity is imported once with its track, in any language",
    arguments: [
      (english, "Calories", "Mar 4, 2026, 3:02:05 PM", "Ride"),
      (german, "Kalorien", "04.03.2026, 15:02:05", "Radfahrt"),
      (german, "Calorías", "4 mar 2026, 15:02:05", "Vuelta"), (german, "カロリー", "2026/03/04 15:02:05", "ライド"),
    ])
  func activity(names: [String], energy: String, date: String, type: String) throws {
    let table = [
      Self.header(names, energy: energy),
      Self.row(
        ["1234", date, "Morning", type, "wet, \n and cold", "1830", "9,10"], file: "activities/1234.gpx",
        exact: ["1830.0", "1700.0", "9105.2"]),
      Self.row(["1235", date, "By hand", type, "", "60", "1,5"], file: "", exact: ["", "", ""]),
    ].joined(separator: "\n")
    let records = try Self.records([
      "export/activities.csv": table, "export/activities/1234.gpx": Self.gpx, "export/media/a.jpg": "x",
    ])
    let events = GoogleTests.events(records)
    try #require(events.count == 2)
    #expect(events[0].timestamp == (try GoogleTests.date("2026-03-04T15:02:05Z")))
    #expect(events[0].endDate == (try GoogleTests.date("2026-03-04T15:32:35Z")))
    #expect(events[0].properties["distance"]?.doubleValue == 9105.2)
    #expect(events[0].properties["duration"]?.doubleValue == 1700)
    #expect(events[0].properties["energy"]?.doubleValue == 333)
    #expect(events[0].properties["activity"]?.stringValue == (type == "Ride" ? "Cycling" : type))
    #expect(events[0].title == "Morning" && events[0].track.count == 2 && events[0].key == ["strava", "1234"])
    #expect(events[1].properties["distance"]?.doubleValue == 1500 && events[1].track.isEmpty)
    #expect(GoogleTests.skipped(records) == ["file that is not an activity": 1])
    #expect(GoogleTests.bad(records).isEmpty)
  }

  @Test func `the table before 2019 is in metres, and a damaged or missing file affects only its track`() throws {
    let table = """
      id,date,name,type,description,elapsed_time,distance,commute,gear,filename
      7,2018-06-01 06:00:00,Early,Run,,600,2000.5,false,,activities/7.gpx
      8,2018-06-02T06:00:00Z,Lost,Run,,600,2000.5,false,,activities/8.fit.gz
      x,2018-06-02T06:00:00Z,No number,Run,,600,1,false,,
      9,some day,No date,Run,,600,1,false,,
      """
    let records = try Self.records(["activities.csv": table, "activities/7.gpx": "<gpx><trk>"])
    let events = GoogleTests.events(records)
    #expect(events.map { $0.properties["distance"]?.doubleValue } == [2000.5, 2000.5])
    #expect(events.map { $0.properties["activity"]?.stringValue } == ["Running", "Running"])
    #expect(events.map(\.timestamp.timeIntervalSince1970) == [1_527_832_800, 1_527_919_200])
    #expect(GoogleTests.bad(records).count == 3, "\(GoogleTests.bad(records))")
    #expect(GoogleTests.skipped(records) == ["track missing from the archive": 1])
  }

  @Test func `a table alone is read without tracks, unlike a table with links to Strava`() throws {
    let header = Self.header(Self.english, energy: "Calories")
    let row = { (file: String) in
      Self.row(
        ["1234", "Mar 4, 2026, 3:02:05 PM", "Morning", "Run", "", "600", "9,10"], file: file,
        exact: ["600", "500", "910"])
    }
    let table = Array("\(header)\n\(row(""))\n\(row("activities/1234.gpx"))\n".utf8)
    let format = try #require(try InterchangeFormat.detect(ByteInput(table)))
    #expect(format.word == "strava")
    let records = try FormatTableTests.records(table, as: format)
    #expect(GoogleTests.events(records).map { $0.properties["distance"]?.doubleValue } == [910, 910])
    #expect(GoogleTests.skipped(records) == ["track missing from the archive": 1])
    let link = "\(header)\n\(row("https://www.strava.com/activities/1234"))\n"
    #expect(try InterchangeFormat.detect(ByteInput(Array(link.utf8)))?.word != "strava")
  }

  @Test func `rows with one file of several sports have separate parts of the track`() throws {
    var fixture = FITFixture()
    fixture.addFile()
    fixture.define(1, 20, FITFixture.record)
    for second in [0, 100, 2000, 2100] as [UInt64] { fixture.addRecord(second, latitude: 52) }
    fixture.addSession(sport: 5)
    fixture.addSession(sport: 2, at: 2000)
    let bytes = fixture.file()
    let first = RFC3339.string(from: FITTests.start(3))
    let second = RFC3339.string(from: FITTests.start(2004))
    let table = """
      id,date,name,type,description,elapsed_time,distance,commute,gear,filename
      1,\(first),a,Schwimmen,,1800,1,false,,activities/1.fit
      2,\(second),b,Radfahrt,,1800,1,false,,activities/1.fit
      """
    let folder = ExportFiles(["activities.csv", "activities/1.fit"]) { path in
      var rest = path.hasSuffix("csv") ? Array(table.utf8) : bytes
      return { buffer in
        let count = min(buffer.count, rest.count)
        buffer.copyBytes(from: rest[..<count])
        rest.removeFirst(count)
        return count
      }
    }
    let format = try #require(try InterchangeFormat.detect(in: folder))
    var records: [InterchangeRecord] = []
    try format.read(folder, FormatTableTests.options) { record, _ in records.append(record) }
    let events = GoogleTests.events(records)
    #expect(events.map { $0.properties["activity"]?.stringValue } == ["Swimming", "Cycling"])
    #expect(events.map { $0.track.first?.timestamp } == [FITTests.start(), FITTests.start(2000)])
  }

  @Test(
    "dates in many languages are read without guessing",
    arguments: [
      ("4 mars 2026, 15:02:05", true), ("4 mrt 2026 15:02:05", true), ("4 de mar. de 2026, 15:02:05", true),
      ("2026年3月4日 15:02:05", true), ("3/4/2026, 3:02:05 PM", true), ("4. März 2026, 15:02:05", true),
      ("4 мар. 2026 г., 15:02:05", true), ("03/04/2026, 15:02:05", false), ("31 feb 2026, 15:02:05", false),
      ("4 mar 2026", false), ("4 mar 2026, 25:00:00", false),
    ])
  func dates(text: String, isRead: Bool) throws {
    let table = """
      id,date,name,type,description,elapsed_time,distance,commute,gear,filename
      1,"\(text)",a,Run,,1800,1,false,,"activities/none.gpx"
      """
    let events = GoogleTests.events(try Self.records(["activities.csv": table]))
    #expect(events.map(\.timestamp) == (isRead ? [try GoogleTests.date("2026-03-04T15:02:05Z")] : []))
  }

  @Test func `a table of other activities is not a Strava archive`() throws {
    let folder = HealthFolderTests.files(["activities.csv": "type,start\nrun,2026-01-02\n"])
    #expect(try InterchangeFormat.detect(in: folder)?.word == "zip")
  }

  @Test func `a damaged archive is an error or gives fewer records`() throws {
    let table = Array(
      (Self.header(Self.english, energy: "Calories") + "\n"
        + Self.row(
          ["1234", "Mar 4, 2026, 3:02:05 PM", "M", "Ride", "", "1830", "9.1"], file: "activities/1234.gpx",
          exact: ["1830.0", "1700.0", "9105.2"])).utf8)
    let strava = try #require(InterchangeFormat.named("strava"))
    for index in table.indices {
      for value in [table[index] ^ 1, 0x22, 0x2C] {
        var damaged = table
        damaged[index] = value
        for bytes in value == 0x22 ? [damaged, Array(damaged[...index])] : [damaged] {
          let folder = ExportFiles(["activities.csv", "activities/1234.gpx"]) { path in
            var rest = path.hasSuffix("csv") ? bytes : Array(Self.gpx.utf8)
            return { buffer in
              let count = min(buffer.count, rest.count)
              buffer.copyBytes(from: rest[..<count])
              rest.removeFirst(count)
              return count
            }
          }
          // A damaged file may be rejected with an error.
          try? strava.read(folder, FormatTableTests.options) { _, place in #expect(!place.isEmpty) }
        }
      }
    }
  }
}
