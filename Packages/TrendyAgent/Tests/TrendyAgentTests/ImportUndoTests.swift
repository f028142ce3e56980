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

/// Undoing an import takes several saves.
@Suite("Undo of an import", .timeLimit(.minutes(10)))
struct ImportUndoTests {
  private static func record(on disk: SimulatedFileSystem) throws -> DeviceRecord {
    DeviceRecord(
      directory: URL(filePath: "/nowhere"),
      dataStoreFactory: try DefaultDataStoreFactory(
        directory: "/store", fileSystem: disk, generator: SeededGenerator(seed: 1)),
      clock: ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000)))
  }

  /// Imports 45 rows of one type in batches of 10, and edits one event.
  private static func imported() throws -> (disk: SimulatedFileSystem, record: DeviceRecord, edited: Event) {
    let disk = SimulatedFileSystem()
    let record = try record(on: disk)
    try importTable(into: record)
    let edited = try #require(try record.makeStore().fetchAllEvents().first { $0.notes == "note 21" })
    try record.recorder.edit(eventId: edited.id) { $0.notes = "mine" }
    return (disk, record, edited)
  }

  private static func importTable(into record: DeviceRecord) throws {
    let rows = (0..<45).map { "Gym,2026-03-01T08:\($0 + 10):00Z,note \($0)\n" }.joined()
    var request = ImportRequest(
      source: "a table", options: ImportOptions(zone: .utc, now: record.clock.now), fingerprint: "a table")
    request.batchSize = 10
    let format = try #require(InterchangeFormat.named("csv"))
    _ = try record.importRecords(ByteInput(Array("type,start,note\n\(rows)".utf8)), as: format, request)
  }

  @Test func `an undo on another device is recognized by its tombstones, and manual deletions are kept`() throws {
    let (_, first, _) = try Self.imported()
    let types = try first.makeStore().fetchAllEventTypes()
    let events = try first.makeStore().fetchAllEvents().sorted { $0.id < $1.id }
    let record = try Self.record(on: SimulatedFileSystem())
    let unit = record.dataStoreFactory.makeDataStore()
    var version: Int64 = 0
    func insertTombstone(_ kind: MutationEntityType, _ id: String, _ request: some Encodable, isUndone: Bool) throws {
      version += 1
      var data = try ChangeEntryData(request)
      if isUndone { data.rawData[SyncedKind.importUndone] = true }
      var entry = ChangeEntry(
        id: version, entityType: kind.rawValue, operation: MutationOperation.delete.rawValue, entityId: id, data: data,
        marks: [FieldVersion.others: FieldVersion(version: version, stamp: version, author: "other")])
      entry.deletedAt = record.clock.now
      try unit.insertHeldEntry(entry)
    }
    for type in types { try insertTombstone(.eventType, type.id, type.createRequest, isUndone: true) }
    for event in events {
      try insertTombstone(.event, event.id, event.createRequest, isUndone: event.id != events[0].id)
    }
    try unit.setSyncMemory(SyncMetadata(seen: version, complete: version, generation: 1))
    try unit.setSyncCursor(version)
    try unit.save()
    try Self.importTable(into: record)
    #expect(try record.makeStore().fetchAllEvents().map(\.id).sorted() == events.dropFirst().map(\.id))
    #expect(try record.makeStore().fetchPendingMutations().allSatisfy { $0.operation != .create })
    // After an undo on this device, the events can be imported here again as well.
    _ = try Self.undo(record)
    try Self.importTable(into: record)
    #expect(try record.makeStore().fetchAllEvents().count == events.count - 1)
  }

  private static func undo(_ record: DeviceRecord) throws -> ImportUndo {
    try record.undoImport(#require(try record.imports().last), partsInSave: 2)
  }

  @Test(
    "an undo interrupted at any change is continued, and reports everything",
    arguments: [SimulatedFileSystem.Loss.unsynced, .nothing, .random(seed: 7)])
  func interruption(loss: SimulatedFileSystem.Loss) throws {
    var change = 1
    var counts: Set<Int> = []
    while true {
      let (disk, record, edited) = try Self.imported()
      disk.powerOff(beforeChange: change)
      _ = try? Self.undo(record)
      if !disk.isOff { break }
      disk.restart(losing: loss)
      let again = try Self.record(on: disk)
      let entry = try #require(try again.imports().last)
      let left = try again.makeStore().fetchAllEvents()
      counts.insert(left.count)
      // Events that have not been deleted yet are unchanged.
      let isWhole = left.allSatisfy { $0.notes == ($0.id == edited.id ? "mine" : $0.notes) }
      #expect(isWhole && left.contains { $0.id == edited.id }, "change \(change)")
      if entry.undone == nil {
        let undo = try Self.undo(again)
        #expect(undo.left.map(\.id) == [edited.id, edited.eventTypeId], "change \(change)")
        #expect(undo.removed == entry.madeCount - 2, "change \(change)")
      }
      #expect(try again.imports().map(\.undone) == [again.clock.now], "change \(change)")
      try Self.checkAllTakenBack(again, but: edited, "change \(change)")
      change += 1
    }
    // The loop interrupted the undo after each of its saves.
    #expect(change > 10 && counts.count >= 3, "\(change) changes, \(counts)")
  }

  /// Checks that only the edited event is visible, and that each other event has exactly one pending deletion.
  private static func checkAllTakenBack(_ record: DeviceRecord, but edited: Event, _ comment: Comment) throws {
    let store = record.makeStore()
    #expect(try store.fetchAllEvents().map(\.id) == [edited.id], comment)
    let waiting = try store.fetchPendingMutations().filter { $0.entityType == .event }
    let made = Set(waiting.filter { $0.operation == .create }.map(\.entityId))
    let deleted = waiting.filter { $0.operation == .delete }.map(\.entityId)
    #expect(made.count == 45 && Set(deleted) == made.subtracting([edited.id]) && deleted.count == 44, comment)
    for id in deleted { #expect(try store.findTombstone(entityType: .event, entityId: id) != nil, comment) }
  }
}
