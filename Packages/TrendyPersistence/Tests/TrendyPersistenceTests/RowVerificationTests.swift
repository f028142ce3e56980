import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

@Suite("Verification of rows", .timeLimit(.minutes(10)))
struct RowVerificationTests {
  let factory: DefaultDataStoreFactory
  let store: LocalStore
  private let moment = Date(timeIntervalSince1970: 1_700_000_000)

  init() throws {
    factory = try DefaultDataStoreFactory(
      directory: "/store", fileSystem: SimulatedFileSystem(), options: LocalStoreTests.options)
    store = factory.makeLocalStore()
    try store.upsertEventType(id: "type") { $0.syncStatus = .synced }
    try store.save()
  }

  private func put(_ id: String, _ status: SyncStatus, type: String = "type") throws {
    try store.upsertEvent(id: id) { event in
      event.eventTypeId = type
      event.timestamp = moment
      event.syncStatus = status
    }
  }

  private func wait(
    _ id: String, _ operation: MutationOperation, entity: String = "e", payload: String = #"{"event_type_id":"type"}"#,
    after seconds: Double = 0, sequence: Int64? = nil
  ) throws {
    try store.insertPendingMutation(
      PendingMutation(
        id: id, entityType: .event, entityId: entity, operation: operation, payload: Data(payload.utf8),
        createdAt: moment + seconds, sequence: sequence, device: sequence.map { _ in "device" }))
  }

  /// Returns the only issue, if any.
  private func finding() throws -> StoreIssue? {
    try store.save()
    let findings = try store.verify()
    #expect(findings.count < 2, "\(findings)")
    return findings.first
  }

  @Test func `consistent rows of recorded, sent, rejected and deleted entities have no issue`() throws {
    try put("e", .pending)
    try wait("m1", .create)
    try put("f", .pending)
    try wait("m2", .create, entity: "f", sequence: 1)
    try wait("m3", .update, entity: "f", payload: "{}", after: 1)
    try put("g", .synced)
    try put("h", .failed)
    try wait("m4", .delete, entity: "i", payload: "")
    try store.insertTombstone(Tombstone(entityType: .event, entityId: "i"))
    // An entity from another device that this device has not received.
    try wait("m5", .update, entity: "j", payload: "{}")
    // A child is not visible if its type is missing on this device.
    try wait("m6", .create, entity: "k", payload: #"{"event_type_id":"elsewhere"}"#)
    try store.setSyncIdentity(SyncIdentity(device: "device", lastSequence: 1))
    #expect(try finding() == nil)
  }

  @Test func `a pending entity without a mutation is an issue`() throws {
    try put("e", .pending)
    #expect(try finding()?.kind == .queue)
    try wait("m", .update, payload: "{}")
    #expect(try finding() == nil)
    // The mutation was accepted, but the feed has not returned it yet.
    try store.deletePendingMutation(try #require(try store.fetchPendingMutations().first))
    var accepted = PendingMutation(
      id: "m", entityType: .event, entityId: "e", operation: .update, payload: Data(), createdAt: moment)
    accepted.acceptedVersion = 7
    try store.insertAcceptedMutation(accepted)
    #expect(try finding() == nil)
    try store.upsertRecord(SyncedRecord(id: "car", kind: .vehicle))
    #expect(try finding()?.what.contains("vehicle car") == true)
  }

  @Test func `a pending mutation of a synced entity is an issue`() throws {
    try put("e", .synced)
    try wait("m", .update, payload: "{}")
    #expect(try finding()?.what.contains("has a pending change") == true)
  }

  @Test func `a pending create of an invisible entity is an issue`() throws {
    try wait("m", .create)
    #expect(try finding()?.what.contains("new event e is pending") == true)
    try wait("m2", .delete, payload: "", after: 1)
    #expect(try finding() == nil)
  }

  @Test func `a visible entity with a pending delete is an issue, also with equal timestamps`() throws {
    try put("e", .pending)
    try wait("b", .create)
    try wait("a", .delete, payload: "")
    #expect(try finding()?.what.contains("its deletion is pending") == true)
  }

  @Test func `a visible entity with a tombstone is an issue`() throws {
    try put("e", .synced)
    try store.insertTombstone(Tombstone(entityType: .event, entityId: "e", version: 4))
    #expect(try finding()?.what.contains("recorded as deleted") == true)
  }

  @Test func `an event or a property of a missing type is an issue`() throws {
    try put("e", .synced, type: "gone")
    #expect(try finding()?.kind == .reference)
    try store.deleteEvent(id: "e")
    try store.upsertPropertyDefinition(id: "d", eventTypeId: "gone") { $0.syncStatus = .synced }
    #expect(try finding()?.kind == .reference)
  }

  @Test func `a duplicate or unassigned sequence number is an issue`() throws {
    try put("e", .pending)
    try wait("m1", .create, sequence: 3)
    try wait("m2", .update, payload: "{}", after: 1, sequence: 3)
    try store.setSyncIdentity(SyncIdentity(device: "device", lastSequence: 3))
    #expect(try finding()?.what.contains("number 3") == true)
    try wait("m2", .update, payload: "{}", after: 1, sequence: 4)
    #expect(try finding()?.what.contains("last assigned sequence number is 3") == true)
  }

  @Test func `unreadable rows and rows at a wrong position are issues`() throws {
    let disk = SimulatedFileSystem()
    let engine = try StorageEngine.open(directory: "/store", fileSystem: disk, options: LocalStoreTests.options)
    let store = LocalStore(engine: engine)
    try store.upsertEventType(id: "type") { $0.syncStatus = .synced }
    try store.save()
    let id = "018c2bb2-7a40-7000-8000-00000000abcd"
    try store.upsertEvent(id: id) { event in
      event.eventTypeId = "type"
      // Not whole microseconds, so the row also stores the timestamp in a field.
      event.timestamp = moment + 1.0 / 3
      event.syncStatus = .synced
    }
    try store.save()
    #expect(try store.verify().isEmpty)
    let row = try #require(try engine.scan(kind: 1).first)
    let (payload, key, sort, group) = (row.payload, row.key, row.sort, row.group)
    for (what, change) in [
      ("a sort value", (key, sort + 1, group, payload)), ("a group", (key, sort, group + 1, payload)),
      ("traits of another version", (key, sort, group, payload + [20 << 2, 7 << 3])),
    ] {
      try engine.write { transaction throws(StorageError) in
        try transaction.put(kind: 1, key: change.0, sort: change.1, group: change.2, payload: change.3)
      }
      #expect(try store.verify().map(\.kind) == [.row], "\(what)")
    }
    try engine.write { transaction throws(StorageError) in
      try transaction.put(kind: 1, key: key, sort: sort, group: group, payload: payload)
      try transaction.put(
        kind: 5, key: key, sort: 0, payload: [2 << 2, 1, 3 << 2, 120, 4 << 2 | 3, 1, 101, 5 << 2, 0])
    }
    #expect(try store.verify().map(\.kind) == [.row])
  }

  @Test func `thousands of rows of one timestamp are each read once`() throws {
    for number in 0..<5000 { try put("e\(number)", number < 4999 ? .synced : .pending) }
    #expect(try finding()?.what.contains("e4999") == true)
  }

  @Test func `a lost row has a readable name and reports whether sync restores it`() {
    let names: [UInt8: String] = [
      1: "event", 5: "pending change", 8: "parked change", 10: "accepted change", 11: "sync metadata",
      32: "hub copy of event", 40: "hub copy of conflict", 68: "vehicle",
    ]
    for (kind, name) in names {
      let row = LostRow(kind: kind, key: nil, sort: nil)
      #expect(row.description == name)
      #expect(row.isLearnedAgain == [8, 10, 11, 32, 40].contains(kind), "\(name)")
    }
  }
}
