import Foundation
import StorageTesting
import Testing
import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

@testable import TrendyAgent

/// An import is one undo step. Its batches are atomic, it can be resumed, and repeating it adds nothing.
@Suite("Imports of records", .timeLimit(.minutes(10)))
struct RecordImportTests {
  private struct Stop: Error {}

  private func withRecord(_ body: (DeviceRecord) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-import-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(DeviceRecord(directory: folder, clock: ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000))))
  }

  @discardableResult
  private func take(
    _ rows: [String], map: [String: String] = [:], into record: DeviceRecord, batchSize: Int = 4000,
    onProgress: (@Sendable (Int) throws -> Void)? = nil
  ) throws -> ImportReport {
    let text = "type,start,note,amount\n" + rows.joined(separator: "\n") + "\n"
    let options = ImportOptions(zone: .utc, now: record.clock.now)
    var request = ImportRequest(
      source: "a table", options: options, fingerprint: "table \(map.sorted { $0.key < $1.key })")
    request.typeMap = map
    request.onProgress = onProgress
    request.batchSize = batchSize
    return try record.importRecords(
      ByteInput(Array(text.utf8)), as: #require(InterchangeFormat.named("csv")), request)
  }

  private static func rows(_ count: Int) -> [String] {
    (0..<count).map { index in
      let time = RFC3339.string(from: Date(timeIntervalSince1970: 1_700_000_000 + Double(index * 60)))
      return "\(["Gym", "Tea", "Book"][index % 3]),\(time),\"note \(index % 7)\",\(index % 50)"
    }
  }

  /// Creates an importer that saves batches of five entities.
  private static func importer(_ record: DeviceRecord) throws -> RecordImporter {
    var request = ImportRequest(
      source: "a list", options: ImportOptions(zone: .utc, now: record.clock.now), fingerprint: "a list")
    request.batchSize = 5
    let format = try #require(InterchangeFormat.named("csv"))
    return try RecordImporter(
      store: DeviceImportStore(record: record, format: format, request: request), format: format, request: request)
  }

  private static func foreign(_ index: Int) -> InterchangeRecord {
    .event(
      ExternalEvent(
        typeName: "Gym", key: ["\(index)"], timestamp: Date(timeIntervalSince1970: 1_700_000_000 + Double(index * 60))))
  }

  private func events(_ record: DeviceRecord) throws -> [Event] { try record.makeStore().fetchAllEvents() }

  private func takeLocal(
    zone: String, isDryRun: Bool = false, accepts: Bool = false, into record: DeviceRecord
  ) throws -> ImportReport {
    let rows = (1...9).map { "Gym,2026-11-0\($0) 08:00,n\($0),1" }
    let text = "type,start,note,amount\n" + rows.joined(separator: "\n") + "\n"
    var request = ImportRequest(
      source: "a table", options: ImportOptions(zone: try #require(ZoneClock(named: zone)), now: record.clock.now),
      fingerprint: "table \(zone)")
    request.isDryRun = isDryRun
    request.acceptsOtherZone = accepts
    return try record.importRecords(
      ByteInput(Array(text.utf8)), as: #require(InterchangeFormat.named("csv")), request)
  }

  @Test func `a file imported with another time zone is reported, and imported only if accepted`() throws {
    try withRecord { record in
      #expect(try takeLocal(zone: "Europe/Paris", into: record).otherZone == nil)
      // The local time is the same in both zones, so each event has the same id.
      let berlin = try takeLocal(zone: "Europe/Berlin", into: record)
      #expect(berlin.otherZone == nil && berlin.known >= 9 && berlin.newCount == 0)
      #expect(try takeLocal(zone: "America/New_York", isDryRun: true, into: record).otherZone == "Europe/Paris")
      #expect(throws: ImportedInOtherZone(earlier: "Europe/Paris", zone: "America/New_York")) {
        try takeLocal(zone: "America/New_York", into: record)
      }
      #expect(try events(record).count == 9)
      #expect(try takeLocal(zone: "America/New_York", accepts: true, into: record).new[.event] == 9)
      // The file has now been imported with this zone as well.
      #expect(try takeLocal(zone: "America/New_York", into: record).otherZone == nil)
    }
  }

  @Test func `a file whose import was undone may be imported with another zone`() throws {
    try withRecord { record in
      _ = try takeLocal(zone: "Europe/Paris", into: record)
      _ = try record.undoImport(try #require(record.imports().last))
      #expect(try takeLocal(zone: "America/New_York", into: record).otherZone == nil)
      #expect(try events(record).count == 9)
    }
  }

  @Test func `times with a time zone do not depend on the zone of the import`() throws {
    try withRecord { record in
      func take(_ zone: String) throws -> ImportReport {
        let request = ImportRequest(
          source: "t", options: ImportOptions(zone: try #require(ZoneClock(named: zone)), now: record.clock.now),
          fingerprint: zone)
        return try record.importRecords(
          ByteInput(Array("type,start\nGym,2026-11-01T08:00:00Z\nGym,2026-11-02T08:00:00Z\n".utf8)),
          as: #require(InterchangeFormat.named("csv")), request)
      }
      _ = try take("Europe/Paris")
      let again = try take("America/New_York")
      #expect(again.otherZone == nil && again.newCount == 0)
    }
  }

  @Test func `an aborted import is continued as one import and undone as a whole`() throws {
    try withRecord { record in
      let rows = Self.rows(9000)
      #expect(throws: Stop.self) { try take(rows, into: record) { _ in throw Stop() } }
      let first = try events(record).count
      #expect(first > 0 && first < rows.count)
      let report = try take(rows, into: record)
      #expect(report.isContinued)
      #expect(report.known >= first && report.known + report.newCount == rows.count)
      #expect(try events(record).count == rows.count)
      #expect(try take(rows, into: record).newCount == 0)
      let imports = try record.imports()
      #expect(imports.count == 1 && imports[0].finished != nil)
      #expect(imports[0].madeCount == rows.count + 3 + 3)
      let undo = try record.undoImport(imports[0])
      #expect(undo.left.isEmpty && undo.removed == rows.count + 6)
      #expect(try events(record).isEmpty)
      #expect(try record.makeStore().fetchAllEventTypes().isEmpty)
      #expect(try record.imports()[0].undone != nil)
    }
  }

  @Test func `a batch that cannot be saved ends the import and keeps the batches before it`() throws {
    // Imports eight batches of five rows, interrupted at each write to the disk.
    let rows = Self.rows(40)
    var changes = 0
    var counts: Set<Int> = []
    while true {
      let disk = SimulatedFileSystem()
      func record() throws -> DeviceRecord {
        DeviceRecord(
          directory: URL(filePath: "/nowhere"),
          dataStoreFactory: try DefaultDataStoreFactory(
            directory: "/store", fileSystem: disk, generator: SeededGenerator(seed: 1)),
          clock: ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000)))
      }
      let first = try record()
      disk.powerOff(beforeChange: changes + 1)
      let outcome = Result { try take(rows, into: first, batchSize: 5) }
      guard disk.isOff else {
        #expect(try outcome.get().new[.event] == rows.count)
        break
      }
      disk.restart(losing: .unsynced)
      let second = try record()
      let saved = try events(second).count
      counts.insert(saved)
      // The import succeeds only if all batches are saved. After the last batch, only cleanup changes the disk.
      if case .success = outcome { #expect(saved == rows.count, "change \(changes)") }
      let before = try second.imports().last
      let made = before?.madeCount ?? 0
      #expect(
        try made == saved + second.makeStore().fetchAllEventTypes().count
          + second.makeStore().fetchAllPropertyDefinitions().count, "change \(changes)")
      let report = try take(rows, into: second, batchSize: 5)
      #expect(
        report.isContinued == (before != nil && before?.finished == nil)
          && report.new[.event, default: 0] == rows.count - saved, "change \(changes)")
      #expect(try events(second).count == rows.count && second.imports().count == 1, "change \(changes)")
      changes += 1
    }
    #expect(changes > 16 && counts.count > 8, "\(changes) changes, \(counts)")
  }

  @Test func `an error in the file is thrown after the rows before it are saved`() throws {
    try withRecord { record in
      let broken = InterchangeError.notTheData(reason: "it breaks off")
      #expect(throws: broken) {
        _ = try Self.importer(record).run { take in
          for index in 0..<7 { try take(Self.foreign(index), "row \(index)") }
          throw broken
        }
      }
      let first = try events(record).count
      #expect(first == 7)
      // After any other error, the current batch is discarded and the earlier batches remain.
      #expect(throws: Stop.self) {
        _ = try Self.importer(record).run { take in
          for index in 7..<18 { try take(Self.foreign(index), "row \(index)") }
          throw Stop()
        }
      }
      #expect(try events(record).count == 17)
    }
  }

  @Test func `equal rows are separate events, and duplicates the second time`() throws {
    try withRecord { record in
      let rows = Array(repeating: "Gym,2026-03-01T08:00:00Z,,1", count: 3) + ["Gym,2026-03-01T08:00:00Z,,2"]
      let first = try take(rows, into: record)
      let second = try take(rows + rows.suffix(1), into: record)
      #expect(first.new[.event] == 4 && second.new[.event] == 1)
      let ids = try events(record).map(\.id)
      #expect(Set(ids).count == 5)
    }
  }

  @Test func `undoing an import keeps edited events and reports them`() throws {
    try withRecord { record in
      try take(Self.rows(9), into: record)
      let edited = try #require(try events(record).first { $0.notes == "note 4" })
      try record.recorder.edit(eventId: edited.id) { $0.notes = "mine" }
      let undo = try record.undoImport(try #require(try record.imports().last))
      // The type remains too, because the event uses it.
      #expect(undo.left.map(\.id) == [edited.id, edited.eventTypeId])
      let kept = try events(record).map(\.id)
      #expect(kept == [edited.id])
    }
  }

  @Test func `new types get colours that no other type has`() throws {
    try withRecord { record in
      try take(Self.rows(3), into: record)
      let colours = Set(try record.makeStore().fetchAllEventTypes().map(\.colorHex))
      #expect(colours == ["#73392E", "#0197BD", "#957007"])
    }
  }

  @Test func `undoing an import keeps a type with other dependents than events`() throws {
    try withRecord { record in
      try take(Self.rows(9), into: record)
      let types = try record.makeStore().fetchAllEventTypes()
      let (book, gym) = (
        try #require(types.first { $0.name == "Book" }), try #require(types.first { $0.name == "Gym" })
      )
      let skip = Skip(id: "s", eventTypeId: book.id, days: CivilDate(daysSince1970: 0)...CivilDate(daysSince1970: 9))
      try record.recorder.record(skip.record)
      try record.recorder.record(
        PropertyDefinition(id: "p", eventTypeId: gym.id, key: "weight", label: "Weight", propertyType: .number))
      let undo = try record.undoImport(try #require(try record.imports().last))
      #expect(Set(undo.left.map(\.id)) == [book.id, gym.id])
      let store = record.makeStore()
      #expect(try Set(store.fetchAllEventTypes().map(\.name)) == ["Book", "Gym"])
      #expect(try store.fetchRecords(kind: .skip).map(\.id) == ["s"])
      #expect(try store.fetchAllPropertyDefinitions().map(\.id) == ["p"])
    }
  }

  // MARK: After an undo

  @Test func `undone events are imported again, under the type that is selected now`() throws {
    try withRecord { record in
      let rows = Self.rows(9)
      try take(rows, into: record)
      let before = try events(record)
      _ = try record.undoImport(try #require(try record.imports().last))
      let again = try take(rows, map: ["gym": "Workout"], into: record)
      #expect(again.new[.event] == 9, "\(again)")
      let types = try record.makeStore().fetchAllEventTypes()
      #expect(types.map(\.name) == ["Book", "Tea", "Workout"])
      let names = Dictionary(uniqueKeysWithValues: types.map { ($0.id, $0.name) })
      let after = try events(record)
      #expect(after.map(\.id) == before.map(\.id))
      #expect(after.count { names[$0.eventTypeId] == "Workout" } == 3)
      let undo = try record.undoImport(try #require(try record.imports().last))
      #expect(undo.left.isEmpty)
      #expect(try events(record).isEmpty)
      let third = try take(rows, into: record)
      #expect(third.new[.event] == 9)
      #expect(try record.makeStore().fetchAllEventTypes().map(\.name) == ["Book", "Gym", "Tea"])
    }
  }

  @Test func `an event deleted by the user after the second import stays deleted`() throws {
    try withRecord { record in
      let rows = Self.rows(3)
      try take(rows, into: record)
      _ = try record.undoImport(try #require(try record.imports().last))
      try take(rows, into: record)
      let deleted = try #require(try events(record).first)
      try record.recorder.delete(eventId: deleted.id)
      #expect(try take(rows, into: record).newCount == 0)
      #expect(try events(record).count == 2)
    }
  }

  @Test func `events deleted or edited by the user are not imported again after an undo`() throws {
    try withRecord { record in
      let rows = Self.rows(4)
      try take(rows, into: record)
      let (deleted, edited) = (try events(record)[0], try events(record)[1])
      try record.recorder.delete(eventId: deleted.id)
      try record.recorder.edit(eventId: edited.id) { $0.notes = "mine" }
      _ = try record.undoImport(try #require(try record.imports().last))
      try record.recorder.delete(eventId: edited.id)
      #expect(try take(rows, into: record).new[.event] == 2)
      let ids = try Set(events(record).map(\.id))
      #expect(ids.count == 2 && !ids.contains(deleted.id) && !ids.contains(edited.id))
    }
  }

  // MARK: Components

  @Test func `a hash set stores each hash once, including 0 and colliding ones`() {
    var set = FingerprintSet()
    #expect(!set.contains(0) && !set.contains(5))
    let hashes = (0..<5000).map { UInt64($0) << 40 } + (1...5000).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
    #expect(hashes.allSatisfy { hash in set.insert(hash) })
    #expect(hashes.allSatisfy { hash in set.contains(hash) })
    #expect(!hashes.contains { hash in set.insert(hash) })
    #expect(set.count == hashes.count)
    #expect(!set.contains(3 << 20))
  }

  @Test func `a row beyond a limit is skipped with its reason, and the others are imported`() throws {
    try withRecord { record in
      let long = String(repeating: "x", count: SyncedKind.maximumTextBytes + 1)
      var rows = Self.rows(3)
      rows.insert("Gym,2024-01-01T08:00:00Z,\(long),1", at: 1)
      let report = try take(rows, into: record)
      #expect(report.new[.event] == 3 && report.badCount == 1)
      #expect(
        report.problems.map(\.reason) == ["notes: expected a string of up to 262144 bytes, found 262145 bytes"])
      #expect(report.problems.first?.place.contains("3") == true, "\(report.problems)")
      #expect(try record.makeStore().fetchAllEvents().count == 3)
    }
  }
}
