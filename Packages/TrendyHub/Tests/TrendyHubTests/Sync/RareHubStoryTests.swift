import Foundation
import Testing
import TrendyHub
import TrendyModels

/// Incarnations, references, horizon and quota, with events in orders that the simulator rarely produces.
@Suite("Rare orders of events at the hub", .timeLimit(.minutes(10)))
struct RareHubStoryTests {
  private static let storages = StoryHub.Storage.allCases

  // MARK: Incarnations

  @Test("a deletion of an earlier incarnation changes nothing in a later tombstone", arguments: storages)
  func deletionOfTheDead(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e", notes: "first"))
    hub.now += 10
    try hub.push(
      "a", hub.delete("e", base: 2), hub.restore("e", incarnation: 1, ["notes": hub.set("second", base: 2, at: 1)]))
    try hub.push("a", hub.delete("e", base: 4, incarnation: 1))
    let head = try hub.state.head
    // The author of this delete has seen only the first incarnation. The delete carries a later edit.
    let late = try hub.push("b", hub.delete("e", base: 2, ["notes": hub.set("late", base: 2, at: 9000)]))
    #expect(late == [.accepted(version: head)])
    #expect(try hub.state.head == head)
    let entry = try #require(try hub.entry("event", "e"))
    #expect(entry.incarnation == 1 && entry.fields["notes"]?.value == "second")
  }

  @Test("a delete of an unknown entity blocks restores up to its incarnation", arguments: storages)
  func deletionOfTheUnknown(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"))
    try hub.push("a", hub.delete("k", base: 1, incarnation: 2))
    #expect(try hub.entry("event", "k")?.incarnation == 2)
    for incarnation in [1, 2] as [Int64] {
      #expect(
        try hub.push("b", hub.restore("k", incarnation: incarnation, hub.eventFields())).map(\.word) == [
          "entity_deleted"
        ])
    }
    #expect(try hub.push("b", hub.restore("k", incarnation: 3, hub.eventFields())).map(\.word) == ["accepted"])
    #expect(try hub.isAlive("k"))
  }

  @Test("a re-offered entry keeps its incarnation", arguments: storages)
  func incarnationOfAReoffer(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"))
    let offer = hub.mutation(
      .create, "event", "e", hub.eventFields().mapValues { hub.set($0.value, by: "z") }, incarnation: 2)
    #expect(try hub.push("a", offer).map(\.word) == ["accepted"])
    #expect(try hub.entry("event", "e")?.incarnation == 2)
    let stale = try hub.push(
      "b", hub.update("e", ["notes": hub.set("old", base: 2)], incarnation: 1), hub.delete("e", base: 2, incarnation: 1)
    )
    #expect(stale.map(\.word) == ["restored", "restored"])
  }

  // MARK: References

  @Test("a re-offered place loses its reference to a deleted event type", arguments: storages)
  func reofferedPlace(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"))
    try hub.push("a", hub.delete("t", base: 1, kind: "event_type"))
    let place = [
      "name": hub.set("home", by: "z"), "latitude": hub.set(1, by: "z"), "longitude": hub.set(2, by: "z"),
      "radius": hub.set(100, by: "z"), "event_type_entry_id": hub.set("t", by: "z"),
    ]
    #expect(try hub.push("a", hub.create("geofence", "g", place))[0].lost == ["event_type_entry_id"])
    #expect(try hub.isAlive("g", "geofence"))
    #expect(try hub.value("g", "event_type_entry_id", of: "geofence") == nil)
  }

  @Test(
    "a place never refers to a deleted event type, even if it was deleted itself", arguments: storages)
  func deletedTypesOfPlaces(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    let place = [
      "name": hub.set("home"), "latitude": hub.set(1), "longitude": hub.set(2), "radius": hub.set(100),
      "event_type_entry_id": hub.set("t"), "event_type_exit_id": hub.set("u"),
    ]
    try hub.push("a", hub.type("t"), hub.type("u"), hub.create("geofence", "g", place))
    try hub.push("b", hub.delete("t", base: 3, kind: "event_type"))
    #expect(try hub.isAlive("g", "geofence") && hub.conflicts.isEmpty)
    #expect(try hub.value("g", "event_type_entry_id", of: "geofence") == .null)
    #expect(try hub.value("g", "event_type_exit_id", of: "geofence") == "u")
    try hub.push("b", hub.delete("g", base: 9, kind: "geofence"), hub.delete("u", base: 9, kind: "event_type"))
    #expect(try hub.push("b", hub.restore("g", incarnation: 1, kind: "geofence")).map(\.word) == ["accepted"])
    #expect(try hub.value("g", "event_type_exit_id", of: "geofence") == .null)
  }

  // MARK: Authors of re-offered values

  @Test("a conflict names the author of the value, not the device that re-offered it", arguments: storages)
  func authorOfAConflict(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    hub.now += 10
    try hub.push("b", hub.update("e", ["notes": hub.set("offered", base: 2, at: 10, by: "z")]))
    try hub.push("c", hub.update("e", ["notes": hub.set("later", base: 2, at: 20)]))
    let conflict = try #require(
      try hub.storage.read(user: "p") { try $0.living(kind: "conflict", offset: 0, limit: 1) }.first)
    #expect(conflict.fields["author"]?.value == "z" && conflict.fields["by"]?.value == "c")
    #expect(conflict.fields["value"]?.value == "offered")
  }

  @Test(
    "a re-offer of an earlier value does not overwrite a later value of its sender", arguments: storages)
  func reofferOverOwnValue(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    hub.now += 10
    try hub.push("a", hub.update("e", ["notes": hub.set("later", base: 2, at: 5000)]))
    let offer = try hub.push("a", hub.update("e", ["notes": hub.set("earlier", base: 2, at: 1000, by: "z")]))
    #expect(offer[0].lost == ["notes"])
    #expect(try hub.value("e", "notes") == "later")
  }

  // MARK: The horizon

  @Test("a device whose contact was noted 90 to 91 days ago still holds the horizon back", arguments: storages)
  func lagOfContacts(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    try hub.push("a", hub.delete("e", base: 2))
    try hub.noteContact("slow", cursor: 2)
    // A second contact within the same day is not stored.
    hub.now += 86_000
    try hub.noteContact("slow", cursor: 2)
    hub.now += 89.9 * 86_400
    #expect(try hub.compact() == 0)
    hub.now += 86_400
    #expect(try hub.compact() == 1)
  }

  @Test("a version seen in the response to a push does not move the device's cursor", arguments: storages)
  func cursorOfAPush(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    try hub.noteContact("slow", cursor: 2)
    try hub.push("a", hub.delete("e", base: 2))
    hub.now += 91 * 86_400
    // The response contained the head, but the device never received the page with the deletion.
    _ = try hub.push("slow", [hub.sent(hub.event("f"), 1)], seen: 3, last: 1)
    #expect(try hub.storage.read(user: "p") { try $0.contact(device: "slow") }?.cursor == 2)
    #expect(try hub.compact() == 0)
    #expect(try hub.page(after: 2).lines.map(\.version) == [3, 4])
  }

  // MARK: The quota

  @Test("conflicts do not count towards the quota", arguments: storages)
  func conflictsInAFullRecord(storage: StoryHub.Storage) throws {
    let hub = try StoryHub(storage)
    try hub.push("a", hub.type("t"), hub.event("e"))
    hub.now += 10
    try hub.push(
      "a", hub.update("e", ["notes": hub.set("1", base: 2, at: 1), "time_zone": hub.set("UTC", base: 2, at: 1)]))
    try hub.storage.write(user: "p") { transaction in
      var state = try transaction.state()
      state.quota = HubQuota(rows: state.rows)
      try transaction.setState(state)
    }
    let later = ["notes": hub.set("2", base: 2, at: 2), "time_zone": hub.set("CET", base: 2, at: 2)]
    #expect(try hub.push("b", hub.update("e", later)).map(\.word) == ["accepted"])
    #expect(try hub.conflicts == ["e.notes=1 overwritten", "e.time_zone=UTC overwritten"])
  }
}
