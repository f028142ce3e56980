import Foundation
import StorageTesting
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

@Suite("Plain REST", .timeLimit(.minutes(10)))
struct HubRESTTests {
  @Test func `every kind can be created, read, listed, updated and deleted`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let kinds: [(path: String, create: JSONValue, change: JSONValue, field: String, value: JSONValue)] = [
      ("event-types", ["id": "x", "name": "Run", "color": "#FF0000", "icon": "shoe"], ["name": "Jog"], "name", "Jog"),
      (
        "events", ["id": "x", "event_type_id": "t", "timestamp": "2024-01-01T09:00:00+01:00", "notes": "oat"],
        ["notes": "soy"], "notes", "soy"
      ),
      (
        "geofences", ["id": "x", "name": "Home", "latitude": 51.9, "longitude": 4.3, "radius": 100],
        ["radius": 150], "radius", 150
      ),
      (
        "property-definitions",
        ["id": "x", "event_type_id": "t", "key": "dose", "label": "Dose", "property_type": "number"],
        ["display_order": 3], "display_order", 3
      ),
    ]
    for kind in kinds {
      let made = try await hub.send("POST", "/\(kind.path)", kind.create)
      #expect(made.status == 201, "\(kind.path)")
      #expect(made["user_id"] == .string(hub.user.id))
      #expect(made["created_at"] == .string(RFC3339.string(from: hub.clock.now)))
      #expect(try await hub.send("GET", "/\(kind.path)/x").json == made.json)
      #expect(try await hub.send("GET", "/\(kind.path)").json.arrayValue?.contains(made.json) == true)
      await hub.clock.advance(by: .seconds(1))
      let changed = try await hub.send("PATCH", "/\(kind.path)/x", kind.change)
      #expect(changed.status == 200)
      #expect(changed[kind.field] == kind.value)
      #expect(changed["updated_at"] != made["updated_at"])
      #expect(changed["created_at"] == made["created_at"])
      #expect(try await hub.send("PUT", "/\(kind.path)/x", kind.change).json == changed.json)
      #expect(try await hub.send("DELETE", "/\(kind.path)/x").status == 204)
      #expect(try await hub.send("GET", "/\(kind.path)/x").problem == "not_found")
      #expect(try await hub.send("DELETE", "/\(kind.path)/x").status == 204)
      #expect(try await hub.send("PATCH", "/\(kind.path)/x", kind.change).problem == "entity_deleted")
      #expect(try await hub.send("POST", "/\(kind.path)", kind.create).problem == "entity_deleted")
    }
  }

  @Test func `wire types decode responses, and the hub keeps unknown fields`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let request = CreateEventRequest(
      id: "e", eventTypeId: "t", timestamp: Date(timeIntervalSince1970: 1_704_067_200.123), notes: "ünï \"quoted\"\n",
      endDate: Date(timeIntervalSince1970: 1_704_067_300), locationLatitude: 51.927, locationLongitude: -4.5,
      properties: [
        "dose": APIPropertyValue(type: "number", value: 5), "a.b": APIPropertyValue(type: "text", value: "x"),
      ],
      unknownFields: ["mood": ["level": [1, 2.5, .null]], "cleared": .null])
    let body = try WireJSON.decode(JSONValue.self, from: try WireJSON.encode(request))
    let event: APIEvent = try (try await hub.send("POST", "/events", body)).decoded()
    #expect(RFC3339.string(from: event.timestamp) == "2024-01-01T00:00:00.123Z")
    #expect(event.notes == request.notes)
    #expect(event.locationLatitude == 51.927)
    #expect(event.properties == request.properties)
    #expect(event.unknownFields["mood"] == ["level": [1, 2.5, .null]])
    #expect(event.unknownFields["cleared"] == .some(.null))

    let update = UpdateEventRequest(
      notes: .null, properties: ["dose": nil as APIPropertyValue?, "new": APIPropertyValue(type: "text", value: "y")])
    let patch = try WireJSON.decode(JSONValue.self, from: try WireJSON.encode(update))
    let changed: APIEvent = try (try await hub.send("PATCH", "/events/e", patch)).decoded()
    #expect(changed.notes == nil)
    #expect(changed.endDate == request.endDate)
    #expect(
      changed.properties == [
        "a.b": APIPropertyValue(type: "text", value: "x"), "new": APIPropertyValue(type: "text", value: "y"),
      ])
    #expect(changed.unknownFields["mood"] == ["level": [1, 2.5, .null]])
    let all: [APIEvent] = try (try await hub.send("GET", "/events")).decoded()
    #expect(all == [changed])
  }

  @Test func `a goal is set as a whole, keeps unknown members and can be cleared`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let goal: JSONValue = ["amount": 3, "bound": "at_least", "measure": "count", "period": "week"]
    #expect(try await hub.send("PATCH", "/event-types/t", ["goal": goal])["goal"] == goal)
    let type: APIEventType = try (try await hub.send("GET", "/event-types/t")).decoded()
    #expect(EventType(type).goal == Goal(3, per: .week))
    #expect(try await hub.send("PATCH", "/event-types/t", ["name": "Tea"])["goal"] == goal)
    let later: JSONValue = [
      "amount": 20, "bound": "at_most", "measure": "duration", "period": "day", "since": "2027-01-01",
    ]
    #expect(try await hub.send("PATCH", "/event-types/t", ["goal": later])["goal"] == later)
    #expect(try await hub.send("PATCH", "/event-types/t", ["goal": ["amount": 2]]).problem == "invalid")
    #expect(try await hub.send("PATCH", "/event-types/t", ["goal": .null])["goal"] == .null)
  }

  @Test func `events are listed newest first in pages`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    for hour in [3, 1, 5, 2, 4] { try await hub.makeEvent("e\(hour)", at: "2024-01-01T0\(hour):00:00Z") }
    func ids(_ query: String) async throws -> [String?]? {
      try await hub.send("GET", "/events\(query)").json.arrayValue?.map { $0["id"].stringValue }
    }
    #expect(try await ids("") == ["e5", "e4", "e3", "e2", "e1"])
    #expect(try await ids("?limit=2") == ["e5", "e4"])
    #expect(try await ids("?limit=2&offset=4") == ["e1"])
    #expect(try await ids("?offset=9") == [])
    for query in ["limit=0", "limit=1001", "limit=x", "offset=-1", "limit=%zz"] {
      #expect(try await hub.send("GET", "/events?\(query)").problem == "invalid", "\(query)")
    }
  }

  @Test func `an idempotency key has one effect, permanently`() async throws {
    let hub = try TestHub()
    let body: JSONValue = ["id": "t", "name": "Coffee", "color": "#000000", "icon": "cup"]
    let key = [("Idempotency-Key", "k1")]
    let first = try await hub.send("POST", "/event-types", body, headers: key)
    #expect(first.status == 201)
    let second = try await hub.send("POST", "/event-types", body, headers: key)
    #expect(second.status == 201)
    #expect(second.json == first.json)
    #expect(try await hub.changes().nextCursor == 1)
    let other = try await hub.send(
      "POST", "/event-types", ["id": "u", "name": "Tea", "color": "#000000", "icon": "cup"], headers: key)
    #expect(other.problem == "idempotency_key_reused")
    #expect(try await hub.send("POST", "/event-types", body).problem == "duplicate")

    // After a restart and a change, the key is still recognized, and nothing is created a second time.
    _ = try await hub.send("PATCH", "/event-types/t", ["name": "Espresso"])
    let restarted = HubServer(storage: TestHub.openStorage(hub.disk.anotherProcess()))
    let again = await restarted.handle(
      HTTPRequest(
        id: "r", method: "POST", target: "/api/v1/event-types",
        headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)"), ("Idempotency-Key", "k1")]),
        body: try WireJSON.encode(body)))
    #expect(again.status == 201)
    #expect(try WireJSON.decode(JSONValue.self, from: try await again.collectedBody())["name"] == "Espresso")

    // If the entity has been deleted since, the repeated create is refused. Otherwise the device would believe that the
    // entity exists.
    let device = try TestHub()
    _ = try await device.send("POST", "/event-types", body, headers: key)
    _ = try await device.send("DELETE", "/event-types/t")
    let late = try await device.send("POST", "/event-types", body, headers: key)
    #expect(late.problem == "entity_deleted", "\(late.status)")
  }

  @Test func `an invalid event of a batch does not affect others, and repeating the batch changes nothing`()
    async throws
  {
    let hub = try TestHub()
    try await hub.makeType()
    let body: JSONValue = [
      "events": [
        TestHub.eventPayload("a"), ["id": "b", "event_type_id": "t", "timestamp": "soon"], TestHub.eventPayload("c"),
        TestHub.eventPayload("d", type: "nowhere"), "no object",
      ]
    ]
    for _ in 0..<2 {
      let answer = try await hub.send("POST", "/events/batch", body)
      #expect(answer.status == 200)
      let response: BatchCreateEventsResponse = try answer.decoded()
      #expect(response.created.map(\.id) == ["a", "c"])
      #expect(response.errors?.map(\.index) == [1, 3, 4])
      #expect(response.errors?.first?.message.contains("timestamp: expected an RFC 3339 date") == true)
      #expect(response.total == 5 && response.success == 2 && response.failed == 3)
      #expect(try await hub.changes().nextCursor == 3)
    }
    let different: JSONValue = ["events": [TestHub.eventPayload("a", notes: "other")]]
    let response: BatchCreateEventsResponse = try (try await hub.send("POST", "/events/batch", different)).decoded()
    #expect(response.failed == 1)
    let many = JSONValue.array(Array(repeating: TestHub.eventPayload("a"), count: 501))
    #expect(try await hub.send("POST", "/events/batch", ["events": many]).problem == "too_large")
  }

  @Test func `property definitions belong to their type`() async throws {
    let hub = try TestHub()
    try await hub.makeType("t")
    try await hub.makeType("u", name: "Tea")
    let definition: JSONValue = ["id": "d1", "key": "k", "label": "l", "property_type": "text", "display_order": 2]
    #expect(try await hub.send("POST", "/event-types/t/properties", definition)["event_type_id"] == "t")
    let second: JSONValue = ["id": "d2", "event_type_id": "t", "key": "m", "label": "l", "property_type": "text"]
    #expect(try await hub.send("POST", "/property-definitions", second).status == 201)
    #expect(try await hub.send("POST", "/event-types/u/properties", second).problem == "invalid")
    let listed: [APIPropertyDefinition] = try (try await hub.send("GET", "/event-types/t/properties")).decoded()
    #expect(listed.map(\.id) == ["d2", "d1"])
    #expect(try await hub.send("GET", "/event-types/u/properties").json == [])
    #expect(try await hub.send("GET", "/event-types/x/properties").problem == "not_found")
    #expect(try await hub.send("GET", "/property-definitions?event_type_id=u").json == [])
    #expect(try await hub.send("GET", "/property-definitions?event_type_id=t").json.arrayValue?.count == 2)
  }

  @Test func `active places can be listed separately`() async throws {
    let hub = try TestHub()
    for (id, isActive) in [("g1", true), ("g2", false)] {
      let body: JSONValue = [
        "id": .string(id), "name": "x", "latitude": 1, "longitude": 2, "radius": 100, "is_active": .bool(isActive),
      ]
      #expect(try await hub.send("POST", "/geofences", body).status == 201)
    }
    #expect(try await hub.send("GET", "/geofences").json.arrayValue?.count == 2)
    #expect(try await hub.send("GET", "/geofences?active_only=true").json.arrayValue?.map { $0["id"] } == ["g1"])
    #expect(try await hub.send("GET", "/geofences?active_only=maybe").problem == "invalid")
  }

  @Test(
    "an invalid document is rejected, and the detail names the member",
    arguments: [
      (
        "/event-types", #"{"id":"t","name":"x","color":"c"}"#,
        "icon: expected a string of 1 to 256 bytes, found nothing"
      ),
      (
        "/event-types", #"{"id":"t","name":"x","color":"c","icon":""}"#,
        "icon: expected a string of 1 to 256 bytes, found \"\""
      ),
      ("/event-types", #"{"id":"t","name":7,"color":"c","icon":"i"}"#, "name: expected a string"),
      ("/event-types", #"{"id":"t","name":"","color":"c","icon":"i"}"#, "name: expected a string"),
      ("/event-types", #"{"name":"x","color":"c","icon":"i"}"#, "id: expected a string, found nothing"),
      ("/event-types", #"{"id":"","name":"x","color":"c","icon":"i"}"#, "id: expected an id of 1 to 128 bytes"),
      (
        "/event-types", #"{"id":"t","name":"x","color":"c","icon":"i","goal":"3/week"}"#,
        #"goal: expected an object, found "3/week""#
      ),
      (
        "/event-types",
        #"{"id":"t","name":"x","color":"c","icon":"i","goal":{"amount":3,"bound":"at_least","measure":"count"}}"#,
        #"goal.period: expected "day" or "week", found nothing"#
      ),
      (
        "/event-types",
        #"{"id":"t","name":"x","color":"c","icon":"i","goal":{"amount":3,"bound":"at_least","measure":"count","period":"month"}}"#,
        #"goal.period: expected "day" or "week", found "month""#
      ),
      (
        "/event-types",
        #"{"id":"t","name":"x","color":"c","icon":"i","goal":{"amount":-1,"bound":"at_most","measure":"count","period":"day"}}"#,
        "goal.amount: expected a whole number from 0 to 1000000, found -1"
      ),
      (
        "/event-types",
        #"{"id":"t","name":"x","color":"c","icon":"i","goal":{"amount":1.5,"bound":"at_most","measure":"count","period":"day"}}"#,
        "goal.amount: expected a whole number from 0 to 1000000, found 1.5"
      ),
      ("/event-types", #"[]"#, "the document: expected an object, found an array"),
      (
        "/event-types", #"{"id":"t""#,
        "unexpected end of the document, expected a comma or the end of the object, at byte 9"
      ),
      ("/event-types", #"{"id":"t","id":"u"}"#, "duplicate member \"id\""),
      ("/event-types", #"{"id":"t",}"#, "expected a member name, at byte 10"),
      ("/event-types", "", "expected an object, found nothing"),
      ("/event-types", #"{"id":"\ud800"}"#, "id: an unpaired surrogate in an escape, at byte 7"),
      ("/events", #"{"id":"e","event_type_id":"t","timestamp":"soon"}"#, "timestamp: expected an RFC 3339 date"),
      (
        "/events", #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","location_latitude":91}"#,
        "location_latitude: expected a number from -90.0 to 90.0, found 91"
      ),
      (
        "/events", #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","properties":{"a":5}}"#,
        "properties.a: expected an object"
      ),
      (
        "/events", #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","properties":[]}"#,
        "properties: expected an object, found an array"
      ),
      (
        "/events", #"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","properties.a":5}"#,
        "invalid field name"
      ),
      (
        "/geofences", #"{"id":"g","name":"x","latitude":1,"longitude":2,"radius":49.9}"#,
        "radius: expected a number from 50.0 to 10000.0"
      ),
      ("/events/batch", #"{"events":{}}"#, "events: expected an array, found an object"),
      (
        "/mutations", #"{"device":"d","acked_through":0,"mutations":[{"seq":"1"}]}"#,
        "mutations[0].seq: expected a whole number, found \"1\""
      ),
      (
        "/mutations", #"{"device":"d","acked_through":0,"mutations":[{"seq":0}]}"#,
        "mutations[0].seq: expected a whole number from 1 to 4611686018427387903"
      ),
      ("/mutations", #"{"device":"d","mutations":[]}"#, "acked_through: expected a whole number, found nothing"),
    ])
  func invalid(path: String, body: String, detail: String) async throws {
    let hub = try TestHub()
    let answer = try await hub.send(raw: body, to: path)
    #expect(answer.status == 400)
    #expect(answer.problem == "invalid")
    #expect(answer.detail.contains(detail), "\(answer.detail)")
    #expect(answer["request_id"] == "request-1")
    #expect(answer["instance"] == .string("/api/v1\(path)"))
    #expect(answer.headers["X-Request-Id"] == "request-1")
    #expect(answer.headers["Content-Type"] == "application/problem+json")
  }

  @Test func `a document of 32 levels is parsed, one of 33 is not, and fields have a lower limit`() async throws {
    let hub = try TestHub()
    func document(_ depth: Int) -> String {
      // The document itself is one level.
      let inner = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
      return #"{"id":"t\#(depth)","name":"x","color":"c","icon":"i","deep":\#(inner)}"#
    }
    #expect(try await hub.send(raw: document(17), to: "/event-types").status == 201)
    let deep = try await hub.send(raw: document(32), to: "/event-types")
    #expect(deep.problem == "invalid" && deep.detail.hasPrefix("deep: expected at most 16"))
    let answer = try await hub.send(raw: document(33), to: "/event-types")
    #expect(answer.problem == "invalid")
    #expect(answer.detail.contains("more than 32 levels of nesting"))
    #expect(try await hub.send(raw: String(repeating: "[", count: 900_000), to: "/event-types").problem == "invalid")
  }

  @Test func `unknown paths and methods are rejected`() async throws {
    let hub = try TestHub()
    for path in ["/nothing", "/events/e/properties", "/event-types/t/properties/d", "/event-types/t/other"] {
      #expect(try await hub.send("GET", path).problem == "not_found", "\(path)")
    }
    let root = await hub.server.handle(HTTPRequest(id: "r", method: "DELETE", target: "/"))
    #expect(root.status == 404)
    let wrong = try await hub.send("PUT", "/events")
    #expect(wrong.status == 405)
    #expect(wrong.headers["Allow"] == "GET, HEAD, POST")
    #expect(try await hub.send("GET", "/mutations").headers["Allow"] == "POST")
    #expect(try await hub.send("BREW", "/events").problem == "method_not_allowed")
  }

  @Test func `ids are opaque strings of up to 128 bytes`() async throws {
    let hub = try TestHub()
    let longest = String(repeating: "ü", count: 64)
    for id in ["a/b c?d", longest, "..", "ключ"] {
      let body: JSONValue = ["id": .string(id), "name": "x", "color": "c", "icon": "i"]
      #expect(try await hub.send("POST", "/event-types", body).status == 201)
      let escaped = id.utf8.map { byte in "%" + String(byte, radix: 16).leftPadded }.joined()
      #expect(try await hub.send("GET", "/event-types/\(escaped)")["id"] == .string(id))
    }
    let tooLong: JSONValue = ["id": .string(longest + "x"), "name": "x", "color": "c", "icon": "i"]
    #expect(try await hub.send("POST", "/event-types", tooLong).problem == "invalid")
    #expect(try await hub.send("DELETE", "/event-types/%0a").problem == "invalid")
  }
}

extension String {
  fileprivate var leftPadded: String { count < 2 ? "0" + self : self }
}
