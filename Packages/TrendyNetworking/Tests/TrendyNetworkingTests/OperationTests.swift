import Foundation
import Testing
import TrendyModels
import TrendyNetworking

/// Operation with its expected request and a scripted response.
struct Operation: Sendable, CustomTestStringConvertible {
  var name: String
  var method: String
  /// Path and query below `/api/v1`.
  var target: String
  var body: JSONValue?
  var key: String?
  var answer: String
  /// Performs the operation and returns whether the response was decoded correctly.
  var run: @Sendable (APIClient) async throws -> Bool

  var testDescription: String { name }
}

private let time = Date(timeIntervalSince1970: 1_704_067_200)
private let eventJSON = #"{"id":"e1","event_type_id":"t1","timestamp":"2024-01-01T00:00:00.000Z","user_id":"u"}"#
private let typeJSON = ##"{"id":"t1","name":"Coffee","color":"#FF0000","icon":"cup","user_id":"u"}"##
private let placeJSON = #"{"id":"g1","name":"Home","latitude":51.9,"longitude":4.3,"radius":100,"user_id":"u"}"#
private let definitionJSON =
  #"{"id":"p1","event_type_id":"t1","key":"size","label":"Size","property_type":"select","display_order":0}"#
private let event = CreateEventRequest(id: "e1", eventTypeId: "t1", timestamp: time)
private let type = CreateEventTypeRequest(id: "t1", name: "Coffee", color: "#FF0000", icon: "cup")
private let place = CreateGeofenceRequest(id: "g1", name: "Home", latitude: 51.9, longitude: 4.3, radius: 100)
private let definition = CreatePropertyDefinitionRequest(
  id: "p1", eventTypeId: "t1", key: "size", label: "Size", propertyType: "select")

private func json(_ value: some Encodable) -> JSONValue? {
  (try? WireJSON.encode(value)).flatMap { try? WireJSON.decode(JSONValue.self, from: $0) }
}

let operations: [Operation] = [
  Operation(name: "getEventTypes", method: "GET", target: "/event-types", answer: "[\(typeJSON)]") {
    try await $0.getEventTypes().map(\.id) == ["t1"]
  },
  Operation(name: "createEventType", method: "POST", target: "/event-types", body: json(type), answer: typeJSON) {
    try await $0.createEventType(type).name == "Coffee"
  },
  Operation(
    name: "createEventTypeWithIdempotency", method: "POST", target: "/event-types", body: json(type), key: "k-1",
    answer: typeJSON
  ) { try await $0.createEventTypeWithIdempotency(type, idempotencyKey: "k-1").id == "t1" },
  Operation(
    name: "updateEventType", method: "PATCH", target: "/event-types/t1", body: ["name": "Tea"], answer: typeJSON
  ) { try await $0.updateEventType(id: "t1", UpdateEventTypeRequest(name: "Tea")).id == "t1" },
  Operation(name: "deleteEventType", method: "DELETE", target: "/event-types/t1", answer: "") {
    try await $0.deleteEventType(id: "t1")
    return true
  },
  Operation(name: "getEvents", method: "GET", target: "/events?limit=50&offset=100", answer: "[\(eventJSON)]") {
    try await $0.getEvents(limit: 50, offset: 100).map(\.timestamp) == [time]
  },
  Operation(
    name: "getAllEvents", method: "GET", target: "/snapshot",
    answer: #"{"cursor":7,"epoch":"a","count":1}"# + "\n" + #"{"entity_type":"event","data":\#(eventJSON)}"# + "\n"
  ) { try await $0.getAllEvents(batchSize: 50).map(\.id) == ["e1"] },
  Operation(name: "createEvent", method: "POST", target: "/events", body: json(event), answer: eventJSON) {
    try await $0.createEvent(event).eventTypeId == "t1"
  },
  Operation(
    name: "createEventWithIdempotency", method: "POST", target: "/events", body: json(event), key: "k-2",
    answer: eventJSON
  ) { try await $0.createEventWithIdempotency(event, idempotencyKey: "k-2").id == "e1" },
  Operation(
    name: "createEventsBatch", method: "POST", target: "/events/batch", body: ["events": [json(event) ?? nil]],
    answer:
      #"{"created":[\#(eventJSON)],"errors":[{"index":1,"message":"no"}],"total":2,"success":1,"failed":1}"#
  ) { try await $0.createEventsBatch([event]).errors == [BatchError(index: 1, message: "no")] },
  Operation(
    name: "updateEvent", method: "PATCH", target: "/events/e1", body: ["notes": nil, "is_all_day": true],
    answer: eventJSON
  ) { try await $0.updateEvent(id: "e1", UpdateEventRequest(notes: .null, isAllDay: true)).id == "e1" },
  Operation(name: "deleteEvent", method: "DELETE", target: "/events/e1", answer: "") {
    try await $0.deleteEvent(id: "e1")
    return true
  },
  Operation(name: "getGeofences", method: "GET", target: "/geofences?active_only=true", answer: "[\(placeJSON)]") {
    try await $0.getGeofences(activeOnly: true).map(\.radius) == [100]
  },
  Operation(name: "getGeofences of all", method: "GET", target: "/geofences?active_only=false", answer: "[]") {
    try await $0.getGeofences(activeOnly: false).isEmpty
  },
  Operation(name: "createGeofence", method: "POST", target: "/geofences", body: json(place), answer: placeJSON) {
    try await $0.createGeofence(place).name == "Home"
  },
  Operation(
    name: "createGeofenceWithIdempotency", method: "POST", target: "/geofences", body: json(place), key: "k-3",
    answer: placeJSON
  ) { try await $0.createGeofenceWithIdempotency(place, idempotencyKey: "k-3").id == "g1" },
  Operation(name: "updateGeofence", method: "PATCH", target: "/geofences/g1", body: ["radius": 200], answer: placeJSON)
  {
    try await $0.updateGeofence(id: "g1", UpdateGeofenceRequest(radius: 200)).id == "g1"
  },
  Operation(name: "deleteGeofence", method: "DELETE", target: "/geofences/g1", answer: "") {
    try await $0.deleteGeofence(id: "g1")
    return true
  },
  Operation(
    name: "getPropertyDefinitions", method: "GET", target: "/event-types/t1/properties", answer: "[\(definitionJSON)]"
  ) { try await $0.getPropertyDefinitions(eventTypeId: "t1").map(\.key) == ["size"] },
  Operation(
    name: "createPropertyDefinition", method: "POST", target: "/event-types/t1/properties", body: json(definition),
    answer: definitionJSON
  ) { try await $0.createPropertyDefinition(eventTypeId: "t1", definition).id == "p1" },
  Operation(
    name: "createPropertyDefinitionWithIdempotency", method: "POST", target: "/property-definitions",
    body: json(definition), key: "k-4", answer: definitionJSON
  ) { try await $0.createPropertyDefinitionWithIdempotency(definition, idempotencyKey: "k-4").id == "p1" },
  Operation(
    name: "updatePropertyDefinition", method: "PATCH", target: "/property-definitions/p1", body: ["label": "Cup"],
    answer: definitionJSON
  ) {
    try await $0.updatePropertyDefinition(id: "p1", UpdatePropertyDefinitionRequest(label: "Cup")).id == "p1"
  },
  Operation(name: "deletePropertyDefinition", method: "DELETE", target: "/property-definitions/p1", answer: "") {
    try await $0.deletePropertyDefinition(id: "p1")
    return true
  },
  Operation(
    name: "getChanges", method: "GET", target: "/changes?since=42&limit=100",
    answer: #"{"changes":[],"next_cursor":9007199254740993,"has_more":true,"epoch":"a"}"#
  ) { try await $0.getChanges(since: 42, limit: 100).nextCursor == 9_007_199_254_740_993 },
  Operation(name: "getLatestCursor", method: "GET", target: "/changes/latest-cursor", answer: #"{"cursor":88214}"#) {
    try await $0.getLatestCursor() == 88214
  },
]

@Suite("Operations of APIClient", .timeLimit(.minutes(10)))
struct OperationTests {
  @Test("each operation sends a valid request and decodes the response", arguments: operations)
  func asks(operation: Operation) async throws {
    let type = operation.target == "/snapshot" ? "application/x-ndjson" : "application/json"
    let server = ScriptedServer([.answer(operation.answer.isEmpty ? 204 : 200, operation.answer, type: type)])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    #expect(try await operation.run(client), "the response is decoded incorrectly")
    let request = try #require(server.requests.first)
    #expect(server.requests.count == 1)
    #expect(request.method == operation.method)
    #expect(request.target == "/api/v1" + operation.target)
    #expect(request.headers["authorization"] == "Bearer secret")
    #expect(request.headers["accept"] == type)
    #expect(request.headers["host"] == "127.0.0.1:\(server.port)")
    #expect(request.headers["idempotency-key"] == operation.key)
    if let body = operation.body {
      #expect(request.headers["content-type"] == "application/json")
      #expect(try WireJSON.decode(JSONValue.self, from: request.body) == body)
    } else {
      #expect(request.body.isEmpty)
    }
  }

  @Test func `all 24 operations are tested`() {
    let names = Set(operations.map(\.name)).subtracting(["getGeofences of all"])
    #expect(names.count == 24)
  }

  @Test func `an update distinguishes absent, null and value`() async throws {
    let server = ScriptedServer([.answer(200, eventJSON)])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    _ = try await client.updateEvent(id: "e1", UpdateEventRequest(notes: .null, locationName: .value("Home")))
    let body = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
    #expect(body == #"{"location_name":"Home","notes":null}"#)
  }

  @Test(
    "any id is encoded as one path segment",
    arguments: [("a/b?c#d", "a%2Fb%3Fc%23d"), ("50% é", "50%25%20%C3%A9"), ("..a", "..a"), ("a~b_c-d", "a~b_c-d")])
  func encodesId(id: String, part: String) async throws {
    let server = ScriptedServer([.answer(204, type: nil)])
    defer { server.stop() }
    try await APIClient(baseURL: server.baseURL, token: "secret").deleteEvent(id: id)
    #expect(server.requests.map(\.target) == ["/api/v1/events/\(part)"])
  }

  @Test("an id that no path can contain is rejected without a request", arguments: ["", ".", ".."])
  func refusesId(id: String) async throws {
    let server = ScriptedServer()
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    let error = await #expect(throws: APIError.self) { try await client.deleteEventType(id: id) }
    #expect(error?.statusCode == 400)
    #expect(server.requests.isEmpty)
  }

  @Test(
    "a key is encoded so that it cannot become another header field",
    arguments: [("a\r\nX-Evil: 1", "a%0D%0AX-Evil%3A%201"), ("100%", "100%25"), ("plain:key/1", "plain:key/1")])
  func encodesKey(key: String, value: String) async throws {
    let server = ScriptedServer([.answer(200, eventJSON)])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    _ = try await client.createEventWithIdempotency(event, idempotencyKey: key)
    let request = try #require(server.requests.first)
    #expect(request.headers["idempotency-key"] == value)
    #expect(request.headers["x-evil"] == nil)
  }

  @Test func `a path prefix is kept`() async throws {
    let server = ScriptedServer([.answer(200, #"{"cursor":1}"#)])
    defer { server.stop() }
    let url = server.baseURL.appendingPathComponent("trendy").appendingPathComponent("api/v1/")
    _ = try await APIClient(baseURL: url, token: "secret").getLatestCursor()
    #expect(server.requests.map(\.target) == ["/trendy/api/v1/changes/latest-cursor"])
  }

  @Test func `one connection serves many requests`() async throws {
    let server = ScriptedServer([.answer(200, "[]")], [.answer(200, "[]"), .close], [.answer(200, "[]")])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    for _ in 1...3 { #expect(try await client.getEventTypes().isEmpty) }
    #expect(server.requests.count == 3)
  }

  @Test func `a health check sends no request`() async throws {
    let server = ScriptedServer()
    defer { server.stop() }
    try await APIClient(baseURL: server.baseURL, token: "secret").checkHealth()
    #expect(server.requests.isEmpty)
  }
}
