import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("Archives of habit trackers", .timeLimit(.minutes(5)))
struct HabitArchiveTests {
  private struct NoSuchFile: Error {}

  private static func files(_ contents: [String: [UInt8]]) -> ExportFiles {
    ExportFiles(contents.keys) { path in
      guard let bytes = contents[path] else { throw NoSuchFile() }
      var position = 0
      return { buffer in
        let count = min(buffer.count, bytes.count - position)
        buffer.copyBytes(from: bytes[position..<(position + count)])
        position += count
        return count
      }
    }
  }

  private static func files(_ contents: [String: String]) -> ExportFiles {
    files(contents.mapValues { Array($0.utf8) })
  }

  private func records(_ files: ExportFiles, as word: String) throws -> [InterchangeRecord] {
    let format = try #require(try InterchangeFormat.detect(in: files))
    #expect(format.word == word)
    var records: [InterchangeRecord] = []
    var options = FormatTableTests.options
    options.zone = try #require(ZoneClock(named: "Europe/Amsterdam"))
    try format.read(files, options) { record, place in
      #expect(!place.isEmpty)
      records.append(record)
    }
    return records
  }

  private func events(_ records: [InterchangeRecord]) -> [ExternalEvent] {
    records.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  @Test func `a habit of Loop has its days, amounts, notes and goal`() throws {
    let records = try records(Self.files(FormatSamples.loop), as: "loop")
    let events = events(records)
    #expect(events.map(\.typeName) == ["Meditate", "Run, slowly", "読書"])
    #expect(events.allSatisfy { $0.isAllDay })
    #expect(events.map(\.notes) == [nil, "5 km", nil])
    #expect(events[2].properties == ["count": .number(12.5)])
    // Midnight in Amsterdam.
    #expect(events[0].timestamp == RFC3339.date(from: "2026-03-01T23:00:00Z"))
    let types = records.compactMap { if case .type(let type) = $0 { type } else { nil } }
    #expect(types.map(\.name) == ["Meditate", "Run, slowly", "読書"])
    #expect(types.map(\.goal) == [Goal(1, per: .day), Goal(3, per: .week), Goal(20, per: .day)])
    #expect(types[0].colorHex == "#FF8F00")
    let skips = records.compactMap { if case .dayOff(let skip) = $0 { skip } else { nil } }
    #expect(skips.map(\.note) == ["at sea, no signal"])
    let day = try #require(CivilDate("2026-03-01"))
    #expect(skips.map(\.days) == [day...day])
  }

  @Test func `an archive of Loop before 2.3.1 does not state which habits are numerical`() throws {
    let records = try records(Self.files(FormatSamples.oldLoop), as: "loop")
    let events = events(records)
    #expect(events.map(\.typeName) == ["Meditate", "Pages", "Lost"])
    #expect(events.map { $0.properties["count"]?.doubleValue } == [nil, 12, nil])
    #expect(records.contains { if case .dayOff = $0 { true } else { false } })
    #expect(records.filter { if case .bad = $0 { true } else { false } }.count == 1)
  }

  @Test func `an archive of Loop without the folders of its habits is an error`() throws {
    let tables = FormatSamples.loop.filter { !$0.key.contains("/") }
    #expect(tables.keys.contains("Habits.csv"))
    #expect(throws: InterchangeError.self) { try records(Self.files(tables), as: "loop") }
  }

  @Test func `days have the same key in both versions of the archive`() throws {
    let new = events(try records(Self.files(FormatSamples.loop), as: "loop"))
    let old = events(try records(Self.files(FormatSamples.oldLoop), as: "loop"))
    #expect(new[0].key == old[0].key)
    #expect(Set(new.map(\.key)).count == new.count)
  }

  @Test func `an archive written for Loop is read identically`() throws {
    let format = try #require(InterchangeFormat.named("loop"))
    let types = [
      EventType(id: "t1", name: "Tea, green", colorHex: "#123456", iconName: "x"),
      EventType(id: "t2", name: "Run", colorHex: "#123456", iconName: "x"),
    ]
    let context = ExportContext(
      types: Dictionary(uniqueKeysWithValues: types.map { ($0.id, $0) }), propertyKeys: [], zone: .utc, now: .now,
      date: { moment, _ in ZoneClock.utc.wall(at: moment).day })
    var writer = try #require(format.archiveWriter(context))
    let day = CivilDate(year: 2026, month: 3, day: 1)
    func event(_ type: String, _ properties: [String: PropertyValue] = [:], note: String? = nil) -> Event {
      Event(id: UUID().uuidString, eventTypeId: type, timestamp: .now, notes: note, properties: properties)
    }
    writer.take(event("t1", ["count": .number(1.5)], note: "a, \"b\""), on: day)
    writer.take(event("t1"), on: day)
    writer.take(event("t2"), on: day)
    writer.take(daysOff: day...day.advanced(by: 1), ofType: "t2", note: "ill")
    let written = writer.files()
    #expect(written.map(\.path) == ["Habits.csv", "001 Run/Checkmarks.csv", "002 Tea green/Checkmarks.csv"])
    let records = try records(
      Self.files(Dictionary(uniqueKeysWithValues: written.map { ($0.path, $0.content) })), as: "loop")
    let events = events(records)
    #expect(events.map(\.typeName) == ["Run", "Tea, green"])
    #expect(events[1].properties == ["count": .number(2.5)])
    #expect(events[1].notes == "a, \"b\"")
    // The habit was done on the first of the two days, so only the second day is skipped.
    let skips = records.compactMap { if case .dayOff(let skip) = $0 { skip } else { nil } }
    #expect(skips.map(\.key.last) == ["2026-03-02"])
    #expect(skips.map(\.note) == ["ill"])
  }

  @Test func `an entry of a Daylio backup has its mood, level, activities and note`() throws {
    // The base64 text may contain line breaks.
    let encoded = Data(FormatSamples.daylio.utf8).base64EncodedString(options: .lineLength76Characters)
    for content in [encoded, FormatSamples.daylio] {
      let records = try records(
        Self.files(["backup.daylio": content, "assets/1/x": "picture"]), as: "daylio-backup")
      let event = try #require(events(records).first)
      #expect(event.typeName == "Mood")
      #expect(event.timestamp == Date(timeIntervalSince1970: 1_772_395_500))
      #expect(event.properties == ["mood": .select("grey"), "level": .number(2), "activities": .text("work")])
      #expect(event.notes == "rain\nall day")
      // Activity 99 is unknown, and the second entry is invalid because of its month.
      #expect(records.count == 3 && events(records).count == 1)
    }
  }

  @Test func `truncated and changed archives are handled`() {
    func read(_ contents: [String: [UInt8]], _ word: String) {
      let files = Self.files(contents)
      // A damaged file may be rejected with an error.
      try? InterchangeFormat.named(word)?.read(files, FormatTableTests.options) { _, _ in }
    }
    let daylio = Data(FormatSamples.daylio.utf8.prefix(200)).base64EncodedString()
    for (word, contents) in [
      ("loop", FormatSamples.loop), ("loop", FormatSamples.oldLoop), ("daylio-backup", ["backup.daylio": daylio]),
      ("daylio-backup", ["backup.daylio": FormatSamples.daylio]),
    ] as [(String, [String: String])] {
      let whole = contents.mapValues { Array($0.utf8) }
      for (path, bytes) in whole {
        for index in bytes.indices {
          read(whole.merging([path: Array(bytes[..<index])]) { $1 }, word)
          var bytes = bytes
          bytes[index] ^= index % 2 == 0 ? 0x10 : 0x81
          read(whole.merging([path: bytes]) { $1 }, word)
        }
        read(whole.filter { $0.key != path }, word)
        _ = try? InterchangeFormat.detect(in: Self.files(whole.filter { $0.key != path }))
      }
    }
  }
}
