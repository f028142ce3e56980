import Foundation
import Testing
import TrendyInterchange
import TrendyModels

/// The format of a column is inferred from all its cells. If it is ambiguous, the user must choose.
@Suite("Inference of table formats", .timeLimit(.minutes(5)))
struct TableInferenceTests {
  struct Reading {
    var events: [ExternalEvent] = []
    var problems: [String] = []
    var skipped: [String: Int] = [:]
  }

  static func read(_ text: String, _ change: (inout ImportOptions) -> Void = { _ in }) throws -> Reading {
    var options = FormatTableTests.options
    change(&options)
    var reading = Reading()
    let bytes = Array(text.utf8)
    let format = try #require(try InterchangeFormat.detect(ByteInput(bytes), columns: options.columns), "\(text)")
    try format.read(ByteInput(bytes), options) { record, place in
      switch record {
      case .event(let event): reading.events.append(event)
      case .bad(let reason): reading.problems.append("\(place): \(reason)")
      case .skip(let what, let count): reading.skipped[what, default: 0] += count
      default: Issue.record("\(place): \(record)")
      }
    }
    return reading
  }

  private static func values(_ cells: [String], separator: String = ",") throws -> [Double?] {
    let rows = cells.enumerated().map { index, cell in
      let quoted = separator == "," && cell.contains(",") ? "\"\(cell)\"" : cell
      return "A\(separator)2026-03-\(index + 10)\(separator)\(quoted)"
    }
    let header = ["type", "date", "n"].joined(separator: separator)
    return try read(([header] + rows).joined(separator: "\n")).events.map { event in
      event.properties["n"].flatMap { $0.type == .number ? $0.doubleValue : nil }
    }
  }

  @Test(
    "a column has one decimal sign",
    arguments: [
      (["1.234,5", "8.432", "12.345"], ";", [1234.5, 8432, 12345]),
      (["0,125", "1,25"], ",", [0.125, 1.25]),
      (["0.125", "1.250"], ";", [0.125, 1.25]),
      (["1,234.5", "8,432"], ",", [1234.5, 8432]),
      (["1.250", "12345"], ";", [1.25, 12345]),
      (["1,234", "2,500"], ",", [1234, 2500]),
      (["1,234", "2,500"], "\t", [1.234, 2.5]),
      (["1 234,5", "1 000"], ";", [1234.5, 1000]),
      (["1'234.50", "7"], ",", [1234.5, 7]),
      (["1.234.567", "1.000"], ",", [1_234_567, 1000]),
      (["\u{2212}2,5", "3,75"], "\t", [-2.5, 3.75]),
      (["(5)", "12"], ",", [-5, 12]),
      (["1,5", "2.5"], ",", [1.5, 2.5]),
    ])
  func numbers(cells: [String], separator: String, expected: [Double]) throws {
    #expect(try Self.values(cells, separator: separator) == expected)
  }

  @Test func `an unreadable cell is kept as text and affects no other`() throws {
    let reading = try Self.read(
      "type,date,n\nA,2026-03-01,72.5\nA,2026-03-02,n.b.\nA,2026-03-03,72.1\nA,2026-03-04,71\n")
    #expect(reading.events.map { $0.properties["n"] } == [.number(72.5), .text("n.b."), .number(72.1), .number(71)])
    #expect(reading.events[1].kinds["n"] == .number)
    #expect(reading.problems == ["line 3: n 'n.b.' is not a number: imported as text"])
  }

  @Test func `codes keep their leading zeros`() throws {
    let reading = try Self.read("type,date,post\nA,2026-03-01,01234\nA,2026-03-02,99999\n")
    #expect(reading.events.map { $0.properties["post"] } == [.text("01234"), .text("99999")])
  }

  @Test func `an ambiguous number requires a choice, made by an option`() throws {
    let table = "Was;Datum;Menge\nA;01.03.2026;8.432\nA;02.03.2026;1.250\n"
    #expect(throws: InterchangeError.self) { try Self.read(table) }
    #expect(try Self.read(table) { $0.decimalSign = .comma }.events.first?.properties["Menge"] == .number(8432))
    #expect(try Self.read(table) { $0.decimalSign = .point }.events.first?.properties["Menge"] == .number(8.432))
    // Another column in the table determines the decimal separator.
    let both = "Was;Datum;Menge;Preis\nA;01.03.2026;8.432;1,5\nA;02.03.2026;1.250;2,5\n"
    #expect(try Self.read(both).events.first?.properties["Menge"] == .number(8432))
  }

  // MARK: Dates

  @Test(
    "an unreadable date neither affects other dates nor resolves an ambiguity",
    arguments: ["unknown", "31/31/2026", "-"])
  func unreadableDate(cell: String) throws {
    #expect(throws: InterchangeError.self) {
      try Self.read("type,date\nA,01/02/2026\nA,\(cell)\nA,05/03/2026\nA,02/07/2026\nA,03/04/2026\n")
    }
    let reading = try Self.read("type,date\nA,25/02/2026\nA,\(cell)\nA,05/03/2026\n")
    #expect(reading.events.map { RFC3339.string(from: $0.timestamp).prefix(10) } == ["2026-02-25", "2026-03-05"])
    #expect(reading.problems.count == 1)
  }

  @Test(
    "dates in several languages are read",
    arguments: [
      ("1. März 2026 08:05", "2026-03-01T08:05"), ("01.03.2026 um 8:05 Uhr", "2026-03-01T08:05"),
      ("1 mars 2026 8h05", "2026-03-01T08:05"), ("1 de marzo de 2026 08:05", "2026-03-01T08:05"),
      ("zo 1 maart 2026 08:05", "2026-03-01T08:05"), ("Sunday, March 1st 2026, 8:05 AM", "2026-03-01T08:05"),
      ("Sun Mar 01 2026 08:05:00 GMT+0000 (Coordinated Universal Time)", "2026-03-01T08:05"),
      ("Sun, 1 Mar 2026 09:05:00 +0100", "2026-03-01T08:05"), ("20260301T080500Z", "2026-03-01T08:05"),
      ("1. 3. 2026 8:05", "2026-03-01T08:05"), ("2026/03/01 08:05", "2026-03-01T08:05"),
      ("1772352300", "2026-03-01T08:05"),
      ("1772352300000", "2026-03-01T08:05"), ("46082.3368055556", "2026-03-01T08:05"),
      ("2026-03-01 08:05:00 UTC", "2026-03-01T08:05"), ("2026-03-01 10:05 UTC+2", "2026-03-01T08:05"),
    ])
  func dates(text: String, expected: String) throws {
    let event = try #require(try Self.read("type\tdate\nA\t\(text)\n").events.first)
    #expect(RFC3339.string(from: event.timestamp).prefix(16) == expected)
  }

  // MARK: Durations

  @Test(
    "common notations of durations are read",
    arguments: [
      ("45 minutes", 2700.0), ("2 hours", 7200), ("1 hour 30 mins", 5400), ("90 mins", 5400), ("1:30", 5400),
      ("1h30", 5400),
      ("1h 30m", 5400), ("18:25 min", 1105), ("1:30 h", 5400), ("1,5 h", 5400), ("1.5h", 5400), ("PT1H30M", 5400),
      ("2 Std. 10 Min.", 7800), ("1 heure 5 minutes", 3900), ("30 sec", 30), ("1 h and 5 min", 3900), ("2 d", 172_800),
      ("01:30:10", 5410), ("500 ms", 0.5), ("90'", 5400),
    ])
  func durations(text: String, seconds: Double) throws {
    let event = try #require(try Self.read("type;date;duration\nA;2026-03-01 08:00;\(text)\n").events.first)
    #expect(event.endDate?.timeIntervalSince(event.timestamp) == seconds)
  }

  @Test(
    "the unit of a bare number is that of the header or of other cells",
    arguments: [
      ("Duration (min)", "45", 2700.0), ("duration_minutes", "45", 2700), ("hours", "1.5", 5400),
      ("Dauer [h]", "2", 7200),
      ("durationSeconds", "90", 90), ("duration", "45,30 min", 2700), ("Duration (mm:ss)", "18:25", 1105),
    ])
  func units(column: String, cells: String, seconds: Double) throws {
    let rows = cells.split(separator: ",").map { "A;2026-03-01 08:00;\($0)" }.joined(separator: "\n")
    let event = try #require(try Self.read("type;date;\(column)\n\(rows)\n").events.first { $0.endDate != nil })
    #expect(event.endDate?.timeIntervalSince(event.timestamp) == seconds)
  }

  @Test func `a bare number without a unit requires a choice unless the row has an end`() throws {
    let table = "type,date,duration\nA,2026-03-01 08:00,45\n"
    #expect(throws: InterchangeError.undecided(.durationUnit, reason: "column 'duration': duration '45' has no unit")) {
      try Self.read(table)
    }
    let event = try #require(try Self.read(table) { $0.durationUnit = .minutes }.events.first)
    #expect(event.endDate?.timeIntervalSince(event.timestamp) == 2700)
    let ended = "type,start,end,duration\nA,2026-03-01 08:00,2026-03-01 08:45,about 45\n"
    let reading = try Self.read(ended)
    #expect(reading.problems.isEmpty && reading.events.first?.endDate != nil)
  }

  @Test func `an event with an unreadable value is read without it`() throws {
    let reading = try Self.read(
      """
      type,start,end,duration,latitude,longitude
      A,2026-03-01 08:00,late,,52,5
      A,2026-03-01 09:00,,a while,52,5
      A,2026-03-01 10:00,2026-03-01 09:00,,52,5
      A,2026-03-01 11:00,,,north,5
      """)
    #expect(reading.events.count == 4 && reading.problems.count == 4)
    #expect(reading.events.allSatisfy { $0.endDate == nil })
    #expect(reading.problems.map { $0.prefix(6) } == ["line 2", "line 3", "line 4", "line 5"])
    let clock = try Self.read("type,date,time\nA,2026-03-01,noonish\nA,2026-03-02,08:00\n")
    #expect(clock.events.map(\.isAllDay) == [true, false] && clock.problems.count == 1)
  }

  // MARK: Rows

  @Test func `cells beyond the header are added to the note or reported`() throws {
    let note = try Self.read("type,date,note\nA,2026-03-01,slept well, ate early\nA,2026-03-02,fine\n")
    #expect(note.events.map(\.notes) == ["slept well, ate early", "fine"])
    #expect(note.problems.count == 1)
    let other = try Self.read("type,note,date\nA,fine,2026-03-01,spare\n")
    #expect(other.events.count == 1 && other.problems.first?.contains("'spare'") == true)
    // A separator at the end of every row does not add a cell.
    #expect(try Self.read("type,date\nA,2026-03-01,\n").problems.isEmpty)
  }

  @Test(
    "an unclosed quote affects no other row",
    arguments: [
      "A,2026-03-01,\"open\nB,2026-03-02,x\nC,2026-03-03,\"y\"\n",
      "A,2026-03-01,\"open\nB,2026-03-02,x\nC,2026-03-03,y\n",
    ])
  func openQuote(rows: String) throws {
    let reading = try Self.read("type,date,note\n\(rows)")
    #expect(reading.events.map(\.typeName) == ["A", "B", "C"])
    #expect(reading.problems == ["line 2: unclosed quote"])
  }

  @Test func `a table without a type column requires a type`() throws {
    for table in [
      "Date,Weight\n2026-03-01,72.5\n2026-03-02,72.1\n", "Datum;Gewicht\n01.03.2026;72,5\n02.03.2026;72,1\n",
      "Date\tSystolic\tDiastolic\n2026-03-01\t120\t80\n", "Tag;Gewicht\n13.03.2026;72,5\n14.03.2026;72,1\n",
      "2026-03-01,72.5\n2026-03-02,72.1\n",
    ] {
      #expect(throws: InterchangeError.self) { try Self.read(table) }
      let events = try Self.read(table) { $0.typeName = "Body" }.events
      #expect(!events.isEmpty && events.allSatisfy { $0.typeName == "Body" && !$0.properties.isEmpty }, "\(table)")
      #expect(events.allSatisfy { $0.properties.values.allSatisfy { $0.type == .number } }, "\(table)")
    }
  }

  @Test func `in a table with a column for each habit, each completed cell is an event`() throws {
    let reading = try Self.read(
      "Date,Coffee,Run,Meditate,Notes\n2026-03-01,2,1,,tired\n2026-03-02,0,no,x,\n2026-03-03,,missed,✓,\n")
    #expect(reading.events.map(\.typeName) == ["Coffee", "Run", "Meditate", "Meditate"])
    #expect(reading.events.map { $0.properties["count"] } == [.number(2), nil, nil, nil])
    #expect(reading.events.map(\.notes) == ["tired", "tired", nil, nil])
    #expect(reading.skipped == ["day without entries": 3])
    let chosen = try Self.read("Date,A,B\n2026-03-01,half,full\n2026-03-02,full,none\n") { $0.doneValues = ["full"] }
    #expect(chosen.events.map(\.typeName) == ["B", "A"])
  }

  @Test func `title rows are skipped and counted`() throws {
    let reading = try Self.read("My habits\nmade 2026-03-05\n\ntype;date;amount\nRun;2026-03-01;5\nRun;2026-03-02;6\n")
    #expect(reading.events.map { $0.properties["amount"] } == [.number(5), .number(6)])
    #expect(reading.skipped == ["title row above the header": 2])
  }

  @Test func `an activity type takes precedence over a title, and names may be in camel case`() throws {
    let garmin = try Self.read(
      "Activity Type,Date,Favorite,Title,Distance,Time\nRunning,2026-03-01 08:05:09,false,Morning Run,5.02,00:30:10\n")
    let event = try #require(garmin.events.first)
    #expect(event.typeName == "Running" && event.title == "Morning Run")
    #expect(event.endDate?.timeIntervalSince(event.timestamp) == 1810)
    #expect(try Self.read("eventType,startTime\nRun,2026-03-01T08:00:00Z\n").events.first?.typeName == "Run")
  }

  @Test func `an option with an unknown column is an error that lists the columns`() throws {
    #expect(throws: InterchangeError.noSuchColumn("Dayy", ["What", "Day"])) {
      try Self.read("What,Day\nA,2026-03-01\n") { $0.columns = ["start": "Dayy", "type": "What"] }
    }
  }

  // MARK: Zones

  @Test(
    "time zones are recognized by their names",
    arguments: [
      ("UTC+2", "06:00"), ("GMT+0100", "07:00"), ("UTC-03:30", "11:30"), ("europe/paris", "07:00"),
      ("EUROPE/PARIS", "07:00"),
      ("W. Europe Standard Time", "07:00"), ("\"Tokyo Standard Time\"", "23:00"), ("tzone://Microsoft/Utc", "08:00"),
      ("(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna", "07:00"),
      ("(GMT-05:00) Eastern Time (US & Canada)", "13:00"),
      ("(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi", "02:30"), ("America/port-au-prince", "13:00"),
      ("utc", "08:00"),
      ("/mozilla.org/20070129_1/Europe/Berlin", "07:00"), ("(UTC+02:00)", "06:00"),
      ("Line Islands Standard Time", "18:00"),
    ])
  func zones(name: String, expected: String) throws {
    let quoted = "\"\(name.replacing("\"", with: "\"\""))\""
    let event = try #require(try Self.read("type,start,time zone\nA,2026-03-01 08:00,\(quoted)\n").events.first)
    #expect(RFC3339.string(from: event.timestamp).dropFirst(11).prefix(5) == expected)
  }

  @Test func `an unknown zone requires a choice, or is reported if the user chose a zone`() throws {
    let table = "type,start,time zone\nA,2026-03-01 08:00,Middle Earth\nA,2026-03-01T08:00:00Z,Mordor\n"
    #expect(throws: InterchangeError.undecided(.zone, reason: "unknown time zone 'Middle Earth'")) {
      try Self.read(table)
    }
    let chosen = try Self.read(table) { $0.isZoneChosen = true }
    #expect(chosen.events.count == 2 && chosen.problems.count == 2)
  }
}
