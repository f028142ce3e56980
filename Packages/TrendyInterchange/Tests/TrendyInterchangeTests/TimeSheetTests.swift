import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("Time sheets and habits in JSON", .timeLimit(.minutes(5)))
struct TimeSheetTests {
  private func records(_ text: String, as word: String) throws -> [InterchangeRecord] {
    let bytes = Array(text.utf8)
    let format = try #require(try InterchangeFormat.detect(ByteInput(bytes)))
    #expect(format.word == word)
    return try FormatTableTests.records(bytes, as: format)
  }

  private func records(_ word: String) throws -> [InterchangeRecord] {
    try records(try #require(FormatSamples.all[word]), as: word)
  }

  private func events(_ records: [InterchangeRecord]) -> [ExternalEvent] {
    records.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  private func skips(_ records: [InterchangeRecord]) -> [String] {
    records.compactMap { if case .skip(let what, _) = $0 { what } else { nil } }
  }

  @Test func `a completed task is an event with its annotations and custom fields`() throws {
    let records = try records("taskwarrior")
    let event = try #require(events(records).first)
    #expect(event.timestamp == RFC3339.date(from: "2026-03-01T17:05:00Z"))
    #expect(event.notes == "file taxes\nask Kim")
    #expect(event.hints == ["home.admin", "home"])
    #expect(
      event.properties == ["project": .text("home.admin"), "tags": .text("paper"), "estimate": .number(2.5)])
    #expect(skips(records) == ["pending task"])
    // With `json.array=off`, each line is an object.
    let lines = try #require(FormatSamples.all["taskwarrior"]).split(separator: "\n").dropFirst().dropLast()
      .map { $0.hasSuffix(",") ? $0.dropLast() : $0 }
    let byLine = try self.records(lines.joined(separator: "\n"), as: "taskwarrior")
    #expect(events(byLine) == [event])
  }

  @Test func `the type of a Timewarrior interval is its first tag`() throws {
    let records = try records("timewarrior")
    let events = events(records)
    #expect(events.map(\.typeName) == ["code", "Time entry", "Time entry"])
    #expect(events[0].notes == "merged the \"parser\"")
    #expect(events[0].properties == ["tags": .text("deep work")])
    #expect(events[0].endDate == RFC3339.date(from: "2026-03-01T09:30:00Z"))
    #expect(events[1].endDate == events[1].timestamp)
    // An older version did not quote the annotation.
    #expect(events[2].notes == "no tags here")
    #expect(skips(records) == ["running interval"])
    let export = """
      [
      {"id":2,"start":"20260301T080000Z","end":"20260301T093000Z","tags":["deep work","code"],"annotation":"x"},
      {"id":1,"start":"20260303T080000Z","tags":["code"]}
      ]
      """
    let exported = self.events(try self.records(export, as: "timewarrior"))
    // An interval has the same key in Timewarrior's data files and in its export.
    #expect(exported.map(\.key) == [events[0].key])
  }

  @Test(
    "an invalid interval is reported",
    arguments: [
      "inc 20260301T080000Z - 20260301T070000Z # a", "inc 20260301T080000Z - now", "exc 20260301T080000Z",
      "inc 20261301T080000Z - 20261301T080000Z", "inc 20260301T080000Z x - 20260301T090000Z",
    ])
  func badIntervals(line: String) throws {
    let format = try #require(InterchangeFormat.named("timewarrior"))
    let records = try FormatTableTests.records(Array(line.utf8), as: format)
    #expect(records.count == 1 && events(records).isEmpty, "\(records)")
  }

  @Test func `a Watson frame is one event in both formats`() throws {
    let events = events(try records("watson"))
    #expect(events.map(\.typeName) == ["trendy", "Time entry"])
    #expect(events[0].properties == ["tags": .text("swift")])
    let log = """
      [{"id":"0123456789abcdef0123456789abcdef","project":"trendy","start":"2026-03-01T09:00:00+01:00",\
      "stop":"2026-03-01T10:00:00+01:00","tags":["swift"]}]
      """
    let logged = try records(log, as: "watson")
    #expect(self.events(logged) == [events[0]])
    let turned = "[[1772355600, 1772352000, \"x\", \"0123456789abcdef0123456789abcdef\", []]]"
    guard case .bad = try #require(try records(turned, as: "watson").first) else {
      Issue.record("the stop is before the start")
      return
    }
  }

  @Test func `heartbeats of one program are one event while the user is active`() throws {
    let records = try records("activitywatch")
    let events = events(records)
    #expect(events.map { $0.properties["app"] } == [.text("code"), .text("firefox")])
    #expect(events[0].timestamp == RFC3339.date(from: "2026-03-01T08:00:30Z"))
    #expect(events[0].endDate == RFC3339.date(from: "2026-03-01T08:05:00Z"))
    #expect(events[0].properties["active"] == .duration(270))
    // The user is away from 8:06 on. Window titles are not imported.
    #expect(events.count == 2 && !"\(events)".contains("private"))
  }

  @Test func `without activity data programs are read as recorded, and gaps of a minute separate events`() throws {
    func event(_ time: String, _ seconds: Double, _ app: String) -> String {
      "{\"timestamp\":\"2026-03-01T\(time)Z\",\"duration\":\(seconds),\"data\":{\"app\":\"\(app)\",\"title\":\"t\"}}"
    }
    let list = [
      event("08:00:00", 30, "a"), event("08:01:29", 10, "a"), event("08:02:39", 10, "a"), event("08:03:00", 0.5, "b"),
    ].joined(separator: ",")
    let records = try records(
      "{\"buckets\":{\"aw-watcher-window_x\":{\"id\":\"w\",\"events\":[\(list)]}}}", as: "activitywatch")
    let starts = events(records).map { String(RFC3339.string(from: $0.timestamp).dropFirst(11).prefix(8)) }
    #expect(starts == ["08:00:00", "08:02:39"])
    #expect(events(records).first?.properties["active"] == .duration(40))
    #expect(skips(records) == ["event shorter than a second"])
  }

  @Test func `programs are not events while the user is away`() throws {
    let records = try records(
      """
      {"buckets":{"aw-watcher-window_x":{"events":[
      {"timestamp":"2026-03-01T08:00:00Z","duration":60,"data":{"app":"a","title":"t"}}]},
      "aw-watcher-afk_x":{"events":[{"timestamp":"2026-03-01T08:00:00Z","duration":90,"data":{"status":"afk"}}]}}}
      """, as: "activitywatch")
    #expect(events(records).isEmpty)
  }

  @Test func `a HabitKit completion is on the day of its time zone`() throws {
    let records = try records("habitkit")
    let events = events(records)
    #expect(events.map { String(RFC3339.string(from: $0.timestamp).prefix(10)) } == ["2026-03-02", "2026-03-03"])
    #expect(events.map(\.isAllDay) == [true, true])
    #expect(events[1].properties == ["count": .number(3)])
    #expect(skips(records) == ["completion of an unknown habit", "completion with amount 0"])
    #expect(records.first == .type(ExternalType(name: "Read", colorHex: "#3B82F6", goal: Goal(3, per: .week))))
  }

  @Test func `Habitica clicks are events of their day, separated by direction`() throws {
    let records = try records("habitica-data")
    let events = events(records)
    #expect(events.map(\.typeName) == ["Read", "Read (-)", "Smoke", "Floss", "Task"])
    #expect(events.map { $0.properties["count"]?.intValue } == [3, nil, 2, nil, nil])
    #expect(events.last?.notes == "Taxes\nby post")
    #expect(
      skips(records) == [
        "entry without clicks", "missed day of a daily", "averaged days of a daily", "open to-do",
        "reward",
      ])
    #expect(records.contains(.type(ExternalType(name: "Floss", goal: Goal(2, per: .week)))))
  }

  @Test func `a later click on the same day is the same event in a later Habitica file`() throws {
    // The user's day begins at 05:00, three hours east of Greenwich, which is 02:00 UTC.
    func keys(at date: String) throws -> [[String]] {
      let milliseconds = try #require(RFC3339.date(from: date)).timeIntervalSince1970 * 1000
      return events(
        try self.records(
          """
          {"auth":{},"achievements":{},"preferences":{"timezoneOffset":-180,"dayStart":5},"tasks":{"habits":[
          {"_id":"h","text":"Read","up":true,"down":true,"history":[{"date":\(milliseconds),"scoredUp":1}]}]}}
          """, as: "habitica-data")
      ).map(\.key)
    }
    let morning = try keys(at: "2025-07-10T02:00:01Z")
    #expect(morning == (try keys(at: "2025-07-11T01:59:59Z")))
    #expect(morning != (try keys(at: "2025-07-11T02:00:01Z")))
    #expect(morning != (try keys(at: "2025-07-10T01:59:59Z")))
  }

  @Test func `a HabitBull row without an amount is not an event`() throws {
    let records = try records("habitbull")
    #expect(events(records).map(\.typeName) == ["Pushups", "Read"])
    #expect(events(records).map { $0.properties["count"]?.intValue } == [30, nil])
    #expect(events(records).first?.notes == "hard, but")
    #expect(skips(records).count == 2)
    let history = events(try self.records("habitica"))
    #expect(history.first?.properties == ["Task Type": .text("habit")])
  }

  @Test func `a Nomie note is one event per tag`() throws {
    let events = events(try records("nomie"))
    #expect(events.map(\.typeName) == ["Coffee", "run", "mood", "mood", "Note"])
    #expect(
      events[0].properties == ["count": .number(2), "people": .text("anna"), "context": .text("home")])
    #expect(events[0].coordinate == Coordinate(latitude: 52.1, longitude: 5.1))
    #expect(events[1].endDate == events[2].timestamp)
    #expect(events[1].endDate?.timeIntervalSince(events[1].timestamp) == 2710)
    #expect(events[1].coordinate == nil)
    #expect(events[2].properties == ["value": .number(7)] && events[3].properties == ["value": .number(6)])
    #expect(events[4].properties.isEmpty)
    #expect(Set(events.map(\.key)).count == 5)
    #expect(throws: InterchangeError.self) {
      try records("{\"nomie\":{\"number\":\"2.1\"},\"trackers\":[],\"events\":[]}", as: "nomie")
    }
  }

  @Test func `tag values are numbers, times, sums, numbers with a unit, or text`() throws {
    let tags = ["#a(1.5)", "#a(2+1)", "#a(250ml)", "#a(1:30)", "#a()", "#a(late)", "#", "#(", "#a((("]
    let file = { (note: String) in
      "{\"nomie\":{\"number\":\"6\"},\"trackers\":{},\"events\":[{\"_id\":\"i\",\"end\":0,\"note\":\"\(note)\"}]}"
    }
    let found = try tags.map { try #require(events(try records(file($0), as: "nomie")).first) }
    #expect(found.prefix(3).map { $0.properties["count"]?.doubleValue } == [1.5, 3, 250])
    #expect(found[3].endDate == Date(timeIntervalSince1970: 0) && found[3].timestamp < found[3].endDate ?? .distantPast)
    #expect(found[4].properties.isEmpty)
    #expect(found[5].properties == ["value": .text("late")])
    #expect(found.suffix(3).map(\.typeName) == ["Note", "Note", "a"])
  }

  @Test func `events of the original product keep their types, ids and values`() throws {
    let records = try records("json")
    guard case .entity(.eventType, let typeID, let look) = try #require(records.first),
      case .entity(.event, let id, let fields) = records[2], case .entity(.event, _, let away) = records[4]
    else {
      Issue.record("\(records)")
      return
    }
    #expect(look == ["name": "coffee", "color": "#AA3311", "icon": "cup"])
    #expect(records[1] == .property(key: "size", kind: .select, typeID: typeID))
    #expect(id == "2f0c4d8e-1111-4222-8333-444455556666")
    #expect(fields["event_type_id"] == .string(typeID))
    #expect(fields["properties"]?.objectValue?["size"]?.objectValue?["value"] == "large")
    #expect(fields["created_at"] == nil && fields["time_zone"] == nil)
    // An all-day event needs a zone for its date.
    #expect(away["time_zone"] == "UTC")
  }

  @Test func `truncated JSON gives the elements before and the position of its end`() throws {
    let text = try #require(FormatSamples.all["taskwarrior"])
    let format = try #require(InterchangeFormat.named("taskwarrior"))
    var count = 0
    do {
      try format.read(ByteInput(Array(text.utf8.dropLast(40))), FormatTableTests.options) { _, _ in count += 1 }
      Issue.record("no error")
    } catch let error as InterchangeError {
      #expect("\(error)".contains("line 3, column 85, in [1]"), "\(error)")
    }
    #expect(count == 1)
    // An invalid element does not affect the others.
    let records = try FormatTableTests.records(Array(text.replacing("2.5", with: "2.5.1").utf8), as: format)
    guard case .bad = records[0] else {
      Issue.record("\(records)")
      return
    }
    #expect(records.count == 2)
  }
}
