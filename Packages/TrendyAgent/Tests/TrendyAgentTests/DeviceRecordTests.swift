import Foundation
import Synchronization
import Testing
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting
import TrendyTrips

/// On a real disk.
@Suite("DeviceRecord", .timeLimit(.minutes(10)))
struct DeviceRecordTests {
  private func withRecord(_ body: (DeviceRecord) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-record-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }  // left behind, it would only take room
    #expect(!DeviceRecord.exists(at: folder))
    try body(DeviceRecord(directory: folder, clock: ManualClock()))
    #expect(DeviceRecord.exists(at: folder))
  }

  @Test func `a type that was deleted is made anew with its definitions, the same on every device`() throws {
    try withRecord { record in
      let first = try record.type(.trip)
      #expect(try record.type(.trip) == first)
      try record.recorder.delete(eventTypeId: first.id)
      let second = try record.type(.trip)
      #expect(second.id == NaturalKey.id(for: "event_type", "trip", "again", "1"))
      #expect(try record.type(.trip) == second)
      let keys = try record.makeStore().fetchAllPropertyDefinitions().filter { $0.eventTypeId == second.id }.map(\.key)
      #expect(Set(keys) == Set(TripRecord.PropertyKey.allCases.map(\.rawValue)))
    }
  }

  @Test func `what is taken in, and what is done and undone, is told of once each`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-record-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }  // as above
    let changes = Mutex(0)
    let record = try DeviceRecord(directory: folder, clock: ManualClock()) { changes.withLock { $0 += 1 } }
    let type = try record.type(.visit)
    try record.perform("log", [.event(Event(id: "e", eventTypeId: type.id, timestamp: DeterministicDate.jan1_2024))])
    #expect(try record.makeStore().findEvent(id: "e") != nil && changes.withLock { $0 } == 1)
    #expect(try record.undo().label == "log")
    #expect(try record.makeStore().findEvent(id: "e") == nil && changes.withLock { $0 } == 2)
    #expect(throws: UndoError.nothing) { try record.undo() }
  }
}
