import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("Formats", .timeLimit(.minutes(5)))
struct FormatTableTests {
  @Test func `docs/formats.md contains the table of formats`() throws {
    let root = URL(filePath: #filePath).pathComponents.dropLast(6)
    let page = URL(filePath: root.joined(separator: "/")).appending(path: "docs/formats.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
    let table = InterchangeFormat.all.map { format in
      "| `\(format.word)` | \(format.name) | \(format.reads.words) | \(format.writes.words) | \(format.basis) |"
    }
    #expect(lines.map(String.init) == table)
  }

  @Test func `each format has a unique word`() {
    let words = InterchangeFormat.all.map(\.word)
    #expect(Set(words).count == words.count)
  }

  // MARK: Readers and damaged files

  /// One small file for each format that is read as records.
  static let samples: [String: String] = [
    "ndjson": """
    {"record":"trendy","schema":"trendy.export/1"}
    {"color":"#000000","icon":"x","id":"t1","name":"coffee","record":"event_type"}
    {"event_type_id":"t1","id":"e1","record":"event","timestamp":"2026-03-01T08:00:00.000Z"}
    {"device":"phone","lat":52.1,"lon":5.1,"record":"fix","time":"2026-03-01T08:00:00.000Z"}
    {"content":"AAEC","device":"phone","id":"n","note":"finding","record":"note","time":"2026-03-01T08:00:00.000Z"}
    """,
    "trendy-csv": """
    Event Type,Timestamp,All Day,End Date,Notes,Source,Original Title,Property: size,Created At,Updated At
    coffee,2026-01-02 3:05 PM,false,,"oat, ""flat""\",manual,,large,2026-01-02 3:05 PM,2026-01-02 3:06 PM
    """,
    "daylio": """
    full_date,date,weekday,time,mood,activities,note_title,note
    2026-03-01,March 1,Sunday,9:05 pm,meh,"work | bad sleep ","","rain<br>all day"
    """,
    "toggl": """
    User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags
    Kim,kim@example.test,,Garden,,"dig, plant",No,2026-03-29,01:30:00,2026-03-29,04:00:00,01:30:00,"spring, outside"
    """,
    "clockify": """
    "Project","Client","Description","Task","User","Start Date","Start Time","End Date","End Time","Duration (h)"
    "Garden","","dig","","Kim","13/04/2026","9:05 AM","13/04/2026","10:05 AM","01:00:00"
    """,
    "ics": """
    BEGIN:VCALENDAR
    BEGIN:VEVENT
    UID:gym-1@example.test
    DTSTART;TZID=W. Europe Standard Time:20261020T183000
    DURATION:PT1H
    RRULE:FREQ=WEEKLY;UNTIL=20261110T173000Z
    EXDATE;VALUE=DATE:20261027
    SUMMARY:Gym\\, legs
    END:VEVENT
    END:VCALENDAR
    """,
    "apple-health": """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE HealthData [
    <!ELEMENT HealthData (ExportDate,Me)>
    ]>
    <HealthData locale="en_NL">
     <Record type="HKQuantityTypeIdentifierStepCount" sourceName="iPhone" unit="count" startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 08:10:00 +0100" value="900"/>
     <Record type="HKQuantityTypeIdentifierDietaryWater" sourceName="Cup" unit="mL" startDate="2026-03-01 09:00:00 +0100" endDate="2026-03-01 09:00:00 +0100" value="250"/>
     <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" sourceName="Watch" startDate="2026-03-01 07:00:00 +0100" endDate="2026-03-01 07:30:00 +0100"/>
    </HealthData>
    """,
    "csv": """
    sep=;
    Datum;Was;Menge;Notiz
    01.03.2026 08:05;Kaffee;1,5;"zwei
    Zeilen"
    """,
  ]

  static let samplesOfAll = samples.merging(JourneySamples.texts) { first, _ in first }
    .merging(FormatSamples.all) { first, _ in first }

  static var options: ImportOptions {
    ImportOptions(zone: .utc, now: Date(timeIntervalSince1970: 1_800_000_000))
  }

  static func records(_ bytes: [UInt8], as format: InterchangeFormat) throws -> [InterchangeRecord] {
    var records: [InterchangeRecord] = []
    try format.read(ByteInput(bytes), options) { record, place in
      #expect(!place.isEmpty)
      records.append(record)
    }
    return records
  }

  @Test("a format is detected by its content and has records", arguments: samplesOfAll.keys.sorted())
  func found(word: String) throws {
    let bytes = Array(try #require(Self.samplesOfAll[word]).utf8)
    let format = try #require(try InterchangeFormat.detect(ByteInput(bytes)))
    #expect(format.word == word)
    let records = try Self.records(bytes, as: format)
    #expect(!records.isEmpty)
    for record in records { if case .bad(let reason) = record { Issue.record("\(reason)") } }
    // A byte order mark and the line breaks of another system.
    let marked = [0xEF, 0xBB, 0xBF] + Array(String(decoding: bytes, as: UTF8.self).replacing("\n", with: "\r\n").utf8)
    #expect(try InterchangeFormat.detect(ByteInput(marked))?.word == word)
    #expect(try Self.records(marked, as: format).count == records.count)
  }

  @Test func `every format of another program has a guide to its export`() {
    let others = InterchangeFormat.readable.filter { $0.track == nil && !["csv", "zip"].contains($0.word) }
    #expect(others.filter { $0.guide == nil }.map(\.word) == [])
  }

  /// The result must be an error or fewer records. A crash would end this test run.
  @Test(
    "truncated, changed and randomly joined files are handled", arguments: samplesOfAll.keys.sorted()
  )
  func damaged(word: String) throws {
    let bytes = Array(try #require(Self.samplesOfAll[word]).utf8)
    let format = try #require(InterchangeFormat.named(word))
    // Detection is the same for all formats, so some of the files suffice to test it.
    func read(_ bytes: [UInt8], isDetected: Bool = true) {
      if isDetected { _ = try? InterchangeFormat.detect(ByteInput(bytes)) }
      _ = try? Self.records(bytes, as: format)
    }
    for end in bytes.indices { read(Array(bytes[..<end]), isDetected: end % 4 == 0) }
    for index in bytes.indices {
      for mask: UInt8 in [0xFF, 1 << UInt8(index % 8)] {
        var bytes = bytes
        bytes[index] ^= mask
        read(bytes, isDetected: mask == 0x10)
      }
    }
    var random = SeededGenerator(seed: 18)
    let all = Self.samplesOfAll.keys.sorted().flatMap { Array((Self.samplesOfAll[$0] ?? "").utf8) }
    for _ in 0..<300 {
      var joined: [UInt8] = []
      for _ in 0..<4 {
        let start = random.below(all.count)
        joined += all[start..<min(all.count, start + random.below(200))]
      }
      read(joined)
      read(Array(bytes.prefix(random.below(bytes.count))) + joined)
    }
  }
}
