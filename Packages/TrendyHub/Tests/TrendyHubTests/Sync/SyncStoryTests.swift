import Foundation
import Testing
import TrendyHub
import TrendyModels

/// The hub's merge rules. Each is tested on both storages, without a server.
@Suite("Sync rules of the hub", .timeLimit(.minutes(10)))
struct SyncStoryTests {
  private static let storages = StoryHub.Storage.allCases

  // MARK: Sequence numbers

  @Test(
    "a skipped sequence number is a fork, and the next expected number is still accepted",
    arguments: storages)
  func sequenceAtSend(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"), hub.type("u"))
    // The sequence number would be 5 if numbers were assigned when edits are recorded.
    let late = hub.update("e", ["notes": hub.set("x", base: 2)])
    #expect(try hub.push("a", [hub.sent(late, 5)]).fork?.kind == "device_forked")
    #expect(try hub.push("a", [hub.sent(late, 4)]).outcomes.map(\.verdict.word) == ["accepted"])
  }

  @Test("a refused mutation uses up its sequence number and the following mutations are applied", arguments: storages)
  func refusalUsesSequence(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    let orphan = hub.event("e", of: "nowhere")
    let first = try hub.push("a", [hub.sent(orphan, 1), hub.sent(hub.type("t"), 2)])
    #expect(first.outcomes.map(\.verdict.word) == ["parent_deleted", "accepted"])
    // Assume that the response was lost. The repeated mutation receives the stored refusal, although its parent now
    // exists.
    try hub.push("b", hub.type("nowhere"))
    #expect(try hub.push("a", [hub.sent(orphan, 1)]).outcomes == [first.outcomes[0]])
  }

  @Test("outcomes are stored until acknowledged, and repeating an acknowledged mutation is a fork", arguments: storages)
  func outcomesUntilAcknowledged(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    let sent = [hub.sent(hub.type("t"), 1), hub.sent(hub.event("e"), 2)]
    let first = try hub.push("a", sent)
    #expect(try hub.push("a", sent) == first)
    #expect(try hub.push("a", [sent[1]], acknowledged: 1).outcomes == [first.outcomes[1]])
    let fork = try hub.push("a", sent, acknowledged: 1)
    #expect(fork.fork?.kind == "device_forked" && fork.outcomes.isEmpty)
    // The fork does not block the device.
    #expect(
      try hub.push("a", [hub.sent(hub.type("u"), 3)], acknowledged: 2).outcomes.map(\.verdict.word) == ["accepted"])
  }

  @Test("a fork in a batch is reported together with the outcomes before it", arguments: storages)
  func outcomesWithFork(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    let result = try hub.push("a", [hub.sent(hub.type("t"), 1), hub.sent(hub.event("e"), 3)])
    #expect(result.fork?.kind == "device_forked")
    #expect(result.outcomes.map(\.verdict.word) == ["accepted"])
    #expect(try hub.isAlive("t", "event_type") && hub.entry("event", "e") == nil)
  }

  @Test("a last sequence number below the high-water mark is a fork, in push and pull", arguments: storages)
  func restoredStore(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    func kind(_ body: () throws -> Void) -> String? {
      do {
        try body()
        return nil
      } catch {
        return (error as? Problem)?.kind
      }
    }
    #expect(kind { try hub.check(DevicePosition(device: "a", lastSequence: 1)) } == "device_forked")
    #expect(kind { try hub.check(DevicePosition(device: "a", lastSequence: 2)) } == nil)
    #expect(kind { try hub.check(DevicePosition(device: "b", lastSequence: 0)) } == nil)
    #expect(kind { _ = try hub.push("a", [hub.sent(hub.type("u"), 1)], last: 1) } == "device_forked")
    #expect(try hub.entry("event_type", "u") == nil)
  }

  // MARK: Fields

  @Test(
    "an edit with an outdated base keeps unseen values as conflicts, whatever the cursor was",
    arguments: storages)
  func baseIsHeldVersion(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("b", hub.type("t"), hub.event("e", notes: "old"))
    hub.now += 10
    try hub.push("b", hub.update("e", ["notes": hub.set("5", base: 2, at: 5000)]))
    // A has seen version 2 of the entry, although its cursor is higher. Its later edit wins, and "5" becomes a
    // conflict.
    let later = try hub.push("a", hub.update("e", ["notes": hub.set("8", base: 2, at: 6000)]))
    #expect(later.map(\.word) == ["accepted"])
    #expect(try hub.value("e", "notes") == "8")
    #expect(try hub.conflicts == ["e.notes=5 overwritten"])
    // An earlier edit loses. The outcome names the field, and nothing is written.
    let head = try hub.state.head
    let earlier = try hub.push("c", hub.update("e", ["notes": hub.set("1", base: 2, at: 1000)]))
    #expect(earlier == [.merged(version: later[0].version ?? 0, lost: ["notes"])])
    #expect(try hub.value("e", "notes") == "8" && hub.state.head == head)
  }

  @Test("a value that the author has seen is replaced regardless of stamps", arguments: storages)
  func knownIsReplaced(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("b", hub.type("t"), hub.event("e"))
    hub.now += 10
    let version = try #require(
      try hub.push("b", hub.update("e", ["notes": hub.set("5", base: 2, at: 9000)]))[0].version)
    #expect(
      try hub.push("a", hub.update("e", ["notes": hub.set("6", base: version, at: 1)])).map(\.word) == ["accepted"])
    #expect(try hub.value("e", "notes") == "6" && hub.conflicts.isEmpty)
    // If the base is one version lower, the author has not seen the value.
    #expect(try hub.push("c", hub.update("e", ["notes": hub.set("7", base: version, at: 0)]))[0].lost == ["notes"])
  }

  @Test("a device knows its own writes, but not those that were re-offered", arguments: storages)
  func ownWrites(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    hub.now += 10
    try hub.push("a", hub.update("e", ["notes": hub.set("1", base: 2, at: 5000)]))
    #expect(try hub.push("a", hub.update("e", ["notes": hub.set("2", base: 2, at: 4000)])).map(\.word) == ["accepted"])
    #expect(try hub.value("e", "notes") == "2" && hub.conflicts.isEmpty)
    // A re-offered value counts as unseen by every device, including its author and its sender.
    try hub.push("a", hub.update("e", ["notes": hub.set("3", base: 9, at: 6000, by: "a")]))
    #expect(try hub.push("a", hub.update("e", ["notes": hub.set("4", base: 2, at: 5500)]))[0].lost == ["notes"])
    try hub.push("a", hub.delete("e", base: 2))
    #expect(try hub.conflicts == ["e.notes=3 buried"])
  }

  @Test("if two values of one save have the same stamp, the later mutation wins", arguments: storages)
  func sameSave(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("b", hub.type("t"), hub.type("u"))
    // A created the event and moved it in one save. Another device had seen only the creation when the hub was
    // restored.
    let offered = hub.eventFields(of: "t").mapValues { field in
      FieldChange(value: field.value, base: 0, stamp: field.stamp, author: "a")
    }
    try hub.push("b", hub.create("event", "e", offered))
    let outcomes = try hub.push("a", hub.event("e"), hub.update("e", ["event_type_id": hub.set("u")]))
    #expect(outcomes.allSatisfy { $0.word == "accepted" && $0.lost.isEmpty })
    #expect(try hub.value("e", "event_type_id") == "u" && hub.conflicts.isEmpty)
    // The later mutation also wins if A sends it again under a new identity.
    try hub.push("b", hub.update("e", ["event_type_id": hub.set("t", base: 9, by: "a")]))
    try hub.push("a2", hub.update("e", ["event_type_id": hub.set("u")]))
    #expect(try hub.value("e", "event_type_id") == "u")
  }

  @Test("fields are merged independently, so edits of different fields are both kept", arguments: storages)
  func disjointFields(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    hub.now += 10
    let dose: JSONValue = ["type": "number", "value": 2]
    let mood: JSONValue = ["type": "text", "value": "good"]
    try hub.push(
      "a", hub.update("e", ["notes": hub.set("x", base: 2, at: 2), "properties.dose": hub.set(dose, base: 2, at: 2)]))
    let other = try hub.push(
      "b",
      hub.update("e", ["time_zone": hub.set("UTC", base: 2, at: 1), "properties.mood": hub.set(mood, base: 2, at: 1)]))
    #expect(other.map(\.word) == ["accepted"])
    let entry = try #require(try hub.entry("event", "e"))
    #expect(entry.members["properties"] == ["dose": dose, "mood": mood])
    #expect(entry.members["notes"] == "x" && entry.members["time_zone"] == "UTC")
    #expect(try hub.conflicts.isEmpty)
    // Clearing one property keeps the other. Null, a missing field and a value are all distinct.
    let held = entry.version
    try hub.push(
      "b",
      hub.update(
        "e", ["properties.dose": hub.set(.null, base: held, at: 3), "notes": hub.set(.null, base: held, at: 3)]))
    let cleared = try #require(try hub.entry("event", "e"))
    #expect(cleared.members["properties"] == ["mood": mood])
    #expect(cleared.members["notes"] == .null && cleared.members["end_date"] == nil)
  }

  @Test("a value that loses to an unseen write becomes a conflict entity until it is deleted", arguments: storages)
  func conflictIsShared(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    hub.now += 10
    try hub.push("a", hub.update("e", ["notes": hub.set("mine", base: 2, at: 1000)]))
    let winner = hub.update("e", ["notes": hub.set("yours", base: 2, at: 2000)])
    let sent = hub.sent(winner, 1)
    let first = try hub.push("b", [sent])
    let entries = try hub.entries(after: 3)
    let conflict = try #require(entries.first { $0.kind == "conflict" })
    #expect(entries.count == 2 && NaturalIdentifier.isNatural(conflict.id))
    #expect(
      conflict.members == [
        "entity_type": "event", "entity_id": "e", "field": "notes", "value": "mine", "author": "a",
        "stamp": 1_704_067_201_000, "mutation_id": .string(winner.mutationId ?? ""), "reason": "overwritten", "by": "b",
      ])
    #expect(try hub.storage.read(user: "p") { try $0.allLines() }.count == 3)
    // A repeated push does not create the conflict again. A resolved conflict disappears without causing another one.
    #expect(try hub.push("b", [sent]) == first)
    try hub.push("c", hub.delete(conflict.id, base: 0, kind: "conflict"))
    #expect(try hub.conflicts.isEmpty)
    #expect(try hub.entry("conflict", conflict.id)?.isAlive == false)
  }

  @Test("a stamp in the future is lowered to the hub's time, also in a re-offer", arguments: storages)
  func stampsAreCapped(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    hub.now += 10
    let year: Int64 = 31_536_000_000
    try hub.push("a", hub.update("e", ["notes": hub.set("ahead", base: 2, at: year)]))
    #expect(try hub.entry("event", "e")?.fields["notes"]?.stamp == hub.clock)
    hub.now += 1
    try hub.push("b", hub.update("e", ["notes": hub.set("after", base: 2, at: 10_500)]))
    #expect(try hub.value("e", "notes") == "after")
    try hub.push("c", hub.update("e", ["notes": hub.set("offered", base: 2, at: year, by: "x")]))
    let field = try hub.entry("event", "e")?.fields["notes"]
    #expect(field?.value == "offered" && field?.stamp == hub.clock && field?.author == "x")
  }

  @Test("of two concurrent goals one wins as a whole and the other becomes a conflict", arguments: storages)
  func goals(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"))
    let (perWeek, limit) = (Goal(3, per: .week).json, Goal(.atMost, 2, per: .day).json)
    try hub.push("a", hub.update("t", ["goal": hub.set(perWeek, base: 1, at: 10)], kind: "event_type"))
    try hub.push(
      "b",
      hub.update(
        "t", ["goal": hub.set(limit, base: 1, at: 20), "name": hub.set("tea", base: 1)], kind: "event_type"))
    #expect(try hub.value("t", "goal", of: "event_type") == limit)
    #expect(try hub.value("t", "name", of: "event_type") == "tea")
    #expect(try hub.conflicts == ["t.goal={} overwritten"])
  }

  @Test("a mutation that changes nothing gets no version and creates no conflict", arguments: storages)
  func noChange(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e", notes: "x"))
    let same = hub.update(
      "e",
      ["notes": hub.set("x", at: 9), "timestamp": hub.set("2024-01-01T09:00:00+01:00"), "end_date": hub.set(.null)])
    #expect(try hub.push("b", same) == [.accepted(version: 2)])
    #expect(try hub.state.head == 2 && hub.conflicts.isEmpty)
  }

  @Test(
    "a value that loses twice to the same mutation is one conflict, another value a second", arguments: storages)
  func conflictOnce(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    hub.now += 10
    try hub.push("a", hub.update("e", ["notes": hub.set("mine", base: 2, at: 1000)]))
    let winner = hub.update("e", ["notes": hub.set("yours", base: 2, at: 2000)])
    try hub.push("b", winner)
    // The author sends the mutation again under a new identity. In the meantime, another device has re-offered the lost
    // value.
    try hub.push("c", hub.update("e", ["notes": hub.set("mine", base: 9, at: 1000, by: "a")]))
    try hub.push("b2", winner)
    #expect(try hub.value("e", "notes") == "yours" && hub.conflicts == ["e.notes=mine overwritten"])
    #expect(try hub.state.sums["conflict"]?.count == 1)
    try hub.push("c", hub.update("e", ["notes": hub.set("another", base: 9, at: 1500, by: "d")]))
    try hub.push("b3", winner)
    #expect(try hub.conflicts == ["e.notes=another overwritten", "e.notes=mine overwritten"])
  }

  @Test("a plain write gets a later stamp than the value it replaces", arguments: storages)
  func plainIsLater(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    hub.now += 10
    try hub.push("b", hub.update("e", ["notes": hub.set("ahead", base: 2, at: 90_000, by: "x")]))
    var plain = hub.update("e", [:])
    plain.content = .members(["notes": "plain"])
    try hub.push("old", plain)
    // The plain write keeps the stored stamp, which is ahead of the clock. The edit below would have lost before the
    // plain write, so it must also lose afterwards.
    #expect(try hub.push("z", hub.update("e", ["notes": hub.set("late", base: 2, at: 20_000)]))[0].lost == ["notes"])
    #expect(try hub.value("e", "notes") == "plain")
  }

  // MARK: Deletes

  @Test("the outcome of a mutation without effect has a version that a device can reach", arguments: storages)
  func reachableVersions(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"), hub.event("f"))
    try hub.push("a", hub.delete("e", base: 3))
    // A mutation without effect receives the entity's current version, and a repeated delete the tombstone's.
    #expect(try hub.push("b", hub.update("f", ["notes": hub.set(.null)])) == [.accepted(version: 3)])
    #expect(try hub.push("b", hub.delete("e", base: 3)) == [.accepted(version: 4)])
    // A delete for a compacted id receives the horizon as its version.
    hub.now += 100 * 86_400
    #expect(try hub.compact() == 1)
    #expect(try hub.push("c", hub.delete("e", base: 3)) == [.accepted(version: 4)])
    #expect(try hub.state.horizon == 4)
  }

  @Test("every tombstone of a cascade has its own version, so a page may end within it", arguments: storages)
  func cascadeVersions(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e1"), hub.event("e2"))
    let outcome = try hub.push("a", hub.delete("t", base: 3, kind: "event_type"))
    let entries = try hub.entries(after: 0)
    #expect(entries.map(\.version) == [4, 5, 6] && entries.allSatisfy { !$0.isAlive })
    // The type comes last, so a device that has its tombstone also has its children's tombstones.
    #expect(entries.last?.id == "t" && outcome == [.accepted(version: 6)])
    #expect(entries.first { $0.id == "e1" }?.fields["timestamp"]?.value == "2024-01-01T08:00:00.000Z")
    var cursor: Int64 = 0
    var seen: [String] = []
    repeat {
      let page = try hub.page(after: cursor, limit: 1)
      seen += try page.lines.map { try WireJSON.decode(ChangeEntry.self, from: $0.text).entityId }
      cursor = page.nextCursor
    } while cursor < 6
    #expect(seen.sorted() == ["e1", "e2", "t"])
  }

  @Test("a delete wins, and values that its author has not seen become conflicts", arguments: storages)
  func deleteBuriesUnseen(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("b", hub.type("t"), hub.event("e", notes: "seen"))
    hub.now += 10
    try hub.push("b", hub.update("e", ["time_zone": hub.set("UTC", base: 2)]))
    let held = try hub.state.head
    try hub.push("b", hub.update("e", ["notes": hub.set("5", base: held)]))
    try hub.push("c", hub.delete("t", base: held, kind: "event_type"))
    #expect(try !hub.isAlive("e") && !hub.isAlive("t", "event_type"))
    #expect(try hub.conflicts == ["e.notes=5 buried"])
  }

  @Test("a child that was moved unseen to a deleted type is kept as a conflict", arguments: storages)
  func deleteBuriesMoved(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.type("u"), hub.event("e", notes: "all of it"))
    try hub.push("a", hub.update("e", ["event_type_id": hub.set("u", base: 3)]))
    // B has seen "u" without any events.
    try hub.push("b", hub.delete("u", base: 3, kind: "event_type"))
    #expect(try hub.conflicts == ["e.*={} moved"])
    let conflict = try #require(
      try hub.storage.read(user: "p") { try $0.living(kind: "conflict", offset: 0, limit: 1) }.first)
    #expect(conflict.fields["value"]?.value["notes"] == "all of it")
    #expect(conflict.fields["value"]?.value["id"] == "e" && conflict.fields["author"]?.value == "a")
    // If the device moved the child itself, nothing unseen is lost.
    try hub.push("a", hub.type("v"), hub.event("f"), hub.update("f", ["event_type_id": hub.set("v", base: 0)]))
    try hub.push("a", hub.delete("v", base: 0, kind: "event_type"))
    #expect(try hub.conflicts.count == 1)
  }

  @Test("a child that was restored unseen under a deleted type is kept as a conflict", arguments: storages)
  func deleteBuriesRestored(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("b", hub.type("t"), hub.event("e", notes: "all of it"))
    try hub.push("b", hub.delete("e", base: 2))
    // A has seen the deletion of the event and deletes the type. B's restore, which writes no values, arrives first.
    try hub.push("b", hub.restore("e", incarnation: 1))
    let deletion = hub.delete("t", base: 3, kind: "event_type")
    try hub.push("a", deletion)
    #expect(try !hub.isAlive("e") && !hub.isAlive("t", "event_type"))
    #expect(try hub.conflicts == ["e.*={} moved"])
    let conflict = try #require(
      try hub.storage.read(user: "p") { try $0.living(kind: "conflict", offset: 0, limit: 1) }.first)
    #expect(conflict.fields["value"]?.value["notes"] == "all of it" && conflict.fields["author"]?.value == "b")
  }

  @Test(
    "a restore that the deleting device has seen or made leaves no conflict", arguments: storages)
  func deleteOfSeenRestore(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("b", hub.type("t"), hub.event("e"), hub.delete("e", base: 2), hub.restore("e", incarnation: 1))
    try hub.push("a", hub.delete("t", base: 4, kind: "event_type"))
    try hub.push("b", hub.type("u"), hub.event("f", of: "u"))
    let base = try hub.state.head
    try hub.push("b", hub.delete("f", base: base), hub.restore("f", incarnation: 1))
    try hub.push("b", hub.delete("u", base: base, kind: "event_type"))
    #expect(try !hub.isAlive("e") && !hub.isAlive("f") && hub.conflicts.isEmpty)
  }

  @Test("a re-offered restore counts as unseen by every device", arguments: storages)
  func deleteOfOfferedRestore(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("b", hub.type("t"), hub.event("e"), hub.delete("e", base: 2))
    try hub.push("a", hub.restore("e", incarnation: 1, ["event_type_id": hub.set("t", base: 3, by: "b")]))
    try hub.push("a", hub.delete("t", base: 3, kind: "event_type"))
    #expect(try hub.conflicts == ["e.*={} moved"])
  }

  @Test("a reference that is cleared without having been seen becomes a conflict", arguments: storages)
  func deleteClearsUnseenReference(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    let place = ["name": hub.set("home"), "latitude": hub.set(1), "longitude": hub.set(2), "radius": hub.set(100)]
    try hub.push("a", hub.type("t"), hub.type("u"), hub.create("geofence", "g", place))
    try hub.push("b", hub.update("g", ["event_type_entry_id": hub.set("t", base: 3)], kind: "geofence"))
    try hub.push("b", hub.update("g", ["event_type_exit_id": hub.set("u", base: 4)], kind: "geofence"))
    // A has seen only one of the two references.
    try hub.push("a", hub.delete("u", base: 5, kind: "event_type"), hub.delete("t", base: 3, kind: "event_type"))
    #expect(try hub.value("g", "event_type_entry_id", of: "geofence") == .null)
    #expect(try hub.value("g", "event_type_exit_id", of: "geofence") == .null)
    #expect(try hub.conflicts == ["g.event_type_entry_id=t overwritten"])
  }

  @Test("several fields of an entity that were deleted unseen become one conflict", arguments: storages)
  func deleteKeepsFieldsTogether(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("b", hub.type("t"))
    // After a hub restore, one device re-offers the event and another re-offers its deletion.
    let offered = hub.eventFields(notes: "kept").mapValues { field in
      FieldChange(value: field.value, base: 1, stamp: field.stamp, author: "c")
    }
    try hub.push("b", hub.create("event", "e", offered))
    try hub.push("a", hub.delete("e", base: 1))
    #expect(try !hub.isAlive("e") && hub.conflicts == ["e.*={} buried"])
    let conflict = try #require(
      try hub.storage.read(user: "p") { try $0.living(kind: "conflict", offset: 0, limit: 1) }.first)
    #expect(
      conflict.fields["value"]?.value
        == ["event_type_id": "t", "notes": "kept", "timestamp": "2024-01-01T08:00:00.000Z"])
    #expect(conflict.fields["author"]?.value == "c")
  }

  @Test("a child that was moved out of a type before its deletion survives", arguments: storages)
  func movedOutIncarnations(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.type("u"), hub.event("e"))
    try hub.push("a", hub.update("e", ["event_type_id": hub.set("u", base: 3)]))
    try hub.push("b", hub.delete("t", base: 3, kind: "event_type"))
    #expect(try hub.isAlive("e") && hub.conflicts.isEmpty)
  }

  @Test("the edits of a second delete are kept for a restore", arguments: storages)
  func lastWordsOfSecond(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e", notes: "first"))
    try hub.push("b", hub.delete("e", base: 2))
    hub.now += 10
    let words = ["notes": hub.set("last", base: 2, at: 5)]
    let again = try hub.push("a", hub.delete("e", base: 2, words))
    #expect(again.map(\.word) == ["accepted"])
    #expect(try hub.entry("event", "e")?.isAlive == false)
    try hub.push("b", hub.restore("e", incarnation: 1))
    #expect(try hub.entry("event", "e")?.fields["notes"]?.value == "last")
    // An edit that is older than the stored one loses, and the outcome names its field.
    try hub.push("b", hub.delete("e", base: 9, incarnation: 1, ["notes": hub.set("later", base: 9, at: 9)]))
    let late = try hub.push("c", hub.delete("e", base: 2, incarnation: 1, ["notes": hub.set("early", base: 2, at: 1)]))
    let version = try #require(try hub.entry("event", "e")).version
    #expect(late == [.merged(version: version, lost: ["notes"])])
    #expect(try hub.entry("event", "e")?.fields["notes"]?.value == "later")
  }

  @Test("a delete first merges the edits it replaced by their bases and stamps", arguments: storages)
  func lastWords(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("b", hub.type("t"), hub.event("e"))
    hub.now += 10
    try hub.push("b", hub.update("e", ["notes": hub.set("later", base: 2, at: 5000)]))
    let outcome = try hub.push(
      "a",
      hub.delete(
        "e", base: 2, ["notes": hub.set("earlier", base: 2, at: 1000), "time_zone": hub.set("UTC", base: 2, at: 1000)]))
    #expect(outcome[0].lost == ["notes"])
    #expect(try hub.value("e", "time_zone") == "UTC" && hub.value("e", "notes") == "later")
    #expect(try hub.conflicts == ["e.notes=later buried"])
    // An invalid edit does not prevent the deletion.
    try hub.push("b", hub.event("f"))
    let refusedWords = try hub.push("a", hub.delete("f", base: 9, ["timestamp": hub.set("soon")]))
    #expect(refusedWords[0].lost == ["timestamp"])
    #expect(try !hub.isAlive("f"))
  }

  // MARK: Ids

  @Test("a deleted entity is not revived by a create, an update or a reference", arguments: storages)
  func deadStaysDead(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    try hub.push("a", hub.delete("t", base: 2, kind: "event_type"))
    func refusals() throws -> [String] {
      try hub.push(
        "b", hub.event("e"), hub.update("e", ["notes": hub.set("x", base: 2)]), hub.event("f"),
        hub.create(
          "event_type", "t", ["name": hub.set("a"), "color": hub.set("b"), "icon": hub.set("c")], isNatural: true)
      ).map(\.word)
    }
    let expected = ["entity_deleted", "entity_deleted", "parent_deleted", "entity_deleted"]
    #expect(try refusals() == expected)
    // Compaction reduces the tombstones to ids, but does not change the outcomes.
    hub.now += 100 * 86_400
    #expect(try hub.compact() == 2)
    #expect(try hub.entry("event", "e") == nil)
    #expect(try refusals() == expected)
    #expect(try hub.push("c", hub.restore("e", incarnation: 1)).map(\.word) == ["entity_deleted"])
  }

  @Test("a delete that arrives before the create leaves a tombstone", arguments: storages)
  func deleteBeforeCreate(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"))
    #expect(try hub.push("a", hub.delete("k", base: 1)) == [.accepted(version: 2)])
    #expect(try hub.push("b", hub.event("k")).map(\.word) == ["entity_deleted"])
  }

  @Test("the tombstone of an undone import is marked until the entity is restored", arguments: storages)
  func importUndone(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    try hub.push("a", hub.delete("e", base: 2, [SyncedKind.importUndone: hub.set(true, base: 2)]))
    #expect(try hub.value("e", SyncedKind.importUndone) == true && !hub.isAlive("e"))
    try hub.push("b", hub.restore("e", incarnation: 1))
    #expect(try hub.value("e", SyncedKind.importUndone) == nil && hub.isAlive("e"))
    try hub.push("b", hub.delete("e", base: hub.state.head, incarnation: 1))
    #expect(try hub.value("e", SyncedKind.importUndone) == nil && hub.conflicts.isEmpty)
  }

  @Test("only a restore begins a new incarnation, and mutations of earlier ones are refused", arguments: storages)
  func incarnations(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e", notes: "kept"))
    let old = hub.update("e", ["notes": hub.set("old", base: 2)])
    try hub.push("a", hub.delete("e", base: 2))
    let restored = try hub.push("a", hub.restore("e", incarnation: 1, ["time_zone": hub.set("UTC", base: 3)]))
    #expect(restored == [.accepted(version: 4)])
    #expect(try hub.value("e", "notes") == "kept" && hub.value("e", "time_zone") == "UTC")
    #expect(try hub.entry("event", "e")?.incarnation == 1)
    #expect(try hub.push("b", old, hub.delete("e", base: 4)).map(\.word) == ["restored", "restored"])
    #expect(try hub.push("b", hub.restore("e", incarnation: 1)).map(\.word) == ["accepted"])
    #expect(try hub.state.head == 4)
    // Restoring a live entity raises its incarnation. Restoring a deleted entity requires a higher incarnation.
    #expect(try hub.push("b", hub.restore("e", incarnation: 3)) == [.accepted(version: 5)])
    #expect(try hub.push("a", hub.delete("e", base: 5, incarnation: 3)).map(\.word) == ["accepted"])
    #expect(try hub.push("b", hub.restore("e", incarnation: 3)).map(\.word) == ["entity_deleted"])
    // The delete refers to an incarnation that the hub does not know: the restore that began it arrives too late.
    #expect(try hub.push("a", hub.delete("e", base: 6, incarnation: 4)) == [.accepted(version: 7)])
    #expect(try hub.push("b", hub.restore("e", incarnation: 4)).map(\.word) == ["entity_deleted"])
  }

  @Test("a restore needs a living parent, and may name another one", arguments: storages)
  func restoreNeedsParent(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.type("u"), hub.event("e"))
    try hub.push("a", hub.delete("t", base: 3, kind: "event_type"))
    #expect(try hub.push("a", hub.restore("e", incarnation: 1)).map(\.word) == ["parent_deleted"])
    // By base and stamp, the new parent would lose to the parent in the tombstone, but that parent is deleted.
    #expect(
      try hub.push("b", hub.restore("e", incarnation: 1, ["event_type_id": hub.set("u", base: 0, at: -9)])).map(\.word)
        == [
          "accepted"
        ])
    #expect(try hub.value("e", "event_type_id") == "u")
    // Restoring the type does not restore its events.
    #expect(try hub.push("a", hub.restore("t", incarnation: 1, kind: "event_type")).map(\.word) == ["accepted"])
    #expect(try hub.entries(after: 0).filter(\.isAlive).map(\.id).sorted() == ["e", "t", "u"])
  }

  @Test("a restored place loses its reference to a deleted event type", arguments: storages)
  func restorePlace(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    let place = [
      "name": hub.set("home"), "latitude": hub.set(1), "longitude": hub.set(2), "radius": hub.set(100),
      "event_type_entry_id": hub.set("t"),
    ]
    try hub.push("a", hub.type("t"), hub.create("geofence", "g", place), hub.delete("g", base: 2, kind: "geofence"))
    try hub.push("a", hub.delete("t", base: 3, kind: "event_type"))
    #expect(try hub.push("a", hub.restore("g", incarnation: 1, kind: "geofence")).map(\.word) == ["accepted"])
    #expect(try hub.value("g", "event_type_entry_id", of: "geofence") == .null)
  }

  @Test("an entity imported twice exists once, and the second import changes nothing", arguments: storages)
  func naturalKeys(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    func imported(_ notes: String, at stamp: Int64, by author: String? = nil) -> HubMutation {
      hub.create(
        "event", "k",
        [
          "event_type_id": hub.set("t", at: stamp, by: author),
          "timestamp": hub.set("2024-01-01T08:00:00Z", at: stamp, by: author),
          "notes": hub.set(.string(notes), at: stamp, by: author),
        ], isNatural: true)
    }
    try hub.push("a", hub.type("t"), imported("imported", at: 1))
    hub.now += 10
    try hub.push("a", hub.update("k", ["notes": hub.set("mine", base: 2, at: 2)]))
    #expect(try hub.push("b", imported("imported later", at: 9000)) == [.merged(version: 3, lost: [])])
    #expect(try hub.value("k", "notes") == "mine")
    // A re-offer of the import is merged by its stamps.
    #expect(try hub.push("c", imported("written since", at: 9500, by: "d")).map(\.word) == ["accepted"])
    #expect(try hub.value("k", "notes") == "written since")
    try hub.push("a", hub.delete("k", base: 9))
    #expect(try hub.push("b", imported("again", at: 9900)).map(\.word) == ["entity_deleted"])
  }

  @Test("a re-offer with a deleted parent loses only that field, while an edit is refused", arguments: storages)
  func reofferedReference(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.type("u"), hub.event("e"))
    try hub.push("a", hub.delete("u", base: 3, kind: "event_type"))
    hub.now += 10
    let fields = ["event_type_id": "u", "notes": "x"]
    let edit = try hub.push("b", hub.update("e", fields.mapValues { hub.set(.string($0), base: 3, at: 5) }))
    #expect(edit.map(\.word) == ["parent_deleted"])
    #expect(try hub.value("e", "notes") == nil)
    let offer = try hub.push("b", hub.update("e", fields.mapValues { hub.set(.string($0), base: 3, at: 5, by: "z") }))
    #expect(offer[0].lost == ["event_type_id"])
    #expect(try hub.value("e", "notes") == "x" && hub.value("e", "event_type_id") == "t")
  }

  @Test("a re-offered restore with a deleted parent is refused with parent_deleted, not invalid", arguments: storages)
  func reofferedRestore(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    // The restored hub receives the deletion first, without the create, and then the deletion of the type.
    try hub.push("a", hub.type("t"))
    try hub.push("a", hub.delete("e", base: 0))
    try hub.push("a", hub.delete("t", base: 1, kind: "event_type"))
    let fields = ["event_type_id": "t", "timestamp": "2024-01-01T08:00:00.000Z"]
    var offer = hub.restore("e", incarnation: 1)
    offer.content = .fields(fields.mapValues { hub.set(.string($0), base: 0, at: 5, by: "z") })
    #expect(try hub.push("b", offer).map(\.word) == ["parent_deleted"])
  }

  // MARK: A restored hub

  @Test(
    "a hub position that this hub never assigned is rejected with log_reset, in push and pull",
    arguments: storages)
  func logReset(storage: StoryHub.Storage) throws {
    func kind(_ hub: StoryHub, _ seen: Int64, _ epoch: String?) throws -> String? {
      do {
        try hub.check(DevicePosition(device: "a", seen: seen, epoch: epoch))
        return nil
      } catch let problem as Problem {
        return problem.kind
      }
    }
    // The backup was made at version 3 of the first epoch, but the device has seen version 5.
    let hub = try StoryHub(storage, epoch: "first")
    try hub.push("a", hub.type("t"), hub.event("e"), hub.event("f"))
    #expect(try kind(hub, 3, "first") == nil)
    #expect(try kind(hub, 5, "first") == "log_reset")
    #expect(try kind(hub, 4, nil) == "log_reset")
    try hub.restart(epoch: "second")
    #expect(try kind(hub, 5, "first") == "log_reset")
    // The head has passed the old cursor, but the epochs show the loss.
    try hub.push("b", hub.event("g"), hub.event("h"), hub.event("i"))
    #expect(try kind(hub, 5, "first") == "log_reset")
    #expect(try kind(hub, 5, "second") == nil)
    #expect(try kind(hub, 3, "first") == nil)
    #expect(try kind(hub, 3, "second") == "log_reset")
    #expect(try kind(hub, 0, "another") == nil)
    // The push is rejected before any of its mutations is merged.
    #expect(throws: Problem.self) {
      try hub.push("a", [hub.sent(hub.update("e", ["notes": hub.set("x", base: 5)]), 4)], seen: 5, epoch: "first")
    }
    #expect(try hub.state.head == 6 && hub.value("e", "notes") == nil)
  }

  @Test("an epoch without writes is not listed", arguments: storages)
  func emptyEpochs(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage, epoch: "a")
    try hub.push("a", hub.type("t"))
    try hub.restart(epoch: "b")
    try hub.restart(epoch: "c")
    #expect(try hub.state.epochs == [.init(id: "a", first: 1), .init(id: "c", first: 2)])
  }

  // MARK: Compaction

  @Test("a pull below the horizon is answered with 410, while a snapshot is always served", arguments: storages)
  func horizon(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"), hub.event("f"))
    try hub.push("a", hub.delete("e", base: 3))
    hub.now += 91 * 86_400
    try hub.push("a", hub.delete("f", base: 4))
    #expect(try hub.compact() == 1)
    #expect(try hub.state.horizon == 4 && hub.state.head == 5)
    #expect(throws: Problem.self) { try hub.page(after: 3) }
    do {
      _ = try hub.page(after: 3)
    } catch let problem as Problem {
      #expect(problem.kind == "cursor_expired" && problem.status == 410)
    }
    #expect(try hub.page(after: 4).lines.map(\.version) == [5])
    #expect(try hub.storage.read(user: "p") { try $0.allLines() }.count == 2)
  }

  @Test(
    "a tombstone is kept for 90 days and until every device seen within them has passed it", arguments: storages)
  func compactionWaits(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    let day = 86_400.0
    try hub.push("a", hub.type("t"), hub.event("e"), hub.event("f"), hub.event("g"))
    try hub.noteContact("slow", cursor: 5)
    try hub.push("a", hub.delete("e", base: 4), hub.delete("f", base: 4), hub.delete("g", base: 4))
    #expect(try hub.compact() == 0)
    hub.now += 80 * day
    try hub.noteContact("slow", cursor: 6)
    try hub.noteContact("quick", cursor: 7)
    hub.now += 10 * day + 1
    // All three tombstones are old enough, but a device in contact ten days ago is at version 6.
    #expect(try hub.compact(limit: 1) == 1)
    #expect(try hub.compact() == 1)
    #expect(try hub.compact() == 0)
    #expect(try hub.state.horizon == 6)
    // A device that stays away longer does not hold back the horizon any more.
    hub.now += 92 * day
    try hub.noteContact("quick", cursor: 7)
    #expect(try hub.compact() == 1)
    #expect(try hub.state.horizon == 7)
    #expect(
      try hub.storage.read(user: "p") { try $0.contacts() }.map(\.device) == ["a", "quick", "slow"],
      "in which life it stands stays known")
    for number in 1...70 { try hub.noteContact("other-\(number)", cursor: 7) }
    try hub.compact()
    #expect(
      try hub.storage.read(user: "p") { try $0.contacts() }.count == 71, "those of 90 days, and of the rest none")
  }

  // MARK: Many epochs

  /// Restarts the hub repeatedly and writes in each epoch.
  private func live(_ count: Int, _ hub: StoryHub, _ name: String) throws {
    for number in 1...count {
      try hub.restart(epoch: "\(name)\(number)")
      try hub.push("writer", hub.event("\(name)-\(number)"))
    }
  }

  @Test("a device that was away for more epochs than the hub lists is recognized", arguments: storages)
  func manyEpochs(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("writer", hub.type("t"))
    try live(3, hub, "a")
    let away = try hub.state
    try hub.noteContact("away", cursor: away.head)
    try hub.noteContact("writer", cursor: away.head)
    try live(300, hub, "b")
    let state = try hub.state
    #expect(state.epochs.count <= HubState.maxEpochs + 2 * HubState.maxActiveContacts)
    try hub.check(DevicePosition(device: "away", seen: away.head, epoch: away.epochs.last?.id))
    // The device has everything up to its head, so it would not have to re-offer anything.
    func list(_ state: HubState) -> [HubEpoch] { state.epochs }
    #expect(
      list(away).lastCommonVersion(endingAt: away.head, with: list(state), endingAt: state.head) == away.head)
    // Epochs in between are not listed if no device is in them.
    #expect(throws: Problem.self) {
      try hub.check(DevicePosition(device: "x", seen: away.head + 50, epoch: "b50"))
    }
  }

  @Test("a device that only pushed, and got the response in a later epoch, is recognized", arguments: storages)
  func manyEpochsAfterAPush(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("writer", hub.type("t"))
    let before = try hub.state
    try live(2, hub, "a")
    // Its position may be in the first epoch, which it reported, or in the third, in which the hub responded.
    _ = try hub.push("away", [hub.sent(hub.event("e"), 1)], seen: before.head, epoch: before.epochs.last?.id, last: 1)
    let answered = try hub.state
    try live(300, hub, "b")
    for state in [before, answered] {
      try hub.check(DevicePosition(device: "away", seen: state.head, epoch: state.epochs.last?.id))
    }
  }

  @Test("a restored hub shows the lost epochs even after many new ones", arguments: storages)
  func manyEpochsAfterALoss(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("writer", hub.type("t"))
    try live(3, hub, "a")
    // The device has seen two epochs that are missing from the backup.
    let backup = try hub.state
    try hub.noteContact("away", cursor: backup.head)
    var known = backup.epochs
    known += [HubEpoch(id: "lost1", first: backup.head + 1), HubEpoch(id: "lost2", first: backup.head + 9)]
    try live(300, hub, "b")
    let state = try hub.state
    let told = state.epochs
    #expect(known.lastCommonVersion(endingAt: backup.head + 20, with: told, endingAt: state.head) == backup.head)
  }

  @Test("a device that got a response in an epoch without writes is recognized", arguments: storages)
  func manyEpochsAfterAnEmptyOne(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("writer", hub.type("t"))
    let before = try hub.state
    try live(2, hub, "a")
    let answered = try hub.state
    try hub.restart(epoch: "empty")
    // The device has received everything up to the head, which belongs to the previous epoch.
    try hub.noteContact("away", cursor: before.head)
    try live(300, hub, "b")
    try hub.check(DevicePosition(device: "away", seen: answered.head, epoch: answered.epochs.last?.id))
  }

  @Test("a device whose earlier request arrives late, in a later epoch, is recognized", arguments: storages)
  func manyEpochsAfterALateRequest(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("writer", hub.type("t"))
    let before = try hub.state
    try live(2, hub, "a")
    try hub.noteContact("away", cursor: before.head)
    let answered = try hub.state
    try live(2, hub, "b")
    try hub.noteContact("away", cursor: before.head)
    try live(300, hub, "c")
    for state in [before, answered] {
      try hub.check(DevicePosition(device: "away", seen: state.head, epoch: state.epochs.last?.id))
    }
  }

  @Test("a device's cursor is stored at once if it belongs to another epoch", arguments: storages)
  func contactsOfEpochs(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("writer", hub.type("t"))
    try hub.noteContact("a", cursor: 1)
    try live(1, hub, "next")
    try hub.noteContact("a", cursor: 2)
    #expect(try hub.storage.read(user: "p") { try $0.contact(device: "a") }?.cursor == 2)
  }

  @Test("a device's cursor is stored once a day, and at once if it is lower", arguments: storages)
  func contacts(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    func noted() throws -> Int64? { try hub.storage.read(user: "p") { try $0.contact(device: "a") }?.cursor }
    try hub.noteContact("a", cursor: 5)
    #expect(try noted() == 5)
    hub.now += 86_399
    try hub.noteContact("a", cursor: 9)
    #expect(try noted() == 5)
    hub.now += 1
    try hub.noteContact("a", cursor: 9)
    #expect(try noted() == 9)
    // The device was restored from a backup, so the horizon must not pass its lower cursor.
    try hub.noteContact("a", cursor: 2)
    #expect(try noted() == 2)
  }

  // MARK: Sums of live entities

  @Test("count and hash of each kind match its living entities after any operation", arguments: storages)
  func sums(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"), hub.event("f"), hub.event("g"))
    try hub.push("b", hub.update("e", ["notes": hub.set("x", base: 2)]), hub.delete("f", base: 4))
    try hub.push("b", hub.restore("f", incarnation: 1), hub.delete("g", base: 4))
    let kept = try hub.state.sums
    #expect(kept["event"]?.count == 2 && kept["event_type"]?.count == 1)
    var anew: [String: KindSum] = [:]
    for entry in try hub.storage.read(user: "p", { try $0.entries(after: 0, limit: .max) }) where entry.isAlive {
      anew[entry.kind, default: .init()].add(
        kind: entry.kind, id: entry.id, version: entry.version, incarnation: entry.incarnation)
    }
    #expect(anew == kept.filter { $0.value.count > 0 })
    hub.now += 100 * 86_400
    try hub.compact()
    #expect(try hub.state.sums == kept)
  }

  @Test("the hash of one entity is the first eight bytes of SHA-256 over its four lines", arguments: storages)
  func sumOfOne(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"))
    // printf 'event_type\nt\n1\n0' | sha256sum
    #expect(try hub.state.sums["event_type"]?.hash == 0x0525d6d6413ba6a6)
  }

  @Test("kinds without REST paths are synced by mutations, feed and snapshot", arguments: storages)
  func genericKinds(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    let made = try hub.push(
      "a", hub.type("t"),
      hub.create("vehicle", "v", ["name": hub.set("Van"), "device_ids": hub.set(["x"]), "wheels": hub.set(4)]),
      hub.create("trip_rule", "r", ["name": hub.set("Work"), "position": hub.set(1), "category": hub.set("business")]),
      hub.create("trip_rule", "s", ["name": hub.set("Work"), "position": hub.set(1), "category": hub.set("pleasure")]),
      hub.create("setting", "u", ["key": hub.set("units"), "value": hub.set(["distance": "km"])]),
      hub.create(
        "skip", "k",
        ["event_type_id": hub.set("t"), "from": hub.set("2024-01-01"), "to": hub.set("2024-01-07")])
    )
    #expect(made.map(\.word) == ["accepted", "accepted", "accepted", "invalid", "accepted", "accepted"])
    #expect(try hub.value("v", "wheels", of: "vehicle") == 4)
    #expect(try hub.entries(after: 0).map(\.kind) == ["event_type", "vehicle", "trip_rule", "setting", "skip"])
    // A skip is deleted with its event type, but other kinds have no parent.
    try hub.push("a", hub.delete("t", base: 9, kind: "event_type"))
    #expect(try hub.entries(after: 0).filter(\.isAlive).map(\.kind) == ["vehicle", "trip_rule", "setting"])
  }
}
