import Foundation
import Testing
import TrendyHub
import TrendyModels

/// References to an event type that a device has merged into another.
@Suite("Merged types", .timeLimit(.minutes(5)))
struct MergedTypeTests {
  private static let storages = StoryHub.Storage.allCases

  /// Returns a hub with types a, b and c and one event of each, created by device `d`.
  private func hub(_ storage: StoryHub.Storage) throws -> StoryHub {
    let hub = try StoryHub(storage)
    for type in ["a", "b", "c"] { try hub.push("d", hub.type(type, name: type), hub.event("in-\(type)", of: type)) }
    hub.now += 10
    return hub
  }

  /// Pushes the mutations from `trendy type merge`: the moves of the device's events, then the deletion.
  @discardableResult
  private func merge(
    _ from: String, into: String, moving events: [String], by device: String, at hub: StoryHub, base: Int64 = 6
  ) throws -> MergeResult {
    for event in events {
      try hub.push(device, hub.update(event, ["event_type_id": hub.set(.string(into), base: base, at: 9000)]))
    }
    return try hub.push(
      device,
      hub.delete(
        from, base: base, kind: "event_type", ["merged_into": hub.set(.string(into), base: base, at: 9000)]))[0]
  }

  private func type(of event: String, at hub: StoryHub) throws -> String? {
    try hub.isAlive(event) ? hub.value(event, "event_type_id")?.stringValue : nil
  }

  @Test("an event that another device recorded under a merged type gets the target type", arguments: storages)
  func forwardsCreates(storage: StoryHub.Storage) throws {
    let hub = try hub(storage)
    // One event arrives before the merge, one afterwards.
    try hub.push("e", hub.event("before", of: "a"))
    try merge("a", into: "b", moving: ["in-a"], by: "d", at: hub)
    #expect(try hub.push("e", hub.event("after", of: "a")).map(\.word) == ["accepted"])
    for event in ["in-a", "before", "after", "in-b"] { #expect(try type(of: event, at: hub) == "b", "\(event)") }
    #expect(try hub.conflicts.isEmpty)
    // An event that is moved to the merged type is redirected as well.
    let moved = try hub.push("e", hub.update("in-c", ["event_type_id": hub.set("a", base: 6, at: 9500)]))
    #expect(try moved.map(\.word) == ["accepted"] && type(of: "in-c", at: hub) == "b")
    // The tombstone in the feed contains the id of the target type.
    let tombstone = try #require(try hub.entry("event_type", "a"))
    #expect(!tombstone.isAlive && tombstone.fields["merged_into"]?.value == "b")
  }

  @Test("other references to a merged type refer to the target type", arguments: storages)
  func forwardsReferences(storage: StoryHub.Storage) throws {
    let hub = try hub(storage)
    func definition(_ id: String, _ key: String, of type: String) -> HubMutation {
      hub.create(
        "property_definition", id,
        [
          "event_type_id": hub.set(.string(type)), "key": hub.set(.string(key)), "label": hub.set("x"),
          "property_type": hub.set("number"),
        ])
    }
    try hub.push("e", definition("own", "size", of: "b"), definition("same", "size", of: "a"))
    try hub.push("e", definition("other", "milk", of: "a"))
    try hub.push(
      "e",
      hub.create(
        "geofence", "bar",
        [
          "name": hub.set("Bar"), "latitude": hub.set(52), "longitude": hub.set(5), "radius": hub.set(100),
          "event_type_entry_id": hub.set("a"),
        ]))
    try merge("a", into: "b", moving: ["in-a"], by: "d", at: hub)
    #expect(try hub.value("bar", "event_type_entry_id", of: "geofence") == "b")
    #expect(try hub.value("other", "event_type_id", of: "property_definition") == "b")
    // A key may be defined only once per type.
    #expect(try !hub.isAlive("same", "property_definition") && hub.isAlive("own", "property_definition"))
  }

  @Test("a chain of merges leads to its last type, or to none if that is deleted", arguments: storages)
  func followsChains(storage: StoryHub.Storage) throws {
    let hub = try hub(storage)
    try merge("a", into: "b", moving: ["in-a"], by: "d", at: hub)
    try merge("b", into: "c", moving: ["in-b", "in-a"], by: "d", at: hub, base: 20)
    try hub.push("e", hub.event("late", of: "a"))
    #expect(try type(of: "late", at: hub) == "c")
    try hub.push("d", hub.delete("c", base: 100, kind: "event_type"))
    #expect(try hub.push("e", hub.event("later", of: "a")).map(\.word) == ["parent_deleted"])
  }

  @Test("of two types merged into each other one remains with all events", arguments: storages)
  func breaksCycles(storage: StoryHub.Storage) throws {
    let hub = try hub(storage)
    try merge("a", into: "b", moving: ["in-a"], by: "d", at: hub)
    #expect(try merge("b", into: "a", moving: ["in-b"], by: "e", at: hub).word == "accepted")
    #expect(try hub.isAlive("b", "event_type"))
    for event in ["in-a", "in-b"] { #expect(try type(of: event, at: hub) == "b") }
    // Try to close a cycle of three types.
    try merge("c", into: "a", moving: ["in-c"], by: "d", at: hub)
    #expect(try merge("b", into: "c", moving: [], by: "e", at: hub).word == "accepted")
    #expect(try hub.isAlive("b", "event_type") && type(of: "in-c", at: hub) == "b")
  }

  @Test("a merge into a type that was deleted in the meantime is refused", arguments: storages)
  func refusesDeletedTarget(storage: StoryHub.Storage) throws {
    let hub = try hub(storage)
    try hub.push("e", hub.delete("b", base: 6, kind: "event_type"))
    #expect(try merge("a", into: "b", moving: ["in-a"], by: "d", at: hub).word == "parent_deleted")
    #expect(try hub.isAlive("a", "event_type") && type(of: "in-a", at: hub) == "a")
  }

  @Test("a restore ends the merge, even if the type is deleted again", arguments: storages)
  func endsWithRestore(storage: StoryHub.Storage) throws {
    let hub = try hub(storage)
    try merge("a", into: "b", moving: ["in-a"], by: "d", at: hub)
    try hub.push("d", hub.restore("a", incarnation: 1, kind: "event_type"))
    try hub.push("e", hub.event("late", of: "a"))
    #expect(try type(of: "late", at: hub) == "a" && hub.entry("event_type", "a")?.fields["merged_into"] == nil)
    // Only a deletion can merge a type, not an edit.
    try hub.push(
      "e", hub.update("a", ["merged_into": hub.set("b", base: 99, at: 9900)], kind: "event_type", incarnation: 1))
    try hub.push("d", hub.delete("a", base: 99, kind: "event_type", incarnation: 1))
    #expect(try hub.push("e", hub.event("later", of: "a")).map(\.word) == ["parent_deleted"])
  }

  @Test("an event deleted under a merged type is restored under the target type", arguments: storages)
  func restoresUnderOther(storage: StoryHub.Storage) throws {
    let hub = try hub(storage)
    try hub.push("d", hub.delete("in-a", base: 6))
    try merge("a", into: "b", moving: [], by: "d", at: hub, base: 20)
    try hub.push("e", hub.restore("in-a", incarnation: 1))
    #expect(try type(of: "in-a", at: hub) == "b")
  }

  @Test("a hub that lost a merge receives it by a re-offer", arguments: storages)
  func survivesReoffer(storage: StoryHub.Storage) throws {
    let hub = try hub(storage)
    func offered(_ value: JSONValue) -> FieldChange { hub.set(value, base: 6, at: 9000, by: "x") }
    try hub.push("d", hub.update("in-a", ["event_type_id": offered("b")]))
    try hub.push("d", hub.delete("a", base: 6, kind: "event_type", ["merged_into": offered("b")]))
    try hub.push("e", hub.event("late", of: "a"))
    #expect(try type(of: "late", at: hub) == "b")
    // A re-offered deletion is accepted even if the target type has been deleted.
    try hub.push("d", hub.delete("c", base: 99, kind: "event_type"))
    #expect(
      try hub.push("d", hub.delete("b", base: 6, kind: "event_type", ["merged_into": offered("c")])).map(\.word)
        == ["accepted"])
    #expect(try !hub.isAlive("b", "event_type"))
  }
}
