import Foundation
import Testing
import TrendyInsights
import TrendyModels

@Suite("TimeLedger")
struct TimeLedgerTests {
  /// Entries with the expected sums. A line is `TYPE START END [ZONE]`, in which a time without an offset is in
  /// Amsterdam and `-` is the end of a running event.
  struct Ledger: Sendable, CustomTestStringConvertible {
    let name: String
    let lines: [String]
    /// Seconds of each day.
    let days: [String: Double]
    /// Seconds by which the sum of all entries exceeds ``days``.
    var shared = 0.0
    var dayStart = 0

    var testDescription: String { name }
  }

  /// Now is 2026-11-20 12:00:30.
  static let ledgers = [
    Ledger(
      name: "within a day",
      lines: ["work 2026-05-04T09:00:00 2026-05-04T12:30:15", "run 2026-05-05T18:00 2026-05-05T18:30"],
      days: ["2026-05-04": 12_615, "2026-05-05": 1800]),
    Ledger(
      name: "over midnight", lines: ["sleep 2026-05-04T23:00 2026-05-05T07:00"],
      days: ["2026-05-04": 3600, "2026-05-05": 25_200]),
    Ledger(
      name: "over the start of the day", lines: ["sleep 2026-05-04T23:00 2026-05-05T07:00"],
      days: ["2026-05-04": 18_000, "2026-05-05": 10_800], dayStart: 14_400),
    Ledger(
      name: "over four days", lines: ["hike 2026-05-01T20:00 2026-05-04T06:00"],
      days: ["2026-05-01": 14_400, "2026-05-02": 86_400, "2026-05-03": 86_400, "2026-05-04": 21_600]),
    Ledger(
      name: "clock set forward", lines: ["sleep 2026-03-28T22:00 2026-03-29T06:00"],
      days: ["2026-03-28": 7200, "2026-03-29": 18_000]),
    Ledger(
      name: "clock set back", lines: ["sleep 2026-10-24T22:00 2026-10-26T00:00"],
      days: ["2026-10-24": 7200, "2026-10-25": 90_000]),
    Ledger(
      name: "overlap", lines: ["work 2026-05-04T09:00 2026-05-04T11:00", "call 2026-05-04T10:00 2026-05-04T12:00"],
      days: ["2026-05-04": 10_800], shared: 3600),
    Ledger(
      name: "nested overlap",
      lines: [
        "work 2026-05-04T09:00 2026-05-04T17:00", "call 2026-05-04T10:00 2026-05-04T12:00",
        "tea 2026-05-04T11:00 2026-05-04T11:10", "work 2026-05-04T16:30 2026-05-04T17:00",
      ], days: ["2026-05-04": 28_800], shared: 7200 + 600 + 1800),
    Ledger(
      name: "running", lines: ["work 2026-11-19T23:00 -", "tea 2026-11-20T08:00 2026-11-20T08:10"],
      days: ["2026-11-19": 3600, "2026-11-20": 43_230], shared: 600),
    Ledger(
      name: "zones",
      lines: [
        "flight 2026-05-04T22:00+09:00 2026-05-05T02:00+09:00 Asia/Tokyo",
        "work 2026-05-04T23:30-04:00 2026-05-05T00:30-04:00 America/New_York",
      ], days: ["2026-05-04": 7200 + 1800, "2026-05-05": 7200 + 1800]),
  ]

  static func local(dayStart: Int = 0) throws -> LocalTime {
    var local = try #require(LocalTime(zoneName: "Europe/Amsterdam"))
    local.dayStart = dayStart
    return local
  }

  /// Returns a time in Amsterdam or with its own offset.
  private static func time(_ text: String, _ local: LocalTime) throws -> Date {
    let whole = text.count == 16 ? text + ":00" : text.count == 22 ? text.prefix(16) + ":00" + text.suffix(6) : text
    if whole.count > 19 { return try #require(RFC3339.date(from: whole)) }
    let numbers = whole.split { !$0.isNumber }.compactMap { Int($0) }
    return local.date(
      year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4], second: numbers[5])
  }

  private func record(_ lines: [String], _ local: LocalTime) throws -> RecordFixture {
    var record = RecordFixture()
    for (place, line) in lines.enumerated() {
      let words = line.split(separator: " ").map(String.init)
      let end = words[2] == "-" ? nil : try Self.time(words[2], local)
      record.events.append(
        Event(
          id: "\(place)", eventTypeId: words[0], timestamp: try Self.time(words[1], local), endDate: end,
          timeZone: words.count > 3 ? words[3] : "Europe/Amsterdam"))
      if end == nil {
        record.settings.append(
          SyncedRecord(
            id: "s\(place)", kind: .setting, fields: ["key": .string(RunningSetting.key), "value": .string("\(place)")])
        )
      }
    }
    record.types = Set(record.events.map(\.eventTypeId)).sorted()
      .map { EventType(id: $0, name: $0, colorHex: "#000000", iconName: "star") }
    return record
  }

  private func ledger(
    _ record: RecordFixture, dayStart: Int = 0, _ change: (inout ReportQuery) -> Void = { _ in }
  ) throws -> TimeLedger {
    let local = try Self.local(dayStart: dayStart)
    var query = ReportQuery(now: try Self.time("2026-11-20T12:00:30", local), local: local)
    change(&query)
    return try Report(query, from: record).time(from: record)
  }

  private func seconds(_ table: TimeTable) -> [String: Double] {
    Dictionary(uniqueKeysWithValues: table.rows.map { ($0.key, $0.seconds) })
  }

  @Test(arguments: ledgers)
  func `the time of each day is exact, and shared time counts once`(ledger expected: Ledger) throws {
    let local = try Self.local(dayStart: expected.dayStart)
    let ledger = try ledger(record(expected.lines, local), dayStart: expected.dayStart)
    let once = TimeTable(ledger, by: .period(.day))
    #expect(seconds(once) == expected.days && once.overlap == 0)
    let sum = expected.days.values.reduce(0, +)
    #expect(once.total.seconds == sum && once.total.sessions == expected.lines.count)
    #expect(TimeTable(ledger, by: .type, countsOverlaps: true).total.seconds == sum + expected.shared)
    for grouping in [TimeTable.Grouping.type, .place, .word, .property(["x"]), .period(.week), .period(.month)] {
      let table = TimeTable(ledger, by: grouping)
      #expect(table.rows.reduce(0) { $0 + $1.seconds } - table.overlap == table.total.seconds)
      #expect(table.total.seconds == sum, "\(grouping)")
    }
    #expect((ledger.overlaps.reduce(0) { $0 + $1.seconds } > 0) == (expected.shared > 0))
  }

  @Test func `overlaps list the events that share each time`() throws {
    let ledger = try ledger(record(Self.ledgers[7].lines, Self.local()))
    #expect(ledger.overlaps.map { $0.events.map(\.id) } == [["0", "1"], ["0", "1", "2"], ["0", "1"], ["0", "3"]])
    #expect(ledger.overlaps.map(\.seconds) == [3600, 600, 3000, 1800])
    let table = TimeTable(ledger, by: .type)
    #expect(seconds(table) == ["work": 28_800, "call": 7200, "tea": 600] && table.overlap == 7800)
    #expect(table.rows.map(\.sessions) == [2, 1, 1] && table.total.seconds == 28_800)
  }

  @Test func `a range of days selects the time within it, also of events that begin before it`() throws {
    let lines = Self.ledgers[3].lines + ["flight 2026-05-02T23:00+09:00 2026-05-03T01:00+09:00 Asia/Tokyo"]
    let record = try record(lines, Self.local())
    for hours in [0.0, 12] {
      let ledger = try ledger(record) { query in
        let start = query.local.start(of: CivilDate(year: 2026, month: 5, day: 2)).addingTimeInterval(hours * 3600)
        query.range = start..<query.local.start(of: CivilDate(year: 2026, month: 5, day: 3))
      }
      let table = TimeTable(ledger, by: .type, countsOverlaps: true)
      // The first hour of the flight is on 2 May in Tokyo, but only from 16:00 in Amsterdam.
      #expect(seconds(table) == ["hike": (24 - hours) * 3600, "flight": 3600], "\(hours)")
    }
  }

  @Test func `a running event counts up to now, however long ago it began`() throws {
    var record = try record(["work 2026-01-01T00:00 -", "tea 2026-01-01T00:00 2026-03-01T00:00"], Self.local())
    func hours(_ range: (ReportQuery) -> Range<Date>) throws -> [String: Double] {
      seconds(TimeTable(try ledger(record) { $0.range = range($0) }, by: .type)).mapValues { $0 / 3600 }
    }
    let today = try hours { $0.local.start(of: $0.today)..<Date.distantFuture }
    #expect(today == ["work": 12 + 30 / 3600.0])
    record.settings = []
    #expect(try hours { $0.local.start(of: $0.today)..<Date.distantFuture } == [:])
    #expect(TimeTable(try ledger(record), by: .type).total.running == 0)
  }

  @Test func `without an end, the first duration property counts on the day of the event`() throws {
    var record = try record(
      ["run 2026-05-04T23:50 2026-05-04T23:50", "run 2026-05-05T10:00 2026-05-05T11:00"], Self.local())
    record.definitions = [
      PropertyDefinition(id: "d", eventTypeId: "run", key: "moving", label: "", propertyType: .duration)
    ]
    record.events[0].endDate = nil
    for place in 0...1 { record.events[place].properties = ["moving": .duration(1500)] }
    #expect(
      try seconds(TimeTable(ledger(record), by: .period(.day))) == ["2026-05-04": 1500, "2026-05-05": 3600])
    record.events[1].isAllDay = true
    #expect(try seconds(TimeTable(ledger(record), by: .type)) == ["run": 3000])
    record.events[0].endDate = record.events[0].timestamp
    #expect(try seconds(TimeTable(ledger(record), by: .type)) == ["run": 3000])
    // A value from another device can be any finite number.
    for place in 0...1 { record.events[place].properties = ["moving": .duration(1e308)] }
    #expect(try ledger(record).entries.isEmpty)
  }

  @Test func `an event counts up to now in a zone where it is already tomorrow`() throws {
    // 11:30 on the 20th in Amsterdam is 00:30 on the 21st in Kiritimati.
    let record = try record(["work 2026-11-20T11:30 - Pacific/Kiritimati"], Self.local())
    #expect(try seconds(TimeTable(ledger(record), by: .period(.day))) == ["2026-11-21": 1830])
  }

  @Test func `the rounded overlap is at most the sum of the rounded rows`() throws {
    let lines = (0..<3).map { "\($0) 2026-05-04T10:00 2026-05-04T10:07" }
    let table = TimeTable(
      try ledger(record(lines, Self.local())), by: .type, rounding: TimeTable.Rounding(step: 900, isUp: false))
    #expect(table.overlap == 0 && table.total.seconds == 0)
  }

  @Test func `a property is found by each of its spellings`() throws {
    var record = try record(
      ["work 2026-05-04T09:00 2026-05-04T10:00", "call 2026-05-04T11:00 2026-05-04T11:30"], Self.local())
    record.events[0].properties = ["Client": .text("Acme")]
    record.events[1].properties = ["client": .text("Acme")]
    #expect(try seconds(TimeTable(ledger(record), by: .property(["Client", "client"]))) == ["Acme": 5400])
  }

  @Test func `visits recorded by a device count only if their type is named or has a goal`() throws {
    var record = try record(["visit 2026-05-04T09:00 2026-05-04T10:00"], Self.local())
    record.events[0].sourceType = .geofence
    #expect(try ledger(record).entries.isEmpty)
    #expect(try ledger(record) { $0.types = ["visit"] }.entries.count == 1)
    #expect(try ledger(record) { $0.countsPositions = true }.entries.count == 1)
    record.types[0].goal = Goal(1, per: .day)
    #expect(try ledger(record).entries.count == 1)
  }

  @Test func `words are the tags and the hashtags of the note`() throws {
    var record = try record(
      ["work 2026-05-04T09:00 2026-05-04T10:00", "work 2026-05-04T11:00 2026-05-04T11:30"], Self.local())
    record.events[0].properties = ["Tags": .text("Acme, bug fix")]
    record.events[0].notes = "called #acme,#Budget. #bug-fix"
    let table = TimeTable(try ledger(record), by: .word)
    #expect(seconds(table) == ["acme": 3600, "bug fix": 3600, "bug-fix": 3600, "budget": 3600, "": 1800])
    #expect(table.overlap == 10_800 && table.total.seconds == 5400)
  }

  @Test func `rows are rounded, and the total is the sum of the rounded rows`() throws {
    let lines = [
      "a 2026-05-04T09:00 2026-05-04T09:07", "b 2026-05-04T10:00 2026-05-04T10:08",
      "c 2026-05-04T10:01 2026-05-04T10:08",
    ]
    let ledger = try ledger(record(lines, Self.local()))
    func table(isUp: Bool) -> TimeTable {
      TimeTable(ledger, by: .type, rounding: TimeTable.Rounding(step: 900, isUp: isUp))
    }
    #expect(seconds(table(isUp: false)) == ["a": 0, "b": 900, "c": 0] && table(isUp: false).total.seconds == 900)
    // The overlap of 7 minutes is rounded down, in favour of the user.
    #expect(seconds(table(isUp: true)) == ["a": 900, "b": 900, "c": 900] && table(isUp: true).total.seconds == 2700)
  }

  @Test func `a series of time sums each step and counts each event once`() throws {
    let record = try record(Self.ledgers[1].lines + Self.ledgers[6].lines, Self.local())
    let local = try Self.local()
    var query = ReportQuery(now: try Self.time("2026-05-06T12:00", local), local: local)
    (query.measure, query.types) = (.time, ["sleep"])
    let report = try Report(query, from: record)
    let series = report.series(of: report.rows[0])
    #expect(series.steps.points.map(\.value) == [3600, 25_200, 0] && series.steps.points.map(\.events) == [1, 0, 0])
    // The range begins after the start of the event.
    query.range = local.start(of: try #require(CivilDate("2026-05-05")))..<Date.distantFuture
    let later = try Report(query, from: record)
    #expect(later.series(of: later.allRows[0]).steps.points.map(\.value) == [25_200, 0])
  }
}
