import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("Calendars", .timeLimit(.minutes(5)))
struct CalendarTests {
  private func events(_ text: String, until: String = "2027-01-01T00:00:00Z") throws -> [ForeignEvent] {
    var options = ImportOptions(
      zone: try #require(ZoneClock(named: "Europe/Amsterdam")), now: try #require(RFC3339.date(from: until)))
    options.range = nil
    var events: [ForeignEvent] = []
    let file = "BEGIN:VCALENDAR\n\(text)\nEND:VCALENDAR\n"
    try #require(InterchangeFormat.named("ics")).read(ByteInput(Array(file.utf8)), options) { record, _ in
      if case .event(let event) = record { events.append(event) }
    }
    return events
  }

  private func event(_ lines: String...) -> String {
    "BEGIN:VEVENT\n\(lines.joined(separator: "\n"))\nEND:VEVENT"
  }

  private func times(_ events: [ForeignEvent]) -> [String] {
    events.map { RFC3339.string(from: $0.timestamp) }.map { String($0.prefix(16)) }
  }

  @Test(arguments: [false, true])
  func `a calendar in UTF-16 is read as one in UTF-8`(isBigEndian: Bool) throws {
    let file = "BEGIN:VCALENDAR\r\n\(event("DTSTART:20260405T090000Z", "SUMMARY:Übung für 走る"))\r\nEND:VCALENDAR\r\n"
    let bytes = "\u{FEFF}\(file)".utf16.flatMap { unit in
      isBigEndian ? [UInt8(unit >> 8), UInt8(unit & 255)] : [UInt8(unit & 255), UInt8(unit >> 8)]
    }
    #expect(try InterchangeFormat.detect(ByteInput(bytes))?.word == "ics")
    #expect(try titles(bytes) == ["Übung für 走る"])
  }

  @Test func `a line that is no UTF-8 is read as Windows-1252`() throws {
    let file = "BEGIN:VCALENDAR\n\(event("DTSTART:20260405T090000Z", "SUMMARY:Nu måste jag gå"))\nEND:VCALENDAR\n"
    #expect(try titles(file.unicodeScalars.map { UInt8($0.value) }) == ["Nu måste jag gå"])
  }

  private func titles(_ bytes: [UInt8]) throws -> [String?] {
    var titles: [String?] = []
    let options = ImportOptions(
      zone: try #require(ZoneClock(named: "Europe/Amsterdam")),
      now: try #require(RFC3339.date(from: "2027-01-01T00:00:00Z")))
    try #require(InterchangeFormat.named("ics")).read(ByteInput(bytes), options) { record, _ in
      if case .event(let event) = record { titles.append(event.title) }
    }
    return titles
  }

  /// Written by python-dateutil: 300 rules with their times in a span.
  @Test func `recurrences are those of another implementation`() throws {
    let url = try #require(Bundle.module.url(forResource: "Resources/rrule-cases", withExtension: "json"))
    let file = try WireJSON.decode(JSONValue.self, from: Data(contentsOf: url))
    let cases = file.objectValue?["cases"]?.arrayValue ?? []
    #expect(cases.count == 300)
    for each in cases {
      let members = try #require(each.objectValue)
      func time(_ name: String) throws -> WallTime {
        try #require(members[name]?.stringValue.flatMap { WallTime($0) })
      }
      let text = try #require(members["rrule"]?.stringValue)
      let rule = try #require(RecurrenceRule(text), "\(text)")
      let expected = try #require(members["occurrences"]?.arrayValue).compactMap {
        $0.stringValue.flatMap { WallTime($0) }
      }
      let found = try rule.occurrences(from: time("dtstart"), in: time("from"), through: time("through"))
      #expect(found == expected, "\(text)")
    }
  }

  /// Where other implementations differ from RFC 5545, 3.3.10: a missing weekday is that of the first time, and BYSETPOS counts in the whole week.
  @Test func `weeks of a year have the day of the first, and positions count in the whole week`() throws {
    func times(_ text: String, from start: String, through last: String) throws -> [String] {
      let start = try #require(WallTime(start))
      let last = try #require(WallTime(last))
      return try #require(RecurrenceRule(text)).occurrences(from: start, in: start, through: last).map { "\($0.day)" }
    }
    #expect(
      try times("FREQ=YEARLY;BYWEEKNO=20", from: "20260514T090000", through: "20281231")
        == ["2026-05-14", "2027-05-20", "2028-05-18"])
    #expect(
      try times("FREQ=WEEKLY;BYDAY=WE,FR,SA,SU;BYSETPOS=-3", from: "20210723T083500", through: "20210807")
        == ["2021-07-23", "2021-07-30", "2021-08-06"])
  }

  @Test func `what repeats stays on the clock over daylight saving, without what is taken out`() throws {
    let text = event(
      "UID:gym@x", "DTSTART;TZID=W. Europe Standard Time:20261013T183000", "DURATION:PT1H",
      "RRULE:FREQ=WEEKLY;UNTIL=20261110T173000Z", "EXDATE;VALUE=DATE:20261027", "SUMMARY:Gym\\, legs")
    let found = try events(text)
    #expect(times(found) == ["2026-10-13T16:30", "2026-10-20T16:30", "2026-11-03T17:30", "2026-11-10T17:30"])
    #expect(found.allSatisfy { $0.typeName == "Exercise" && $0.title == "Gym, legs" && $0.hints.contains("gym") })
    #expect(found.allSatisfy { $0.endDate == $0.timestamp.addingTimeInterval(3600) })
    #expect(Set(found.map(\.key)).count == 4)
  }

  @Test func `an instance that was moved replaces its own, and one that was cancelled goes`() throws {
    let master = event("UID:a", "DTSTART:20260105T080000Z", "RRULE:FREQ=DAILY;COUNT=4", "SUMMARY:Standup")
    let moved = event("UID:a", "RECURRENCE-ID:20260106T080000Z", "DTSTART:20260106T093000Z", "SUMMARY:Standup late")
    let gone = event("UID:a", "RECURRENCE-ID:20260107T080000Z", "DTSTART:20260107T080000Z", "STATUS:CANCELLED")
    let found = try events([moved, master, gone].joined(separator: "\n"))
    #expect(times(found).sorted() == ["2026-01-05T08:00", "2026-01-06T09:30", "2026-01-08T08:00"])
  }

  @Test(
    "zones without quotes, with a colon in their name, or in another case",
    arguments: [
      ("tzone://Microsoft/Utc", "09:00"), ("europe/paris", "07:00"), ("W. Europe Standard Time", "07:00"),
      ("(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna", "07:00"), ("UTC+2", "07:00"),
    ])
  func zoneNames(name: String, expected: String) throws {
    for written in [name, "\"\(name)\""] {
      let found = try events(event("UID:a", "DTSTART;TZID=\(written):20260701T090000", "SUMMARY:Meeting"))
      #expect(times(found) == ["2026-07-01T\(expected)"])
    }
  }

  @Test func `an unknown zone is asked`() throws {
    #expect(throws: InterchangeError.self) {
      try events(event("UID:a", "DTSTART;TZID=Mordor:20260701T090000", "SUMMARY:Meeting"))
    }
  }

  @Test func `the zone of one calendar is not that of the next`() throws {
    let first = "X-WR-TIMEZONE:America/New_York\n" + event("UID:a", "DTSTART:20260701T090000", "SUMMARY:A")
    let second = "END:VCALENDAR\nBEGIN:VCALENDAR\n" + event("UID:b", "DTSTART:20260701T090000", "SUMMARY:B")
    #expect(times(try events("\(first)\n\(second)")) == ["2026-07-01T13:00", "2026-07-01T07:00"])
  }

  @Test func `a rule that cannot be read, and one that ends before it begins, leave the event`() throws {
    for rule in ["FREQ=SOMETIMES", "FREQ=DAILY;COUNT=0", "FREQ=WEEKLY;UNTIL=20250101", "nonsense"] {
      let found = try events(event("UID:a", "DTSTART:20260105T080000Z", "RRULE:\(rule)", "SUMMARY:Once"))
      #expect(times(found) == ["2026-01-05T08:00"], "\(rule)")
    }
  }

  @Test func `a time before the start is one, and an instance that the series deletes stays deleted`() throws {
    let master = event(
      "UID:a", "DTSTART:20260105T080000Z", "RRULE:FREQ=DAILY;COUNT=3", "RDATE:20260101T080000Z",
      "EXDATE:20260106T080000Z", "SUMMARY:Run")
    let changed = event("UID:a", "RECURRENCE-ID:20260106T080000Z", "DTSTART:20260106T100000Z", "SUMMARY:Run")
    #expect(
      times(try events("\(master)\n\(changed)")) == ["2026-01-01T08:00", "2026-01-05T08:00", "2026-01-07T08:00"])
  }

  @Test func `until in UTC is an instant, also in an hour that the clocks repeat`() throws {
    let found = try events(
      event(
        "UID:a", "DTSTART;TZID=Europe/Amsterdam:20261023T023000", "RRULE:FREQ=DAILY;UNTIL=20261025T010000Z",
        "SUMMARY:Night"))
    #expect(times(found) == ["2026-10-23T00:30", "2026-10-24T00:30", "2026-10-25T00:30"])
  }

  @Test func `the higher sequence counts, and of one sequence both starts`() throws {
    func copy(_ sequence: Int, _ start: String) -> String {
      event("UID:a", "SEQUENCE:\(sequence)", "DTSTART:\(start)", "SUMMARY:Call")
    }
    #expect(
      times(
        try events(
          [copy(0, "20260101T080000Z"), copy(2, "20260102T080000Z"), copy(1, "20260103T080000Z")].joined(
            separator: "\n")))
        == ["2026-01-02T08:00"])
    #expect(
      times(try events([copy(1, "20260101T080000Z"), copy(1, "20260102T080000Z")].joined(separator: "\n")))
        == ["2026-01-01T08:00", "2026-01-02T08:00"])
  }

  @Test func `whole days end before their end`() throws {
    let found = try events(
      [
        event("UID:a", "DTSTART;VALUE=DATE:20260405", "DTEND;VALUE=DATE:20260406", "SUMMARY:One"),
        event("UID:b", "DTSTART:20260405", "DTEND:20260408", "SUMMARY:Three"),
      ].joined(separator: "\n"))
    #expect(found.map(\.isAllDay) == [true, true])
    #expect(found.first?.endDate == nil)
    #expect(found.last?.endDate == RFC3339.date(from: "2026-04-06T22:00:00Z"))
  }

  @Test func `a zone that only the file describes`() throws {
    let zone = """
      BEGIN:VTIMEZONE
      TZID:Customized Time Zone
      BEGIN:STANDARD
      DTSTART:16010101T030000
      TZOFFSETFROM:+0400
      TZOFFSETTO:+0300
      RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
      END:STANDARD
      BEGIN:DAYLIGHT
      DTSTART:16010101T020000
      TZOFFSETFROM:+0300
      TZOFFSETTO:+0400
      RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
      END:DAYLIGHT
      END:VTIMEZONE
      """
    let found = try events(
      [
        event("UID:a", "DTSTART;TZID=\"Customized Time Zone\":20260705T090000", "SUMMARY:Summer"),
        event("UID:b", "DTSTART;TZID=Customized Time Zone:20261205T090000", "SUMMARY:Winter"), zone,
      ].joined(separator: "\n"))
    #expect(times(found) == ["2026-07-05T05:00", "2026-12-05T06:00"])
  }

  @Test func `a line that is folded in the middle of a character`() throws {
    var bytes = Array("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTART:20260101T080000Z\r\nSUMMARY:Caf".utf8)
    let accent = Array("é".utf8)
    bytes += [accent[0], 0xD, 0xA, 0x20, accent[1]] + Array("\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n".utf8)
    let records = try FormatTableTests.records(bytes, as: try #require(InterchangeFormat.named("ics")))
    guard case .event(let event) = try #require(records.first) else {
      Issue.record("no event")
      return
    }
    #expect(event.title == "Café")
  }

  @Test(
    "a rule that never holds or never ends comes to an end",
    arguments: [
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31", "FREQ=SECONDLY", "FREQ=DAILY;INTERVAL=1000000",
      "FREQ=MONTHLY;BYSETPOS=366",
      "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30",
    ])
  func ends(text: String) throws {
    let rule = try #require(RecurrenceRule(text))
    let start = try #require(WallTime("20260101T080000"))
    let found = rule.occurrences(from: start, in: start, through: try #require(WallTime("20600101T000000")))
    #expect(found.count <= RecurrenceRule.limit && found.first == start)
  }

  @Test(
    "what is no rule is refused",
    arguments: ["", "FREQ=NEVER", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;BYSETPOS=0", "BYDAY=MO"])
  func refused(text: String) { #expect(RecurrenceRule(text) == nil) }
}
