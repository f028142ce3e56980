import Foundation
import Testing
import TrendyModels

@testable import TrendyInterchange

@Suite("Files of wearables and other programs", .timeLimit(.minutes(5)))
struct AppFormatsTests {
  static func describe(_ event: ExternalEvent) -> String {
    let start =
      event.isAllDay
      ? "\(ZoneClock.utc.wall(at: event.timestamp).day)" : RFC3339.string(from: event.timestamp)
    let properties = event.properties.sorted { $0.key < $1.key }.map { key, value in
      let text =
        value.stringValue
        ?? value.doubleValue.map { $0 == $0.rounded() ? "\(Int($0))" : "\(($0 * 1000).rounded() / 1000)" }
      return "\(key)=\(text ?? (value.value == .bool(true) ? "true" : "false"))"
    }
    return
      ([
        event.typeName, event.endDate.map { "\(start)/\(RFC3339.string(from: $0))" } ?? start,
      ] + properties + [event.notes.map { "'\($0)'" }, event.locationName.map { "@\($0)" }].compactMap(\.self))
      .joined(separator: " ").replacing(".000Z", with: "Z")
  }

  @Test("a file has the expected events, which a second import recognizes", arguments: AppSamples.all.indices)
  func events(index: Int) throws {
    let sample = AppSamples.all[index]
    let bytes = Array(sample.text.utf8)
    let format = try #require(try InterchangeFormat.detect(ByteInput(bytes)))
    #expect(format.word == sample.word)
    let outcome = Sample.file(sample.text, named: sample.file).outcome
    let events = GoogleTests.events(outcome.records)
    #expect(events.map(Self.describe) == sample.events)
    #expect(outcome.reports == sample.skipped)
    #expect(Set(events.map(\.key)).count == events.count)
    #expect(
      GoogleTests.events(Sample.file(sample.text, named: sample.file).outcome.records).map(\.key) == events.map(\.key))
  }

  @Test func `a day whose measurements are in several files of an archive is one event`() throws {
    let outcome = Sample.archive([
      "Fitbit/steps-2026-02-01.json": "[{\"dateTime\":\"03/01/26 08:05:00\",\"value\":\"12\"}]",
      "Fitbit/steps-2026-03-01.json": "[{\"dateTime\":\"03/01/26 18:05:00\",\"value\":\"30\"}]",
      // The same steps in the newer layout, of which fewer are known.
      "Fitbit/steps_2026-03-01.csv": "timestamp,steps\n2026-03-01T08:05:00Z,12\n",
    ]).outcome
    #expect(GoogleTests.events(outcome.records).map(Self.describe) == ["Steps 2026-03-01 steps=42"])
  }

  /// Reads a file with changed options. The reports are the skipped values and the problems.
  private static func read(
    _ text: String, file: String? = nil, _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> (events: [String], reports: [String]) {
    var options = FormatTableTests.options
    options.fileName = file
    change(&options)
    let detected = try #require(try InterchangeFormat.detect(ByteInput(Array(text.utf8))))
    let format = options.isPlainTable ? try detected.plainTable(of: ByteInput(Array(text.utf8))) : detected
    var (events, reports): ([String], [String]) = ([], [])
    try #require(format).read(ByteInput(Array(text.utf8)), options) { record, place in
      switch record {
      case .event(let event): events.append(describe(event))
      case .skip(let what, _): reports.append("\(place): \(what)")
      case .bad(let reason): reports.append("\(place): \(reason)")
      default: Issue.record("\(record)")
      }
    }
    return (events, reports)
  }

  @Test(
    "a table of the user is not taken for the table of a program",
    arguments: [
      "timestamp,steps\n2026-03-01 08:05,12\n", "timestamp,steps,note\n2026-03-01T08:05:00Z,12,walk\n",
      "timestamp,calories,food\n2026-03-01T08:05:00Z,120,bread\n",
      "timestamp,beats per minute\n2026-03-01 08:05,61\n", "timestamp,bpm,source\n2026-03-01 08:05,61,watch\n",
      "timestamp,bpm,source,note\n2026-03-01T08:05:00Z,61,watch,calm\n",
      "activity,start_datetime,end_datetime,calories\nRun,2026-03-01 08:05,2026-03-01 09:05,300\n",
      "start_date,end_date,distance,duration_min\n2026-03-01 08:05,2026-03-01 09:05,12.5,60\n",
      "date,time,meal,calories,food\n2026-03-01,08:05,Breakfast,300,bread\n",
    ])
  func nearMisses(text: String) throws {
    #expect(try InterchangeFormat.detect(ByteInput(Array(text.utf8)))?.word == "csv")
  }

  @Test(
    "other JSON documents and chats are not taken for the file of a program",
    arguments: [
      "[{\"dateTime\":\"2026-03-01T08:05:00Z\",\"value\":12,\"note\":\"walk\"}]",
      "[{\"date\":\"2026-03-01T08:05:00Z\",\"value\":12}]",
      "[{\"date\":\"2026-03-01 08:05\",\"value\":12}]",
      "[2026-03-01, 08:05:11] Kim: hello\n[2026-03-01, 08:05:12] Sam: hi\n",
    ])
  func otherText(text: String) throws {
    let word = try InterchangeFormat.detect(ByteInput(Array(text.utf8)))?.word
    #expect(!InterchangeFormat.apps.contains { $0.word == word })
  }

  @Test func `a table with the layout of a program can be read as a plain table`() throws {
    let text = "timestamp,steps\n2026-03-01T08:05:00Z,12\n2026-03-01T09:05:00Z,30\n"
    let plain = try Self.read(text) { options in
      options.isPlainTable = true
      options.typeName = "Walk"
    }
    #expect(plain.events == ["Walk 2026-03-01T08:05:00Z steps=12", "Walk 2026-03-01T09:05:00Z steps=30"])
  }

  @Test func `the name of a file takes precedence over a chosen type`() throws {
    let text = "[{\"dateTime\":\"03/01/26 08:05:00\",\"value\":\"12\"}]"
    let named = try Self.read(text, file: "Fitbit/distance-2026-03-01.json") { $0.typeName = "Steps" }
    #expect(named.events == ["Distance 2026-03-01 distance=12"])
    #expect(
      try Self.read(text, file: "2026-03-01.json") { $0.typeName = "Steps" }.events == ["Steps 2026-03-01 steps=12"])
  }

  @Test func `a day that has not ended is left to a later import`() throws {
    let texts = [
      "timestamp,steps\n2026-03-01T08:00:00Z,12\n2026-03-02T08:00:00Z,30\n",
      "[{\"calendarDate\":\"2026-03-01\",\"totalSteps\":12},{\"calendarDate\":\"2026-03-02\",\"totalSteps\":30}]",
    ]
    for text in texts {
      let read = try Self.read(text) { $0.now = Date(timeIntervalSince1970: 1_772_452_800) }
      #expect(read.events.count == 1)
      #expect(read.events.first?.contains(" 2026-03-01 steps=12") == true)
      #expect(read.reports.count { $0.hasSuffix("day that has not ended") } == 1)
    }
  }

  @Test func `a record in two files of an archive is one event`() throws {
    let row = "{\"logId\":8,\"weight\":80.5,\"bmi\":24.1,\"date\":\"03/01/26\",\"time\":\"07:30:00\"}"
    let outcome = Sample.archive(["weight-2026-03-01.json": "[\(row)]", "weight-2026-03-02.json": "[\(row)]"]).outcome
    let events = GoogleTests.events(outcome.records)
    #expect(events.map(\.isKeyUnique) == [true, true])
    #expect(Set(events.map(\.key)).count == 1)
  }

  @Test func `the time of day of a row that describes a day is reported`() throws {
    let read = try Self.read("day,score,contributors\n2026-03-01T08:05:00,81,\n")
    #expect(read.events == ["Sleep score 2026-03-01 score=81"])
    #expect(read.reports.contains { $0.hasPrefix("line 2: the time of day of '2026-03-01T08:05:00' was ignored") })
  }

  @Test func `a document with very many names is limited`() throws {
    let records = (0..<1200).map {
      "{\"dateOfSleep\":\"2026-03-01\",\"logId\":\($0),\"startTime\":\"2026-03-01T08:00:00\","
        + "\"minutesAsleep\":1,\"name\($0)\":1}"
    }
    let read = try Self.read("[\(records.joined(separator: ","))]")
    #expect(read.events.count == 1200)
    #expect(read.reports.contains("the file: value with a name after the first 1000"))
  }

  @Test func `an incomplete line and an empty record of a JSON file are reported`() throws {
    let session =
      "{\"fitnessActivity\":\"running\",\"startTime\":\"2026-03-01T08:00:00Z\","
      + "\"endTime\":\"2026-03-01T08:30:00Z\"}"
    let read = try Self.read("\(session)\n{}\n{\"fitnessActivity\":\n")
    #expect(read.events.count == 1)
    #expect(read.reports.sorted() == ["line 2: the record is empty", "line 3: incomplete JSON in this line"])
  }

  @Test func `a problem is reported at the record, whatever its text contains`() throws {
    let read = try Self.read(
      "{\"metadata\":{},\"entries\":[{\"creationDate\":\"2026-03-01T08:00:00Z\",\"text\":\"a\\nb\\r\\nc\"},"
        + "{\"creationDate\":\"soon\",\"text\":\"d\"}]}")
    #expect(read.reports == ["entries[1]: invalid time 'soon'"])
  }

  @Test func `Fitbit's values per day have local dates`() throws {
    let zone = try #require(ZoneClock(named: "America/New_York"))
    let text = "[{\"dateTime\":\"03/01/26 00:00:00\",\"value\":\"12\"}]"
    func day(_ file: String) throws -> [String] {
      try Self.read(text, file: file) { options in
        options.zone = zone
        options.isZoneChosen = true
      }.events
    }
    #expect(
      try day("moderately_active_minutes-2026-03-01.json") == [
        "Moderately active minutes 2026-03-01 moderately_active_minutes=12"
      ])
    #expect(try day("steps-2026-03-01.json") == ["Steps 2026-02-28 steps=12"])
  }

  @Test func `a drive that has not ended is left to a later import`() throws {
    let read = try Self.read("car_id,start_date,end_date,distance,duration_min\n1,2026-03-01 09:00:00,,12.5,\n")
    #expect(read.events == [])
    #expect(read.reports == ["line 2: Drive that has not ended"])
  }

  @Test func `an Org file can define the states of its tasks`() throws {
    let read = try Self.read(
      "#+TODO: DRAFT(d) | SENT\n* SENT Letter\nCLOCK: [2026-03-04 Wed 10:00]--[2026-03-04 Wed 10:30] =>  0:30\n")
    #expect(read.events == ["Letter 2026-03-04T10:00:00Z/2026-03-04T10:30:00Z"])
  }

  @Test("files with the line breaks of Windows are recognized", arguments: AppSamples.all.indices)
  func lineBreaks(index: Int) throws {
    let sample = AppSamples.all[index]
    let outcome = Sample.file(sample.text.replacing("\n", with: "\r\n"), named: sample.file).outcome
    #expect(GoogleTests.events(outcome.records).count == sample.events.count)
  }
}
