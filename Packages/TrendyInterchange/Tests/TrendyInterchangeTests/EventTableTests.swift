import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("Tables of events", .timeLimit(.minutes(5)))
struct EventTableTests {
  private func events(
    _ text: String, as word: String = "csv", zone: ZoneClock? = nil, _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> [ExternalEvent] {
    var options = FormatTableTests.options
    if let zone { options.zone = zone }
    change(&options)
    var events: [ExternalEvent] = []
    try #require(InterchangeFormat.named(word)).read(ByteInput(Array(text.utf8)), options) { record, place in
      switch record {
      case .event(let event): events.append(event)
      default: Issue.record("\(place): \(record)")
      }
    }
    return events
  }

  private func moment(_ text: String) throws -> Date { try #require(RFC3339.date(from: text)) }

  @Test func `a table with semicolons has decimal commas and dates that begin with the day`() throws {
    let event = try #require(try events(FormatTableTests.samples["csv"] ?? "").first)
    #expect(event.typeName == "Kaffee")
    #expect(event.timestamp == (try moment("2026-03-01T08:05:00Z")))
    #expect(event.notes == "zwei\nZeilen")
    #expect(event.properties["Menge"] == .number(1.5))
  }

  @Test func `whole numbers keep all digits, and those of more than 64 bits are text`() throws {
    let table = "type,start,n,code\nRun,2026-03-01T08:00:00Z,9007199254740993,12345678901234567890\n"
    let event = try #require(try events(table).first)
    #expect(event.properties["n"] == PropertyValue(type: .number, value: .int(9_007_199_254_740_993)))
    #expect(event.properties["code"] == .text("12345678901234567890"))
  }

  @Test func `the original web export uses 12-hour times in its zone`() throws {
    let amsterdam = try #require(ZoneClock(named: "Europe/Amsterdam"))
    let event = try #require(
      try events(FormatTableTests.samples["trendy-csv"] ?? "", as: "trendy-csv", zone: amsterdam).first)
    #expect(event.timestamp == (try moment("2026-01-02T14:05:00Z")))
    #expect(event.notes == "oat, \"flat\"")
    #expect(event.properties == ["size": .text("large")])
    #expect(event.endDate == nil && !event.isAllDay)
  }

  @Test func `Toggl's newer export with selected columns is read, and a dash is an empty cell`() throws {
    let rows = """
      "Description","Billable","Duration","Member","Email","Project","Tags","Start date","Start time","Stop date","Stop time"
      "dig, plant","No","1:30:00","Kim","kim@example.test","Garden","spring","2026-03-09","23:00:00","2026-03-10","00:30:00"
      "rest","No","0:30:00","Kim","kim@example.test","-","-","2026-03-10","01:00:00","2026-03-10","01:30:00"
      """
    #expect(try InterchangeFormat.detect(ByteInput(Array(rows.utf8)))?.word == "toggl")
    let whole = try events(rows, as: "toggl")
    #expect(whole.map(\.typeName) == ["Garden", "Time entry"])
    #expect(whole.map(\.notes) == ["dig, plant", "rest"])
    #expect(
      try whole.map(\.endDate) == [moment("2026-03-10T00:30:00Z"), moment("2026-03-10T01:30:00Z")])
    #expect(whole[0].properties == ["Billable": .boolean(false), "Tags": .text("spring")])
    let few = "Description,Start date,Start time,Stop date,Stop time\nrest,2026-03-10,01:00:00,2026-03-10,01:30:00\n"
    #expect(try events(few, as: "toggl").map(\.typeName) == ["Time entry"])
  }

  @Test func `a Clockify export with few columns is read`() throws {
    let rows = """
      "Project","Description","Task","User","Group","Email","Tags","Billable","Start Date","Start Time","End Date","End Time","Client"
      "Garden","dig","Beds","Kim","","kim@example.test","spring","No","14/03/2026","10:23 AM","14/03/2026","11:23:01 AM","Ann"
      """
    #expect(try InterchangeFormat.detect(ByteInput(Array(rows.utf8)))?.word == "clockify")
    let event = try #require(try events(rows, as: "clockify").first)
    #expect(event.typeName == "Garden" && event.notes == "dig")
    #expect(try event.timestamp == moment("2026-03-14T10:23:00Z"))
    #expect(try event.endDate == moment("2026-03-14T11:23:01Z"))
  }

  @Test(
    "a time sheet of any tool is read",
    arguments: [
      "Date,From,To,Project,Notes\n2026-03-14,09:30,10:45,Garden,dig\n2026-03-14,23:30,0:15,Garden,dig\n",
      "Date,Start Time,End Time,Task,Comment\n2026-03-14,9:30 AM,10:45 AM,Garden,dig\n2026-03-14,11:30 PM,12:15 AM,Garden,dig\n",
      "Subject,Start Date,Start Time,End Date,End Time,Description\nGarden,14/03/2026,9:30,14/03/2026,10:45,dig\n"
        + "Garden,14/03/2026,23:30,15/03/2026,0:15,dig\n",
      "description,project,start,end\ndig,Garden,2026-03-14T09:30:00Z,2026-03-14T10:45:00Z\n"
        + "dig,Garden,2026-03-14T23:30:00Z,2026-03-15T00:15:00Z\n",
    ])
  func timeSheets(rows: String) throws {
    #expect(try InterchangeFormat.detect(ByteInput(Array(rows.utf8)))?.word == "csv")
    let sheet = try events(rows)
    #expect(sheet.map(\.typeName) == ["Garden", "Garden"])
    #expect(sheet.map(\.notes) == ["dig", "dig"])
    #expect(try sheet.map(\.timestamp) == [moment("2026-03-14T09:30:00Z"), moment("2026-03-14T23:30:00Z")])
    #expect(try sheet.map(\.endDate) == [moment("2026-03-14T10:45:00Z"), moment("2026-03-15T00:15:00Z")])
    #expect(sheet.allSatisfy { !$0.isAllDay && $0.properties.isEmpty })
  }

  @Test func `a time sheet with hours per day is read`() throws {
    let rows = "Date,Client,Project,Notes,Hours\n2026-03-14,Ann,Garden,dig,\"1,25\"\n"
    let event = try #require(try events(rows).first)
    #expect(event.typeName == "Garden" && event.isAllDay)
    #expect(event.properties == ["Client": .text("Ann"), "Hours": .duration(4500)])
    #expect(event.endDate == nil)
  }

  @Test func `midnight and noon are read in 12-hour times`() throws {
    let rows = "type,start\na,2026-01-02 12:00 AM\na,2026-01-02 12:30 p.m.\n"
    #expect(
      try events(rows).map(\.timestamp) == [
        moment("2026-01-02T00:00:00Z"), moment("2026-01-02T12:30:00Z"),
      ])
  }

  @Test func `day and month are distinguished by all rows, by their order, or not at all`() throws {
    func days(_ dates: String...) throws -> [String] {
      try events("type,date\n" + dates.map { "a,\($0)\n" }.joined()).map {
        String(RFC3339.string(from: $0.timestamp).prefix(10))
      }
    }
    #expect(try days("3/4/2026", "13/4/2026") == ["2026-04-03", "2026-04-13"])
    #expect(try days("3/4/2026", "4/13/2026") == ["2026-03-04", "2026-04-13"])
    // The dates are in ascending order only if the month comes first.
    #expect(try days("1/30/2026", "2/1/2026", "3/1/2026").last == "2026-03-01")
    #expect(try days("11/1/2026", "1/2/2026", "2/2/2026") == ["2026-01-11", "2026-02-01", "2026-02-02"])
    #expect(throws: InterchangeError.ambiguousDates(cell: "3/4/2026", dayFirst: "2026-04-03", monthFirst: "2026-03-04"))
    {
      try days("3/4/2026", "5/6/2026")
    }
    #expect(
      try events("type,date\na,3/4/2026\n") { $0.isDayFirst = false }.first?.timestamp == moment("2026-03-04T00:00:00Z")
    )
  }

  @Test func `a date without a time is an all-day event`() throws {
    let amsterdam = try #require(ZoneClock(named: "Europe/Amsterdam"))
    let event = try #require(try events("date,habit\n2026-07-01,run\n", zone: amsterdam).first)
    #expect(event.isAllDay)
    #expect(event.timestamp == (try moment("2026-06-30T22:00:00Z")))
    #expect(event.timeZone == "Europe/Amsterdam")
  }

  @Test("the encodings that spreadsheets write are read", arguments: ["utf16le", "utf16be", "cp1252"])
  func encodings(name: String) throws {
    let text = "type\tstart\tnote\nCafé\t2026-03-01 08:00\t€ 5\n"
    var bytes: [UInt8] = []
    switch name {
    case "utf16le": bytes = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    case "utf16be": bytes = [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    default: bytes = text.unicodeScalars.map { $0 == "€" ? 0x80 : UInt8($0.value) }
    }
    let format = try #require(try InterchangeFormat.detect(ByteInput(bytes)) ?? InterchangeFormat.named("csv"))
    guard case .event(let event) = try #require(try FormatTableTests.records(bytes, as: format).first) else {
      Issue.record("no event")
      return
    }
    #expect(event.typeName == "Café")
    #expect(event.notes == "€ 5")
  }

  @Test func `a duration across a clock change is the one that the tracker recorded`() throws {
    let amsterdam = try #require(ZoneClock(named: "Europe/Amsterdam"))
    let event = try #require(try events(FormatTableTests.samples["toggl"] ?? "", as: "toggl", zone: amsterdam).first)
    #expect(event.typeName == "Garden")
    #expect(event.timestamp == (try moment("2026-03-29T00:30:00Z")))
    #expect(event.endDate == (try moment("2026-03-29T02:00:00Z")))
  }

  @Test func `a Daylio entry has its mood, activities and a note without markup`() throws {
    let event = try #require(try events(FormatTableTests.samples["daylio"] ?? "", as: "daylio").first)
    #expect(event.typeName == "Mood")
    #expect(event.timestamp == (try moment("2026-03-01T21:05:00Z")))
    #expect(event.notes == "rain\nall day")
    #expect(event.properties["activities"] == .text("work, bad sleep"))
    #expect(event.properties["mood"] == .select("meh"))
  }

  @Test func `an unclosed quote is an error with limited use of memory`() throws {
    let text = "type,start\n\"" + String(repeating: "x", count: 3 << 20)
    #expect(throws: InterchangeError.self) { try events(text) }
  }

  /// Rows that end within the first block are parsed by another code path than later rows.
  @Test("a table is read identically in one piece and in small pieces", arguments: 1...9 as ClosedRange<UInt64>)
  func pieces(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let separator = try #require([",", ";", "\t"].randomElement(using: &generator))
    let end = try #require(["\n", "\r\n", "\r"].randomElement(using: &generator))
    let notes = [
      "", "plain", " spaces ", "\"quoted\"", "\"two\(end)lines\"", "\"a \"\"word\"\" of\"", "\"\"", "it's 5\" long",
      "  \"after spaces\"", "\"text\"behind", "\t\"tab\"", "é", " \u{301}mark", "\"\"\"\"", "\"sep\(separator)in\"",
    ]
    let dates = [
      "2026-03-01T08:05:00Z", "2026-03-01 08:05", "2026-03-01", "2026-03-01T08:05:09+01:00", "2026-03-01 24:00",
      "2026-03-01T08:05:09.250Z", "2026-03-01 8:05 pm", "2026/3/1", "2026-13-01", "", "2026-03-01T08:05:60Z",
    ]
    var text = ["type", "start", "note", "amount"].joined(separator: separator) + end
    for _ in 0..<3000 {
      let cells = try [
        "Run", #require(dates.randomElement(using: &generator)), #require(notes.randomElement(using: &generator)),
        #require(["", "5", "007", "1.5", "-3", " 12 ", "1e3"].randomElement(using: &generator)),
      ]
      text += cells.joined(separator: separator) + end
    }
    if Bool.random(using: &generator) { text.removeLast() }
    let bytes = Array(text.utf8)
    try #require(bytes.count > 70_000)
    func records(by size: Int) throws -> [String] {
      var rest = bytes[...]
      let input = ByteInput {
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
      }
      var found: [String] = []
      try #require(InterchangeFormat.named("csv")).read(input, FormatTableTests.options) {
        found.append("\($1): \($0)")
      }
      return found
    }
    let whole = try records(by: bytes.count)
    // If tabs are the separators, a note that begins with a tab adds a cell to its row.
    #expect(whole.count { !$0.contains("more cells than the header") } == 3000)
    for size in [7, 64, 1000] { #expect(try records(by: size) == whole) }
  }

  /// The keys must never change. Otherwise an import would add every row of a table again.
  @Test func `the keys of rows match those of the first version`() throws {
    let text =
      "type,start,note,amount,mood,done\nRun,2026-03-01T08:05:00Z,far,5,\"so \"\"so\"\" é\",yes\nRun,2026-03-01,,1.5,,no\n"
    let keys = try events(text).map(\.key)
    #expect(
      keys == [
        [
          "csv", "Run", "2026-03-01T08:05:00.000Z", "", "far", "amount", "int(5)", "done", "bool(true)", "mood",
          #"string("so \"so\" é")"#,
        ],
        ["csv", "Run", "date", "2026-03-01", "", "amount", "double(1.5)", "done", "bool(false)"],
      ])
  }
}
