import Foundation
import StorageTesting
import Testing
import TrendyAgent
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("Undo after another device's change", .timeLimit(.minutes(10)))
struct UndoAfterChangeTests {
  private let record: DeviceRecord

  init() throws {
    record = DeviceRecord(
      directory: URL(filePath: "/nowhere"),
      dataStoreFactory: try DefaultDataStoreFactory(
        directory: "/store", fileSystem: SimulatedFileSystem(), generator: SeededGenerator(seed: 1)),
      clock: ManualClock())
    try record.recorder.record(EventType(id: "t", name: "nap", colorHex: "#888888", iconName: "•"))
    try record.perform("log a", [.event(event("mine"))])
  }

  private func event(_ notes: String) -> Event {
    Event(id: "a", eventTypeId: "t", timestamp: DeterministicDate.jan1_2024, notes: notes)
  }

  private var notes: [String?] { get throws { try record.makeStore().fetchAllEvents().map(\.notes) } }

  private func expectChangedSince(_ label: String) {
    let left = UndoStep.Left(kind: .event, id: "a")
    #expect(throws: UndoError.changedSince(label: label, left: [left])) { try record.undo() }
  }

  @Test func `an event that was changed since it was recorded is not deleted`() throws {
    // An edit without an undo step, like a synced edit from another device.
    try record.recorder.edit(eventId: "a") { $0.notes = "theirs" }
    expectChangedSince("log a")
    #expect(try notes == ["theirs"])
  }

  @Test func `an event that was restored and changed since it was deleted stays as it is`() throws {
    try record.perform("rm a", [], before: [.event(event("mine"))])
    try record.recorder.record(event("theirs"))
    expectChangedSince("rm a")
    #expect(try notes == ["theirs"])
  }

  @Test func `an event restored unchanged is kept, and the step reports that nothing had to change`() throws {
    try record.perform("rm a", [], before: [.event(event("mine"))])
    try record.recorder.record(event("mine"))
    #expect(try record.undo().wasSoAlready)
    #expect(try notes == ["mine"])
  }
}
