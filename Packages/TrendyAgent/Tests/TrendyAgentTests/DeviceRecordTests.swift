import Foundation
import Synchronization
import Testing
import TrendyAgent
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting
import TrendyTrips

/// Uses a real disk.
@Suite("DeviceRecord", .timeLimit(.minutes(10)))
struct DeviceRecordTests {
  private func withRecord(_ body: (DeviceRecord) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-record-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(!DeviceRecord.exists(at: folder))
    try body(DeviceRecord(directory: folder, clock: ManualClock()))
    #expect(DeviceRecord.exists(at: folder))
  }

  @Test func `a deleted built-in type is created again with an id common to all devices`() throws {
    try withRecord { record in
      let first = try record.type(.trip)
      #expect(try record.type(.trip) == first)
      try record.recorder.delete(eventTypeId: first.id)
      let second = try record.type(.trip)
      #expect(second.id == NaturalKey.id(for: "event_type", "trip", "again", "1"))
      #expect(try record.type(.trip) == second)
      let keys = try record.makeStore().fetchAllPropertyDefinitions().filter { $0.eventTypeId == second.id }.map(\.key)
      #expect(Set(keys) == Set(TripRecord.PropertyKey.allCases.map(\.rawValue)).subtracting(["device", "fixes"]))
    }
  }

  @Test func `a store is intact without a usable track directory`() throws {
    try withRecord { record in
      _ = try record.type(.visit)
      let tracks = record.directory.appending(path: "tracks")
      try FileManager.default.createDirectory(at: tracks, withIntermediateDirectories: false)
      // A full disk leaves this state: the lock file is created before the first file that needs space.
      try Data().write(to: tracks.appending(path: "lock"))
      #expect(try StoreCheckup(storeDirectory: record.directory).findings.isEmpty)
      #expect(try !StoreCheckup.repair(storeDirectory: record.directory).wasDamaged)
      #expect(try StoreCheckup(storeDirectory: record.directory).findings.isEmpty)
    }
  }

  @Test func `each change, undo and redo notifies once`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-record-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let changes = Mutex(0)
    let record = try DeviceRecord(directory: folder, clock: ManualClock()) { changes.withLock { $0 += 1 } }
    let type = try record.type(.visit)
    try record.perform("log", [.event(Event(id: "e", eventTypeId: type.id, timestamp: DeterministicDate.jan1_2024))])
    #expect(try record.makeStore().findEvent(id: "e") != nil && changes.withLock { $0 } == 1)
    #expect(try record.undo().label == "log")
    #expect(try record.makeStore().findEvent(id: "e") == nil && changes.withLock { $0 } == 2)
    #expect(throws: UndoError.nothing) { try record.undo() }
    #expect(try record.redo().label == "log")
    #expect(try record.makeStore().fetchAllEvents().count == 1 && changes.withLock { $0 } == 3)
    #expect(throws: UndoError.nothingUndone) { try record.redo() }
  }

  private func events(_ record: DeviceRecord) throws -> [String?] {
    try record.makeStore().fetchAllEvents().sorted { $0.timestamp < $1.timestamp }.map(\.notes)
  }

  @Test func `changes are undone and redone in order until the next change`() throws {
    try withRecord { record in
      let type = try record.type(.visit)
      func event(_ id: String, _ notes: String, after seconds: Double = 0) -> Event {
        Event(
          id: id, eventTypeId: type.id, timestamp: DeterministicDate.jan1_2024.addingTimeInterval(seconds), notes: notes
        )
      }
      try record.perform("log a", [.event(event("a", "1"))])
      try record.perform("edit a", [.event(event("a", "2"))], before: [.event(event("a", "1"))])
      try record.perform("log b", [.event(event("b", "3", after: 1))])
      try record.perform("rm both", [], before: [.event(event("a", "2")), .event(event("b", "3", after: 1))])
      #expect(try events(record) == [])
      let states: [[String?]] = [["2", "3"], ["2"], ["1"], []]
      for expected in states {
        try record.undo()
        #expect(try events(record) == expected)
      }
      #expect(throws: UndoError.nothing) { try record.undo() }
      for expected in states.reversed().dropFirst() + [[]] {
        try record.redo()
        #expect(try events(record) == expected)
      }
      #expect(try record.undoHistory().done.map(\.label) == ["log a", "edit a", "log b", "rm both"])
      try record.undo()
      try record.perform("log c", [.event(event("c", "4", after: 2))])
      #expect(throws: UndoError.nothingUndone) { try record.redo() }
      #expect(try events(record) == ["2", "3", "4"])
    }
  }

  @Test func `undo removes a type created with its first event, unless other events use it`()
    throws
  {
    try withRecord { record in
      let type = EventType(id: "t", name: "nap", colorHex: "#888888", iconName: "•")
      func event(_ id: String) -> Event { Event(id: id, eventTypeId: "t", timestamp: DeterministicDate.jan1_2024) }
      try record.perform("log nap", [.eventType(type), .event(event("a"))])
      try record.undo()
      #expect(try record.makeStore().fetchAllEventTypes().isEmpty && events(record).isEmpty)
      try record.redo()
      let made = try #require(try record.makeStore().fetchAllEventTypes().first)
      #expect(try record.makeStore().fetchAllEvents().map(\.eventTypeId) == [made.id])
      try record.recorder.record(Event(id: "other", eventTypeId: made.id, timestamp: DeterministicDate.jan1_2024))
      #expect(throws: UndoError.inUse(label: "log nap")) { try record.undo() }
      #expect(try events(record).count == 2)
    }
  }

  @Test func `undo keeps later changes and reports entities that are already deleted`() throws {
    try withRecord { record in
      let type = try record.type(.visit)
      let event = Event(id: "a", eventTypeId: type.id, timestamp: DeterministicDate.jan1_2024)
      try record.perform("log first", [.event(Event(id: "first", eventTypeId: type.id, timestamp: event.timestamp))])
      try record.perform("log a", [.event(event)])
      try record.perform("log b", [.event(Event(id: "b", eventTypeId: type.id, timestamp: event.timestamp))])
      // Another device deletes one event and edits the other.
      try record.recorder.delete(eventId: "b")
      try record.recorder.edit(eventId: "a") { $0.notes = "more" }
      let gone = try record.undo()
      #expect(gone.label == "log b" && gone.wasSoAlready)
      #expect(throws: UndoError.nothingUndone) { try record.redo() }
      #expect(throws: UndoError.changedSince(label: "log a", left: [UndoStep.Left(kind: .event, id: "a")])) {
        try record.undo()
      }
      #expect(Set(try events(record)) == [nil, "more"])
      // The failed step does not block earlier steps.
      #expect(try record.undo().label == "log first")
    }
  }
}
