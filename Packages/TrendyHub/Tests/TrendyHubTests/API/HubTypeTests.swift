import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

@Suite("Merging and restoring types at the hub", .timeLimit(.minutes(5)))
struct HubTypeTests {
  private let hub: TestHub

  init() throws { hub = try TestHub() }

  private func ids(_ path: String) async throws -> [String] {
    (try await hub.send("GET", path).json.arrayValue ?? []).compactMap { $0["id"].stringValue }.sorted()
  }

  private func types() async throws -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: (try await hub.send("GET", "/events?limit=1000").json.arrayValue ?? []).map {
        ($0["id"].stringValue ?? "", $0["event_type_id"].stringValue ?? "")
      })
  }

  /// Creates the types Kaffee and Coffee.
  ///
  /// Each has an event, a property with the same key as the other's, and another property. A skip and a place refer to
  /// Kaffee.
  private func makeTwo(kind: String = "number") async throws {
    try await hub.makeType("k", name: "Kaffee")
    try await hub.makeType("c")
    for (id, type, key, kind) in [
      ("k1", "k", "cups", "number"), ("k2", "k", "bean", "text"), ("c1", "c", "cups", kind),
      ("c2", "c", "milk", "boolean"),
    ] {
      let made = try await hub.send(
        "POST", "/property-definitions",
        [
          "id": .string(id), "event_type_id": .string(type), "key": .string(key), "label": .string(key),
          "property_type": .string(kind), "display_order": 3,
        ])
      #expect(made.status == 201)
    }
    for id in ["a", "b"] { try await hub.makeEvent(id, type: "k") }
    try await hub.makeEvent("c", type: "c")
    for (path, body) in [
      ("/skips", ["id": "s", "event_type_id": "k", "from": "2024-01-01", "to": "2024-01-01"]),
      (
        "/geofences",
        ["id": "p", "name": "Bar", "latitude": 52, "longitude": 5, "radius": 100, "event_type_entry_id": "k"]
      ),
    ] as [(String, JSONValue)] {
      #expect(try await hub.send("POST", path, body).status == 201)
    }
    await hub.clock.advance(by: .seconds(60))
  }

  @Test func `a merge moves everything of a type to another, and an undo restores it`() async throws {
    try await makeTwo()
    let merge: JSONValue = ["into": "c", "act": "act-1"]
    let done = try await hub.send("POST", "/event-types/k/merge", merge)
    #expect(done["events"] == 2)
    #expect(try await ids("/event-types") == ["c"])
    #expect(try await types() == ["a": "c", "b": "c", "c": "c"])
    #expect(try await hub.send("GET", "/skips/s")["event_type_id"] == "c")
    #expect(try await hub.send("GET", "/geofences/p")["event_type_entry_id"] == "c")
    let definitions = try await hub.send("GET", "/event-types/c/properties").json.arrayValue ?? []
    #expect(definitions.map { $0["key"].stringValue } == ["cups", "milk", "bean"])
    // Assume that the response was lost. The repeated request changes nothing.
    let head = try await hub.send("GET", "/changes/latest-cursor")["cursor"]
    #expect(try await hub.send("POST", "/event-types/k/merge", merge)["events"] == 2)
    #expect(try await hub.send("GET", "/changes/latest-cursor")["cursor"] == head)
    // Events recorded after the merge stay, and so does an event that was moved to a third type.
    try await hub.makeEvent("d", type: "c")
    try await hub.makeType("t", name: "Tea")
    _ = try await hub.send("PATCH", "/events/b", ["event_type_id": "t"])
    _ = try await hub.send("PATCH", "/events/a", ["notes": "strong"])
    #expect(try await hub.send("POST", "/event-types/k/unmerge", merge)["events"] == 1)
    #expect(try await types() == ["a": "k", "b": "t", "c": "c", "d": "c"])
    #expect(try await hub.send("GET", "/events/a")["notes"] == "strong")
    #expect(try await ids("/event-types/k/properties") == ["k1", "k2"])
    #expect(try await ids("/event-types/c/properties") == ["c1", "c2"])
    #expect(try await hub.send("GET", "/skips/s")["event_type_id"] == "k")
    #expect(try await hub.send("GET", "/geofences/p")["event_type_entry_id"] == "k")
    #expect(try await hub.send("POST", "/event-types/k/merge", merge)["events"] == 1)
    #expect(try await types() == ["a": "c", "b": "t", "c": "c", "d": "c"])
  }

  @Test func `an edit of a property created by a merge becomes a conflict when the merge is undone`() async throws {
    try await makeTwo()
    let merge: JSONValue = ["into": "c", "act": "act-1"]
    _ = try await hub.send("POST", "/event-types/k/merge", merge)
    let made = try #require(
      try await hub.send("GET", "/event-types/c/properties").json.arrayValue?.last?["id"].stringValue)
    _ = try await hub.send("PATCH", "/property-definitions/\(made)", ["label": "Origin"])
    _ = try await hub.send("POST", "/event-types/k/unmerge", merge)
    let conflicts = try await hub.send("GET", "/conflicts").json.arrayValue ?? []
    #expect(conflicts.map { $0["value"] } == ["Origin"])
  }

  @Test func `an invalid merge is rejected and writes nothing`() async throws {
    try await makeTwo(kind: "text")
    let head = try await hub.send("GET", "/changes/latest-cursor")["cursor"]
    for (path, body, words) in [
      ("k", ["into": "c", "act": "x"], "is a number in one type and a text"),
      ("k", ["into": "k", "act": "x"], "itself"),
      ("k", ["into": "none", "act": "x"], "none"), ("none", ["into": "c", "act": "x"], "none"),
      ("k", ["into": "c"], "act"), ("k", ["into": "c", "act": .string(String(repeating: "x", count: 65))], "64"),
    ] as [(String, JSONValue, String)] {
      let answer = try await hub.send("POST", "/event-types/\(path)/merge", body)
      #expect(answer.status >= 400 && answer.detail.contains(words), "\(answer.detail)")
    }
    #expect(try await hub.send("GET", "/changes/latest-cursor")["cursor"] == head)
  }

  @Test func `a type is restored with the entities deleted with it, and no others`() async throws {
    try await hub.makeType("k", name: "Kaffee")
    for start in stride(from: 0, to: 600, by: 300) {
      let events = (start..<start + 300).map { number -> JSONValue in
        ["id": .string("e\(number)"), "event_type_id": "k", "timestamp": "2024-01-01T08:00:00Z"]
      }
      #expect(try await hub.send("POST", "/events/batch", ["events": .array(events)])["success"] == 300)
    }
    try await hub.makeType("c")
    try await hub.makeEvent("other", type: "c")
    _ = try await hub.send("DELETE", "/events/e7")
    _ = try await hub.send(
      "POST", "/property-definitions",
      ["id": "p", "event_type_id": "k", "key": "cups", "label": "Cups", "property_type": "number"])
    await hub.clock.advance(by: .seconds(60))
    _ = try await hub.send("DELETE", "/event-types/k")
    #expect(try await types() == ["other": "c"])
    await hub.clock.advance(by: .seconds(60))
    #expect(try await hub.send("POST", "/event-types/k/restore?with=all").status == 400)
    #expect(try await hub.send("POST", "/event-types/k/restore?with=entries")["name"] == "Kaffee")
    #expect(try await hub.send("GET", "/me/storage")["rows"] == 603)
    #expect(try await hub.send("GET", "/events/e7").status == 404, "deleted before, and by itself")
    #expect(try await ids("/event-types/k/properties") == ["p"])
    #expect(try await hub.send("POST", "/event-types/k/restore?with=entries").status == 200, "again")
  }

  @Test func `a restored type is set in places again, except where the reference was changed`()
    async throws
  {
    try await makeTwo()
    let place: JSONValue = ["name": "Office", "latitude": 52, "longitude": 6, "radius": 100]
    for (id, entry, exit) in [("both", "k", "k"), ("exit", "c", "k"), ("taken", "k", "c"), ("moved", "k", "c")] {
      var members = place.objectValue ?? [:]
      members["id"] = .string(id)
      members["event_type_entry_id"] = .string(entry)
      members["event_type_exit_id"] = .string(exit)
      #expect(try await hub.send("POST", "/geofences", .object(members)).status == 201)
    }
    // The user cleared this reference shortly before the deletion, so it stays cleared.
    _ = try await hub.send("PATCH", "/geofences/taken", ["event_type_entry_id": nil])
    await hub.clock.advance(by: .seconds(60))
    _ = try await hub.send("DELETE", "/event-types/k")
    await hub.clock.advance(by: .seconds(60))
    _ = try await hub.send("PATCH", "/geofences/moved", ["event_type_entry_id": "c"])
    _ = try await hub.send("PATCH", "/geofences/exit", ["name": "Shop"])
    #expect(try await hub.send("POST", "/event-types/k/restore?with=entries").status == 200)
    var named: [[String?]] = []
    for id in ["both", "exit", "taken", "moved", "p"] {
      let place = try await hub.send("GET", "/geofences/\(id)")
      named.append(["event_type_entry_id", "event_type_exit_id"].map { place[$0].stringValue })
    }
    #expect(named == [["k", "k"], ["c", "k"], [nil, "c"], ["c", "c"], ["k", nil]])
    #expect(try await hub.send("GET", "/geofences/exit")["name"] == "Shop")
  }
}
