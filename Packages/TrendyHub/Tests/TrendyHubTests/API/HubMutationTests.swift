import Foundation
import StorageTesting
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

@Suite("Mutations", .timeLimit(.minutes(10)))
struct HubMutationTests {
  private typealias T = TestHub

  private func status(_ answer: TestHub.Answer) -> [String?] {
    (answer["outcomes"].arrayValue ?? []).map { outcome in
      outcome["problem"]["type"].stringValue.map { String($0.dropFirst("urn:trendy:error:".count)) }
        ?? outcome["status"].stringValue
    }
  }

  private func versions(_ answer: TestHub.Answer) -> [Int64?] {
    (answer["outcomes"].arrayValue ?? []).map { $0["version"].intValue }
  }

  @Test func `a batch is merged in order, each mutation with its own version`() async throws {
    let hub = try TestHub()
    let answer = try await hub.push([
      T.mutation(1, "create", "event_type", "t", T.typePayload),
      T.mutation(2, "create", "event", "e", T.eventPayload("e", notes: "a")),
      T.mutation(3, "update", "event", "e", ["notes": "b"]),
      T.mutation(4, "delete", "event", "e"),
    ])
    #expect(answer.status == 200)
    #expect(status(answer) == ["accepted", "accepted", "accepted", "accepted"])
    #expect(versions(answer) == [1, 2, 3, 4])
    #expect(answer["head"] == 4)
    let response: PushResponse = try answer.decoded()
    #expect(response.outcomes.map(\.sequence) == [1, 2, 3, 4])
    #expect(response.epoch?.isEmpty == false)
    let feed = try await hub.changes()
    #expect(feed.changes.map(\.id) == [1, 4])
    #expect(feed.changes.map(\.operation) == ["create", "delete"])
    #expect(feed.epoch == response.epoch)
  }

  @Test func `the hub decodes the wire type of a push`() async throws {
    let hub = try TestHub()
    let request = PushRequest(
      device: "d", acknowledgedThrough: 0,
      mutations: [
        MutationEnvelope(
          id: "m1", sequence: 1, entityType: "event_type", entityId: "t", operation: "create",
          payload: T.typePayload.objectValue ?? [:])
      ])
    let body = try WireJSON.decode(JSONValue.self, from: try WireJSON.encode(request))
    let response: PushResponse = try (try await hub.send("POST", "/mutations", body)).decoded()
    #expect(response.outcomes == [OutcomeEnvelope(sequence: 1, status: "accepted", version: 1)])
  }

  @Test func `a repeated batch returns the stored outcomes, including refusals, and changes nothing`() async throws {
    let hub = try TestHub()
    let batch = [
      T.mutation(1, "create", "event_type", "t", T.typePayload),
      T.mutation(2, "create", "event", "e", T.eventPayload("e", type: "nowhere")),
      T.mutation(3, "delete", "event", "unknown"),
      T.mutation(4, "update", "event_type", "t", ["name": "Coffee"]),
    ]
    let first = try await hub.push(batch)
    #expect(status(first) == ["accepted", "parent_deleted", "accepted", "accepted"])
    // A mutation without effect receives its entity's current version.
    #expect(versions(first) == [1, nil, 2, 1])
    // Another device writes in between, which must not change the stored outcomes.
    _ = try await hub.push([T.mutation(1, "update", "event_type", "t", ["name": "Tea"])], device: "other")
    let second = try await hub.push(batch)
    #expect(second["outcomes"] == first["outcomes"])
    #expect(try await hub.changes().nextCursor == 3)
    // The stored outcomes also survive a restart of the hub.
    let restarted = HubServer(storage: T.openStorage(hub.disk.anotherProcess()))
    let answer = await restarted.handle(
      HTTPRequest(
        id: "request-1", method: "POST", target: "/api/v1/mutations",
        headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")]),
        body: try WireJSON.encode(["device": "d", "acked_through": 0, "mutations": .array(batch)] as JSONValue)))
    let third = try WireJSON.decode(JSONValue.self, from: try await answer.collectedBody())
    #expect(third["outcomes"] == first["outcomes"])
  }

  @Test func `a gap is a fork, and the outcomes before it are kept`() async throws {
    let hub = try TestHub()
    let answer = try await hub.push([
      T.mutation(1, "create", "event_type", "t", T.typePayload),
      T.mutation(3, "create", "event", "e", T.eventPayload("e")),
    ])
    #expect(answer.status == 409)
    #expect(answer.problem == "device_forked")
    #expect(status(answer) == ["accepted"])
    #expect(answer["head"] == 1)
    #expect(try await hub.changes().changes.map(\.entityId) == ["t"])
    // The fork does not block the device, which can continue with the missing sequence number.
    let next = try await hub.push([T.mutation(2, "create", "event", "e", T.eventPayload("e"))])
    #expect(status(next) == ["accepted"])
  }

  @Test func `a sequence number with other content is a fork, and so is an acknowledged one`() async throws {
    let hub = try TestHub()
    let first = T.mutation(1, "create", "event_type", "t", T.typePayload)
    _ = try await hub.push([first])
    let other = try await hub.push([T.mutation(1, "create", "event_type", "u", T.typePayload)])
    #expect(other.problem == "device_forked")
    #expect(status(try await hub.push([first])) == ["accepted"])
    let second = T.mutation(2, "update", "event_type", "t", ["name": "Tea"])
    #expect(status(try await hub.push([second], acknowledged: 1)) == ["accepted"])
    #expect(try await hub.push([first], acknowledged: 1).problem == "device_forked")
    #expect(status(try await hub.push([second], acknowledged: 1)) == ["accepted"])
    // Acknowledging more than the high-water mark does not affect later outcomes.
    let third = T.mutation(3, "update", "event_type", "t", ["name": "Juice"])
    #expect(status(try await hub.push([third], acknowledged: 99)) == ["accepted"])
    #expect(status(try await hub.push([third], acknowledged: 2)) == ["accepted"])
  }

  @Test func `a last sequence number below the hub's is a restored store`() async throws {
    let hub = try TestHub()
    _ = try await hub.push([
      T.mutation(1, "create", "event_type", "t", T.typePayload), T.mutation(2, "delete", "event_type", "t"),
    ])
    #expect(try await hub.push([], lastSequence: 1).problem == "device_forked")
    #expect(try await hub.push([], lastSequence: 2).status == 200)
  }

  @Test func `each device has its own sequence`() async throws {
    let hub = try TestHub()
    _ = try await hub.push([T.mutation(1, "create", "event_type", "t", T.typePayload)], device: "a")
    let answer = try await hub.push([T.mutation(1, "update", "event_type", "t", ["name": "Tea"])], device: "b")
    #expect(status(answer) == ["accepted"])
    #expect(try await hub.send("GET", "/me/sync?device=a")["last_seq"] == 1)
    #expect(try await hub.send("GET", "/me/sync?device=c")["last_seq"] == 0)
  }

  @Test func `an invalid mutation is refused alone and uses up its sequence number`() async throws {
    let hub = try TestHub()
    let answer = try await hub.push([
      T.mutation(1, "create", "starship", "s", [:]),
      T.mutation(2, "explode", "event", "e", [:]),
      T.mutation(3, "create", "event_type", "", T.typePayload),
      T.mutation(4, "create", "event_type", "u", T.typePayload),
      T.mutation(5, "update", "event", "e", ["timestamp": .null]),
      T.mutation(6, "create", "event_type", "t", T.typePayload),
    ])
    #expect(status(answer) == ["invalid", "invalid", "invalid", "invalid", "entity_deleted", "accepted"])
    #expect(answer["outcomes"][0]["problem"]["detail"].stringValue?.contains("\"starship\"") == true)
    #expect(answer["outcomes"][3]["problem"]["detail"].stringValue?.contains("expected the id of the entity") == true)
    #expect(try await hub.changes().nextCursor == 1)
  }

  @Test func `a deleted id is not revived by a create or an update`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    try await hub.makeEvent("e")
    let answer = try await hub.push([
      T.mutation(1, "delete", "event", "e"), T.mutation(2, "create", "event", "e", T.eventPayload("e")),
      T.mutation(3, "update", "event", "e", ["notes": "x"]), T.mutation(4, "delete", "event", "e"),
      T.mutation(5, "delete", "event", "never"),
      T.mutation(6, "create", "event", "never", T.eventPayload("never")),
    ])
    #expect(
      status(answer) == ["accepted", "entity_deleted", "entity_deleted", "accepted", "accepted", "entity_deleted"])
    #expect(versions(answer) == [3, nil, nil, 3, 4, nil])
  }

  @Test func `deleting a type deletes its events and properties and clears it from places`()
    async throws
  {
    let hub = try TestHub()
    try await hub.makeType("t")
    try await hub.makeType("u", name: "Tea")
    for id in ["a", "b", "moved"] { try await hub.makeEvent(id) }
    try await hub.makeEvent("other", type: "u")
    _ = try await hub.send("PATCH", "/events/moved", ["event_type_id": "u"])
    _ = try await hub.send(
      "POST", "/event-types/t/properties", ["id": "d", "key": "k", "label": "l", "property_type": "text"])
    let fence: JSONValue = [
      "id": "g", "name": "x", "latitude": 1, "longitude": 2, "radius": 100, "event_type_entry_id": "t",
      "event_type_exit_id": "u",
    ]
    #expect(try await hub.send("POST", "/geofences", fence).status == 201)
    let before = try await hub.changes().nextCursor
    #expect(try await hub.send("DELETE", "/event-types/t").status == 204)
    let feed = try await hub.changes(since: before)
    #expect(Set(feed.changes.map(\.id)).count == 5)
    #expect(feed.changes.filter { $0.operation == "delete" }.map(\.entityId).sorted() == ["a", "b", "d", "t"])
    let place = try #require(feed.changes.first { $0.entityId == "g" })
    #expect(place.operation == "update")
    #expect(place.data?.rawData["event_type_entry_id"] == .some(.null))
    #expect(place.data?.rawData["event_type_exit_id"] == "u")
    let events: [APIEvent] = try (try await hub.send("GET", "/events")).decoded()
    #expect(events.map(\.id).sorted() == ["moved", "other"])
    #expect(try await hub.makeEvent("late").problem == "parent_deleted")
  }

  @Test func `a page may end within a cascade without skipping an entry`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    for number in 1...5 { try await hub.makeEvent("e\(number)") }
    _ = try await hub.send("DELETE", "/event-types/t")
    var cursor: Int64 = 0
    var seen: [ChangeEntry] = []
    var pages = 0
    while true {
      let page = try await hub.changes(since: cursor, limit: 1)
      seen += page.changes
      cursor = page.nextCursor
      pages += 1
      if !page.hasMore { break }
      try #require(pages < 20)
    }
    #expect(seen.map(\.operation) == Array(repeating: "delete", count: 6))
    #expect(Set(seen.map(\.entityId)) == ["t", "e1", "e2", "e3", "e4", "e5"])
    #expect(seen.allSatisfy { $0.deletedAt != nil })
    #expect(cursor == 12)
  }

  @Test func `a create of a live id is an update, but with a natural key changes nothing`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    _ = try await hub.push([T.mutation(1, "create", "event", "k", T.eventPayload("k", notes: "mine"))])
    let imported = try await hub.push(
      [T.mutation(1, "create", "event", "k", T.eventPayload("k", notes: "imported"), extra: ["natural_key": true])],
      device: "b")
    #expect(status(imported) == ["merged"])
    #expect(versions(imported) == [2])
    #expect(try await hub.send("GET", "/events/k")["notes"] == "mine")
    let plain = try await hub.push(
      [T.mutation(1, "create", "event", "k", T.eventPayload("k", notes: "yours"))], device: "c")
    #expect(versions(plain) == [3])
    #expect(try await hub.send("GET", "/events/k")["notes"] == "yours")
  }

  @Test func `a restore begins a new incarnation`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    try await hub.makeEvent("e")
    _ = try await hub.send("DELETE", "/event-types/t")
    func restore(_ sequence: Int64, _ kind: String, _ id: String, incarnation: Int64, _ payload: JSONValue = [:])
      -> JSONValue
    {
      T.mutation(sequence, "restore", kind, id, payload, extra: ["incarnation": .int(incarnation)])
    }
    let answer = try await hub.push([
      restore(1, "event", "e", incarnation: 1), restore(2, "event_type", "t", incarnation: 1),
      restore(3, "event", "e", incarnation: 1, ["notes": "back"]), restore(4, "event", "nothing", incarnation: 1),
      T.mutation(5, "restore", "event", "e"),
      T.mutation(6, "update", "event", "e", ["notes": "old"], extra: ["incarnation": 0]),
      T.mutation(7, "delete", "event", "e", extra: ["incarnation": 0]),
      T.mutation(8, "delete", "event", "e", extra: ["incarnation": 1]),
      restore(9, "event", "e", incarnation: 1),
    ])
    #expect(
      status(answer) == [
        "parent_deleted", "accepted", "accepted", "entity_deleted", "invalid", "restored", "restored", "accepted",
        "entity_deleted",
      ])
    let entry = try #require(try await hub.changes().changes.first { $0.entityId == "e" })
    #expect(entry.incarnation == 1)
  }

  @Test func `a delete carries the edits it replaced`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    try await hub.makeEvent("e")
    _ = try await hub.push([T.mutation(1, "delete", "event", "e", ["notes": "last words"])])
    let entry = try hub.storage.read(user: hub.user.id) { try $0.entry(kind: "event", id: "e") }
    #expect(entry?.isAlive == false)
    #expect(entry?.fields["notes"]?.value == "last words")
  }

  @Test func `an update without effect gets no version`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    try await hub.makeEvent("e")
    let answer = try await hub.push([
      T.mutation(1, "update", "event", "e", ["timestamp": "2024-01-01T09:00:00+01:00", "notes": .null])
    ])
    #expect(versions(answer) == [2])
    #expect(try await hub.changes().nextCursor == 2)
  }

  @Test func `each field has its author, stamp and version`() async throws {
    let hub = try TestHub()
    _ = try await hub.push([T.mutation(1, "create", "event_type", "t", T.typePayload)], device: "a")
    await hub.clock.advance(by: .seconds(1))
    _ = try await hub.push([T.mutation(1, "update", "event_type", "t", ["name": "Tea"])], device: "b")
    let entry = try #require(try hub.storage.read(user: hub.user.id) { try $0.entry(kind: "event_type", id: "t") })
    #expect(entry.fields["name"] == HubField(value: "Tea", version: 2, stamp: 1_704_067_201_000, author: "b"))
    #expect(entry.fields["icon"] == HubField(value: "cup", version: 1, stamp: 1_704_067_200_000, author: "a"))
  }

  @Test func `a push of more than 500 mutations is rejected`() async throws {
    let hub = try TestHub()
    let batch = (1...501).map { T.mutation(Int64($0), "delete", "event", "e\($0)") }
    #expect(try await hub.push(batch).problem == "too_large")
    #expect(try await hub.push(Array(batch.prefix(500))).status == 200)
  }
}
