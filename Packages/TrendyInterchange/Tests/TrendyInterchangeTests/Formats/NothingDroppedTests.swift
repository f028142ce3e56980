import Foundation
import Testing
import TrendyInterchange
import TrendyModels

/// Damages samples at each cell, row and tag. Everything that is not imported must be counted.
@Suite("Reports of skipped data", .timeLimit(.minutes(10)))
struct NothingDroppedTests {
  private static let token = "§damage§"

  private struct Outcome {
    var text = ""
    var events = 0
    var reports = 0
    var isRefused = false
  }

  private static func outcome(_ text: String) -> Outcome {
    var outcome = Outcome()
    let bytes = Array(text.utf8)
    guard let format = try? InterchangeFormat.detect(ByteInput(bytes)) else {
      outcome.isRefused = true
      return outcome
    }
    do {
      if format.isReadAsRecords {
        try format.read(ByteInput(bytes), FormatTableTests.options) { record, _ in
          switch record {
          case .event(let event):
            outcome.events += 1
            outcome.text += "\(event)"
          case .bad: outcome.reports += 1
          case .skip(_, let count): outcome.reports += count
          default: outcome.text += "\(record)"
          }
        }
      } else {
        let file = try TrackFile(reading: bytes)
        outcome.events = file.pointsWithTime
        outcome.reports = file.problemCount + file.skippedPoints + file.leftOut.reduce(0) { $0 + $1.count }
        outcome.text = "\(file.tracks)"
      }
    } catch {
      outcome.isRefused = true
    }
    return outcome
  }

  private static func check(_ damaged: String, of whole: Outcome, _ what: String) {
    let found = outcome(damaged)
    // The events must contain the damaged text, or it must be reported, or the file must be rejected.
    #expect(
      found.isRefused || found.text.contains(token) || found.reports > whole.reports
        || found.events >= whole.events && !damaged.contains(token), "\(what)")
  }

  static let tables = [
    "type,start,end,note,amount,latitude,longitude\nRun,2026-03-01 08:00,2026-03-01 09:00,fine,5.5,52.1,5.1\n"
      + "Run,2026-03-02 08:00,2026-03-02 09:00,so so,6.5,52.2,5.2\nRun,2026-03-03 08:00,2026-03-03 09:00,well,7.5,52.3,5.3\n"
      + "Run,2026-03-04 08:00,2026-03-04 09:00,well,7.5,52.3,5.3\n",
    "Was;Datum;Uhrzeit;Dauer;Notiz\nLauf;01.03.2026;08:00;1,5 h;gut\nLauf;14.03.2026;09:00;30 min;müde\nLauf;15.03.2026;09:00;1:10;-\n",
    "Date,Coffee,Run\n2026-03-01,1,x\n2026-03-02,2,x\n2026-03-03,1,\n",
    "lat,lon,time,speed\n52.1,5.1,2026-03-01T08:00:00Z,1.5\n52.2,5.1,2026-03-01T08:01:00Z,1.5\n52.3,5.1,2026-03-01T08:02:00Z,1.5\n",
  ]

  @Test("a damaged cell or row of a table is imported or reported", arguments: tables)
  func cells(table: String) {
    let whole = Self.outcome(table)
    let separator: Character = table.contains(";") ? ";" : ","
    var rows = table.split(separator: "\n").map(String.init)
    let isTrack = table.hasPrefix("lat")
    for row in rows.indices.dropFirst() {
      let cells = rows[row].split(separator: separator, omittingEmptySubsequences: false).map(String.init)
      // The speed of a fix is optional.
      for index in cells.indices where !isTrack || index < 3 {
        var damaged = cells
        damaged[index] = Self.token
        var copy = rows
        copy[row] = damaged.joined(separator: String(separator))
        Self.check(copy.joined(separator: "\n"), of: whole, "row \(row), cell \(index) of \(table.prefix(20))")
      }
      var longer = rows
      longer[row] += "\(separator)\(Self.token)"
      Self.check(longer.joined(separator: "\n"), of: whole, "row \(row) with another cell")
      var shorter = rows
      shorter[row] = String(rows[row].prefix(3))
      let found = Self.outcome(shorter.joined(separator: "\n"))
      #expect(found.isRefused || found.events + found.reports >= whole.events - 1)
    }
    rows.insert(Self.token, at: 2)
    Self.check(rows.joined(separator: "\n"), of: whole, "a row of one cell")
  }

  static let calendar = """
    BEGIN:VCALENDAR
    VERSION:2.0
    BEGIN:VEVENT
    UID:a
    DTSTART;TZID=Europe/Paris:20260105T090000
    DTEND;TZID=Europe/Paris:20260105T100000
    RRULE:FREQ=WEEKLY;COUNT=4
    EXDATE;TZID=Europe/Paris:20260112T090000
    RDATE;TZID=Europe/Paris:20260106T090000
    SUMMARY:Class
    CATEGORIES:School
    LOCATION:Room 1
    GEO:52.1;5.1
    DESCRIPTION:Bring books
    END:VEVENT
    BEGIN:VEVENT
    UID:a
    RECURRENCE-ID;TZID=Europe/Paris:20260119T090000
    DTSTART;TZID=Europe/Paris:20260119T110000
    DURATION:PT1H
    SUMMARY:Class
    END:VEVENT
    BEGIN:VEVENT
    UID:b
    DTSTART:20260201T090000Z
    SUMMARY:Dentist
    END:VEVENT
    END:VCALENDAR
    """

  @Test func `a damaged line of a calendar is imported or reported`() {
    let whole = Self.outcome(Self.calendar)
    let lines = Self.calendar.split(separator: "\n").map(String.init)
    for (index, line) in lines.enumerated() where index > 2 && !line.hasPrefix("BEGIN") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      if !line.hasPrefix("END") {
        var copy = lines
        copy[index] = "\(line[..<colon]):\(Self.token)"
        Self.check(copy.joined(separator: "\n"), of: whole, "\(line)")
      }
      // An event without END is reported, and must not absorb the next event.
      if line == "END:VEVENT" {
        var copy = lines
        copy.remove(at: index)
        let found = Self.outcome(copy.joined(separator: "\n"))
        #expect(found.events == whole.events && found.reports > whole.reports)
      }
    }
    // If the file is truncated after any line, every event that has a start is read.
    for end in 5..<lines.count {
      let text = lines[..<end].joined(separator: "\n")
      let starts = text.split(separator: "\n").count { $0.hasPrefix("DTSTART") }
      let found = Self.outcome(text)
      #expect(found.events >= starts, "cut after line \(end)")
    }
  }

  static let tracks = [
    """
    <?xml version="1.0"?><gpx version="1.1" creator="x"><trk><trkseg>
    <trkpt lat="52.1" lon="5.1"><time>2026-03-01T08:00:00Z</time></trkpt>
    <trkpt lat="52.2" lon="5.2"><time>2026-03-01T08:01:00Z</time></trkpt>
    </trkseg></trk></gpx>
    """,
    """
    <?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>
    <Placemark><TimeStamp><when>2026-03-01T08:00:00Z</when></TimeStamp><Point><coordinates>5.1,52.1</coordinates></Point></Placemark>
    <Placemark><TimeStamp><when>2026-03-01T08:01:00Z</when></TimeStamp><Point><coordinates>5.2,52.2</coordinates></Point></Placemark>
    <Placemark><LineString><coordinates>5.1,52.1 5.2,52.2</coordinates></LineString></Placemark>
    </Document></kml>
    """,
    """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","geometry":{"type":"Point","coordinates":[5.1,52.1]},"properties":{"timestamp":"2026-03-01T08:00:00Z"}},
    {"type":"Feature","geometry":{"type":"Point","coordinates":[5.2,52.2]},"properties":{"timestamp":"2026-03-01T08:01:00Z"}}]}
    """,
    "2026-03-01T08:00:01Z\t*                 \t{\"_type\":\"location\",\"lat\":52.1,\"lon\":5.1,\"tst\":1772352000}\n"
      + "2026-03-01T08:01:01Z\t*                 \t{\"_type\":\"location\",\"lat\":52.2,\"lon\":5.2,\"tst\":1772352060}\n",
  ]

  @Test("a damaged value of a track is reported", arguments: tracks)
  func values(track: String) throws {
    let whole = Self.outcome(track)
    #expect(whole.events == 2)
    for value in ["52.1", "5.2", "2026-03-01T08:00:00Z", "2026-03-01T08:01:00Z", "1772352060"] {
      guard let range = track.range(of: value) else { continue }
      let damaged = track.replacingCharacters(in: range, with: "x")
      let found = Self.outcome(damaged)
      #expect(found.isRefused || found.reports > whole.reports, "\(value) of \(track.prefix(60))")
    }
  }
}
