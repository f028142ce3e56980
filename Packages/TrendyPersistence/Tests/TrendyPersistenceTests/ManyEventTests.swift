import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

@Suite("Many events", .timeLimit(.minutes(10)))
struct ManyEventTests {
  /// Saves of more than eight times 4096 bytes are large.
  private static let options = StorageEngine.Options(
    lockTimeout: .milliseconds(50), firstChunkBytes: 4096, largestChunkBytes: 8192, sealBytes: 4096)
  private let disk = SimulatedFileSystem()
  private let store: LocalStore

  init() throws { store = try Self.factory(disk).makeLocalStore() }

  private static func factory(_ disk: SimulatedFileSystem) throws -> DefaultDataStoreFactory {
    try DefaultDataStoreFactory(directory: "/home/store", fileSystem: disk, options: options)
  }

  private static func id(_ number: Int) -> String {
    CompactIdentifier(high: UInt64(number) &* 0x9E37_79B1_85EB_CA87 & ~0xF000 | 0x8000, low: 1 << 63 | UInt64(number))
      .text
  }

  private static func event(_ number: Int, notes: String = "") -> Event {
    Event(
      id: id(number), eventTypeId: id(1_000_000),
      timestamp: Date(timeIntervalSince1970: 1_700_000_000 + Double(number)),
      notes: notes + String(repeating: "n", count: 100), sourceType: .imported, syncStatus: .pending)
  }

  private static func mutation(_ number: Int, of entity: String) -> PendingMutation {
    PendingMutation(
      id: CompactIdentifier(high: UInt64(number) << 16 | 0x7000, low: 1 << 63 | UInt64(number)).text,
      entityType: .event, entityId: entity, operation: .create, payload: Data("{}".utf8),
      createdAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number)))
  }

  private func areNew(_ ids: [String]) throws -> [Bool] {
    try store.areNew(events: ids.map { CompactIdentifier($0) })
  }

  @Test(arguments: [false, true])
  func `an event is new if log, segments and unit contain nothing of it`(isSealed: Bool) throws {
    try store.upsertEvent(Self.event(1))
    try store.insertPendingMutation(Self.mutation(2, of: Self.id(2)))
    try store.insertAcceptedMutation(Self.mutation(3, of: Self.id(3)))
    try store.insertHeldEntry(
      ChangeEntry(id: 4, entityType: "event", operation: "delete", entityId: Self.id(4), deletedAt: .distantPast))
    try store.insertTombstone(Tombstone(entityType: .event, entityId: Self.id(5)))
    try store.upsertEvent(Self.event(6))
    try store.save()
    if isSealed { while try Self.factory(disk).maintain(sealingAll: true) {} }
    try store.deleteEvent(id: Self.id(6))
    try store.upsertEvent(Self.event(7))
    try store.insertPendingMutation(Self.mutation(8, of: Self.id(8)))
    for number in 1...8 where number != 6 { #expect(try areNew([Self.id(number)]) == [false], "\(number)") }
    // A tombstone for another kind does not count.
    try store.insertTombstone(Tombstone(entityType: .geofence, entityId: Self.id(9)))
    #expect(
      try areNew([Self.id(9), Self.id(1), Self.id(10), Self.id(9), "no UUID"]) == [true, false, true, false, false])
    store.rollback()
    #expect(try areNew((6...8).map(Self.id)) == [false, true, true])
  }

  @Test func `events inserted as new equal those inserted one by one`() throws {
    let other = SimulatedFileSystem()
    let slow = try Self.factory(other).makeLocalStore()
    var known: Set<String> = []
    // Large and small saves that edit and delete earlier events, whose create mutations are still pending.
    for (turn, numbers) in [0..<110, 200..<205, 100..<270, 265..<330].enumerated() {
      let events = numbers.map { Self.event($0, notes: "\(turn)") }
      for (event, isNew) in zip(events, try areNew(events.map(\.id))) {
        #expect(isNew == known.insert(event.id).inserted)
        let mutation = Self.mutation(turn * 1000 + Int(event.timestamp.timeIntervalSince1970) % 1000, of: event.id)
        if isNew { try store.insertNew(event, with: mutation) } else { try store.upsertEvent(event) }
        try slow.upsertEvent(event)
        if isNew { try slow.insertPendingMutation(mutation) }
      }
      for both in [store, slow] {
        try both.deleteEvent(id: Self.id(numbers.upperBound - 1))
        try both.save()
      }
      for reader in [store, try Self.factory(disk.anotherProcess()).makeLocalStore()] {
        #expect(try reader.fetchAllEvents() == slow.fetchAllEvents())
        #expect(try reader.fetchPendingMutations() == slow.fetchPendingMutations())
        #expect(try reader.pendingMutations(ofEntity: Self.id(201)) == slow.pendingMutations(ofEntity: Self.id(201)))
      }
    }
    #expect(disk.files.contains { $0.hasPrefix("/home/store/segment-") })
    #expect(try StorageEngine.verify(directory: "/home/store", fileSystem: disk).findings.isEmpty)
  }

  /// Some events are in a segment and some in the log, and one event is deleted. For some ids there is only a mutation
  /// or a tombstone.
  @Test(arguments: [false, true])
  func `prefetched lookups match direct ones, also after a change`(isAhead: Bool) throws {
    for turn in 0..<2 {
      for number in turn * 20..<turn * 20 + 20 {
        try store.insertNew(Self.event(number), with: Self.mutation(number, of: Self.id(number)))
        if number % 4 == 0 { try store.insertPendingMutation(Self.mutation(100 + number, of: Self.id(number))) }
        if number % 5 == 0 {
          try store.insertTombstone(Tombstone(entityType: .event, entityId: Self.id(number + 1000)))
        }
      }
      try store.save()
      if turn == 0 { while try Self.factory(disk).maintain(sealingAll: true) {} }
    }
    try store.deleteEvent(id: Self.id(3))
    try store.save()
    try store.upsertEvent(Self.event(2, notes: "before"))
    let ids = (0..<50).map { Self.id($0) } + (1000..<1050).map { Self.id($0) }
    if isAhead { try store.lookAhead(events: ids.map { CompactIdentifier($0) } + [CompactIdentifier("no UUID")]) }
    try store.upsertEvent(Self.event(5, notes: "after"))
    try store.deleteEvent(id: Self.id(6))
    try store.insertTombstone(Tombstone(entityType: .event, entityId: Self.id(6)))
    try store.insertTombstone(Tombstone(entityType: .event, entityId: Self.id(1005), version: 9))
    try store.deleteTombstone(Tombstone(entityType: .event, entityId: Self.id(1010)))
    try store.appendPendingMutation(Self.mutation(200, of: Self.id(6)))
    try store.deletePendingMutation(Self.mutation(8, of: Self.id(8)))
    for _ in 0..<2 {
      for (number, id) in zip(Array(0..<50) + Array(1000..<1050), ids) {
        let lives = number < 40 && number != 3 && number != 6
        let event = try store.findEvent(id: id)
        #expect((event != nil) == lives, "\(number)")
        #expect(try store.holdsEvent(id: id) == lives, "\(number)")
        #expect(event?.notes?.first == (number == 2 ? "b" : number == 5 ? "a" : lives ? "n" : nil), "\(number)")
        let own = number < 40 && number != 8 ? [number] : []
        let waiting = own + (number < 40 && number % 4 == 0 ? [100 + number] : []) + (number == 6 ? [200] : [])
        #expect(try store.pendingMutations(ofEntity: id) == waiting.map { Self.mutation($0, of: id) }, "\(number)")
        let tombstone = try store.findTombstone(entityType: .event, entityId: id)
        let isDeleted = number == 6 || (number >= 1000 && number < 1040 && number % 5 == 0 && number != 1010)
        #expect((tombstone != nil) == isDeleted && tombstone?.version == (number == 1005 ? 9 : nil), "\(number)")
      }
      try store.save()
    }
    #expect(try store.fetchTombstones().count == 8)
    #expect(try StorageEngine.verify(directory: "/home/store", fileSystem: disk).findings.isEmpty)
  }

  /// Simulates undoing a long import: the segments processed so far have no live events, and events recreated with the
  /// same ids are in another segment.
  @Test func `a segment with only deleted events neither hides events of others nor returns its own`() throws {
    func change(_ numbers: Range<Int>, _ body: (Int) throws -> Void) throws {
      try store.lookAhead(events: numbers.map { CompactIdentifier(Self.id($0)) })
      for number in numbers { try body(number) }
      try store.save()
    }
    func insert(_ number: Int) throws {
      try store.insertNew(Self.event(number, notes: "old"), with: Self.mutation(number, of: Self.id(number)))
    }
    try change(0..<300, insert)
    try change(300..<600, insert)
    try change(300..<600) { try store.deleteEvent(id: Self.id($0)) }
    try change(500..<800) { try store.upsertEvent(Self.event($0, notes: "new")) }
    #expect(disk.files.count { $0.hasPrefix("/home/store/segment-") } >= 3)
    try store.lookAhead(events: (0..<800).map { CompactIdentifier(Self.id($0)) })
    for number in 0..<800 {
      let notes = number < 300 ? "o" : number < 500 ? nil : "n"
      #expect(try store.findEvent(id: Self.id(number))?.notes?.first == notes.map(Character.init), "\(number)")
      #expect(try store.pendingMutations(ofEntity: Self.id(number)).count == (number < 600 ? 1 : 0), "\(number)")
    }
    #expect(try store.eventCount() == 600)
    #expect(try StorageEngine.verify(directory: "/home/store", fileSystem: disk).findings.isEmpty)
  }

  @Test func `an idempotency key equal to the mutation id is not stored, another one is`() throws {
    var mutation = Self.mutation(1, of: Self.id(1))
    try store.insertPendingMutation(mutation)
    #expect(try store.fetchPendingMutations() == [mutation])
    mutation.idempotencyKey = "another"
    try store.insertPendingMutation(mutation)
    #expect(try store.fetchPendingMutations() == [mutation])
    mutation.idempotencyKey = mutation.id
    try store.insertPendingMutation(mutation)
    #expect(try store.fetchPendingMutations() == [mutation])
  }
}
