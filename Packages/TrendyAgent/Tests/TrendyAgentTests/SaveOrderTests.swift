import Foundation
import Testing
import TrendyAgent
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting
import TrendyTrips

/// `@1` refers to the last saved entry, even if the clock was set back.
@Suite("The order of saves", .timeLimit(.minutes(10)))
struct SaveOrderTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-order-\(UUID().uuidString)")
  private let ten = Date(timeIntervalSince1970: 1_764_237_600)
  private let all = Set(EventSourceType.allCases)

  private func withType(_ body: (EventType) throws -> Void) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let record = try DeviceRecord(directory: folder)
    let type = EventType(id: "walk", name: "walk", colorHex: "#102030", iconName: "•")
    try record.perform("type add walk", [.eventType(type)])
    try body(type)
  }

  /// Records an event at the given time, as a new process would.
  @discardableResult
  private func log(_ note: String, of type: EventType, at time: Date) throws -> Event {
    let record = try DeviceRecord(directory: folder, clock: ManualClock(now: time))
    let event = Event(id: record.makeID(), of: type, at: time, notes: note)
    try record.perform("log \(note)", [.event(event)])
    return event
  }

  /// Stores an event from another device, as sync would.
  private func receive(_ note: String, of type: EventType, at time: Date, as source: EventSourceType = .manual) throws {
    let store = try DeviceRecord(directory: folder).dataStoreFactory.makeLocalStore()
    var (ids, random) = (UUIDv7.Generator(), SystemRandomNumberGenerator())
    let id = source == .manual ? ids.next(at: time, using: &random).description : NaturalKey.id(for: note)
    try store.upsertEvent(Event(id: id, eventTypeId: type.id, timestamp: time, notes: note, sourceType: source))
    try store.save()
  }

  private func last(_ count: Int = 9) throws -> [String?] {
    try DeviceRecord(directory: folder).makeStore().lastRecordedEvents(count, from: all).map(\.notes)
  }

  @Test func `the order is kept when the clock is set back`() throws {
    try withType { type in
      try log("a", of: type, at: ten)
      try log("b", of: type, at: ten - 3600)
      try log("c", of: type, at: ten - 7200)
      #expect(try last() == ["c", "b", "a"])
      #expect(try last(1) == ["c"])
    }
  }

  @Test func `entries of this device follow those already received`() throws {
    try withType { type in
      try receive("ahead", of: type, at: ten + 3600)
      try log("mine", of: type, at: ten)
      #expect(try last() == ["mine", "ahead"])
      // Later events from other devices are sorted by time.
      try receive("later", of: type, at: ten + 7200)
      try receive("earlier", of: type, at: ten - 60)
      #expect(try last() == ["later", "mine", "ahead", "earlier"])
    }
  }

  @Test func `a restored entry returns to its previous position`() throws {
    try withType { type in
      try log("a", of: type, at: ten)
      let event = try log("b", of: type, at: ten + 1)
      try log("c", of: type, at: ten + 2)
      let record = try DeviceRecord(directory: folder)
      try record.perform("rm", [], before: [.event(event)])
      #expect(try last() == ["c", "a"])
      try record.undo()
      #expect(try last() == ["c", "b", "a"])
    }
  }

  @Test func `future events do not come before later saves`() throws {
    try withType { type in
      let record = try DeviceRecord(directory: folder, clock: ManualClock(now: ten))
      let events = ["x", "y"].map { name in
        Event(
          id: NaturalKey.id(for: name), eventTypeId: type.id, timestamp: ten + 86_400, notes: name,
          sourceType: .imported)
      }
      try record.perform("import", events.map { .event($0) })
      #expect(try last() == ["y", "x"])
      try log("a", of: type, at: ten + 1)
      #expect(try last() == ["a", "y", "x"])
      try receive("appointment", of: type, at: ten + 86_400, as: .imported)
      #expect(try last() == ["a", "y", "x", "appointment"])
      try receive("trip", of: type, at: ten + 60, as: .trip)
      #expect(try last(1) == ["trip"])
    }
  }

  @Test func `the order is kept for at least the last thousand events`() throws {
    try withType { type in
      for batch in 0..<3 {
        let record = try DeviceRecord(directory: folder, clock: ManualClock(now: ten - Double(batch) * 3600))
        let events = (0..<900).map { Event(id: record.makeID(), of: type, at: ten, notes: "\(batch * 900 + $0)") }
        try record.perform("log", events.map { .event($0) })
      }
      #expect(try last(1000) == (0..<1000).map { "\(2699 - $0)" })
      let record = try DeviceRecord(directory: folder)
      #expect(try record.dataStoreFactory.makeLocalStore().verify().isEmpty)
    }
  }
}
