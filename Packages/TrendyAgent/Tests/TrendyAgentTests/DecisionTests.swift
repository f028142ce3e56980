import Foundation
import Testing
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Changes that depend on earlier reads, while another process saves.
@Suite("A decision", .timeLimit(.minutes(10)))
struct DecisionTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-decision-\(UUID().uuidString)")

  private func type(_ name: String, _ record: DeviceRecord) -> EventType {
    EventType(id: record.makeID(), name: name, colorHex: "#102030", iconName: "•")
  }

  @Test func `a decision writes nothing when another process has saved since it began`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (mine, other) = (try DeviceRecord(directory: folder), try DeviceRecord(directory: folder))
    try mine.beginDecision()
    try other.perform("type add walk", [.eventType(type("walk", other))])
    #expect(throws: OutdatedDecisionError()) {
      try mine.perform("type add walk", [.eventType(type("walk", mine))])
    }
    #expect(try mine.makeStore().fetchAllEventTypes().count == 1)
    #expect(try mine.undoHistory().done.count == 1)
    try mine.beginDecision()
    try mine.perform("type add run", [.eventType(type("run", mine))])
    #expect(try other.makeStore().fetchAllEventTypes().count == 2)
  }

  @Test func `a decision ignores reads and earlier saves of other processes`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (mine, other) = (try DeviceRecord(directory: folder), try DeviceRecord(directory: folder))
    try other.perform("type add walk", [.eventType(type("walk", other))])
    try mine.beginDecision()
    _ = try other.makeStore().fetchAllEventTypes()
    try mine.beginDecision()
    try mine.perform("type add run", [.eventType(type("run", mine))])
    // A change without `beginDecision` is not checked.
    try other.perform("type add swim", [.eventType(type("swim", other))])
    try mine.perform("type add row", [.eventType(type("row", mine))])
    #expect(try mine.makeStore().fetchAllEventTypes().count == 4)
  }

  @Test func `two processes create a built-in type and a setting once`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (mine, other) = (try DeviceRecord(directory: folder), try DeviceRecord(directory: folder))
    #expect(try mine.type(.visit).id == other.type(.visit).id)
    try mine.set("day_starts_at", to: "04:00")
    try other.set("day_starts_at", to: "05:00")
    #expect(try mine.makeStore().syncedSettings() == ["day_starts_at": "05:00"])
    try mine.undo()
    #expect(try mine.makeStore().syncedSettings() == ["day_starts_at": "04:00"])
  }
}
