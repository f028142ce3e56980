import Foundation
import Testing
import TrendyModels

/// Encoding of entities, create requests and the feed. Every member that is decoded must be encoded again.
@Suite("Wire entities", .timeLimit(.minutes(10)))
struct WireEntityTests {
  private static let unknown = #""mood":{"of":["a",1,null,1.5,true]},"zz_number":9223372036854775807"#

  /// Event with every member that this version knows, and two unknown members.
  private static let event = """
    {"id":"e","user_id":"u","event_type_id":"t","timestamp":"2024-01-01T00:00:00.123Z","notes":"n","is_all_day":true,\
    "end_date":"2024-01-01T01:00:00.000Z","source_type":"healthkit","external_id":"x","original_title":"o",\
    "geofence_id":"g","location_latitude":51.927,"location_longitude":4.362,"location_name":"home",\
    "healthkit_sample_id":"hs","healthkit_category":"hc","time_zone":"Europe/Amsterdam",\
    "properties":{"p":{"type":"number","value":5}},"created_at":"2024-01-01T00:00:01.000Z",\
    "updated_at":"2024-01-01T00:00:02.000Z","event_type":{"id":"t","user_id":"u","name":"n","color":"#000000",\
    "icon":"i",\(unknown)},\(unknown)}
    """
  private static let eventType = """
    {"id":"t","user_id":"u","name":"n","color":"#000000","icon":"i","goal":{"amount":3,"bound":"at_least",\
    "measure":"count","period":"month"},"created_at":"2024-01-01T00:00:01.000Z",\
    "updated_at":"2024-01-01T00:00:02.000Z",\(unknown)}
    """
  private static let geofence = """
    {"id":"g","user_id":"u","name":"n","latitude":51.927,"longitude":4.362,"radius":100,"event_type_entry_id":"t",\
    "event_type_exit_id":"t2","is_active":false,"notify_on_entry":true,"notify_on_exit":true,"color":"#4A7FC1",\
    "role":"office",\
    "created_at":"2024-01-01T00:00:01.000Z","updated_at":"2024-01-01T00:00:02.000Z",\(unknown)}
    """
  private static let definition = """
    {"id":"p","event_type_id":"t","user_id":"u","key":"k","label":"l","property_type":"select","options":["a","b"],\
    "default_value":"a","display_order":3,"created_at":"2024-01-01T00:00:01.000Z",\
    "updated_at":"2024-01-01T00:00:02.000Z",\(unknown)}
    """
  private static let change = """
    {"id":9007199254740991,"entity_type":"hologram","operation":"transmogrify","entity_id":"e",\
    "data":{"any":{"thing":[1,2.5]},\(unknown)},"deleted_at":"2024-01-01T00:00:01.000Z",\
    "created_at":"2024-01-01T00:00:02.000Z",\(unknown)}
    """
  private static let mutation = """
    {"id":"m","seq":3,"entity_type":"hologram","entity_id":"e","operation":"project",\
    "payload":{"notes":null,"n":1},\(unknown)}
    """

  /// Checks that decoding and re-encoding a document reproduces it, both with Foundation's coder and with ``WireJSON``.
  private func survives<Value: Codable & Hashable>(_ type: Value.Type, _ text: String) throws {
    let members = try WireJSON.decode(JSONValue.self, from: Data(text.utf8))
    let value = try WireJSON.decode(type, from: Data(text.utf8))
    #expect(try JSONDecoder().decode(type, from: Data(text.utf8)) == value)
    let plain = try JSONEncoder().encode(value)
    let product = try WireJSON.encode(value)
    #expect(try WireJSON.decode(JSONValue.self, from: plain) == members)
    #expect(try WireJSON.decode(JSONValue.self, from: product) == members)
    #expect(try WireJSON.decode(type, from: plain) == value)
    #expect(try JSONDecoder().decode(type, from: product) == value)
    #expect(try WireJSON.encode(JSONDecoder().decode(type, from: product)) == product)
  }

  @Test func `an event survives with all its known and unknown members`() throws {
    try survives(APIEvent.self, Self.event)
    let event = try WireJSON.decode(APIEvent.self, from: Data(Self.event.utf8))
    #expect(event.unknownFields.keys.sorted() == ["mood", "zz_number"])
    #expect(event.eventType?.unknownFields.keys.sorted() == ["mood", "zz_number"])
    #expect(event.healthKitSampleId == "hs")
    #expect(event.properties == ["p": APIPropertyValue(type: "number", value: 5)])
  }

  @Test func `an event type survives with all its known and unknown members`() throws {
    try survives(APIEventType.self, Self.eventType)
  }

  @Test func `a geofence survives with all its known and unknown members`() throws {
    try survives(APIGeofence.self, Self.geofence)
  }

  @Test func `a property definition survives with all its known and unknown members`() throws {
    try survives(APIPropertyDefinition.self, Self.definition)
  }

  @Test func `a feed entry of an unknown kind and operation survives`() throws {
    try survives(ChangeEntry.self, Self.change)
    try survives(
      ChangeFeedResponse.self, #"{"changes":[\#(Self.change)],"next_cursor":12,"has_more":true,"epoch":"e"}"#)
  }

  @Test func `a mutation envelope survives, with null and absent distinct`() throws {
    try survives(MutationEnvelope.self, Self.mutation)
    try survives(PushRequest.self, #"{"device":"d","acked_through":2,"mutations":[\#(Self.mutation)]}"#)
  }

  @Test func `an unreadable mutation affects neither the push nor its neighbors`() throws {
    let text = #"{"device":"d","acked_through":2,"mutations":[\#(Self.mutation),{"seq":4,"id":7},null]}"#
    let push = try WireJSON.decode(PushDocument<LenientElement<MutationEnvelope>>.self, from: Data(text.utf8))
    #expect(
      try push.mutations[0].result.get() == WireJSON.decode(MutationEnvelope.self, from: Data(Self.mutation.utf8)))
    #expect(
      throws: JSONError(path: "mutations[1].id", byte: text.utf8.count - 9, reason: "expected a string, found a number")
    ) {
      try push.mutations[1].result.get()
    }
    #expect(push.mutations[1].json == ["seq": 4, "id": 7])
    #expect(throws: JSONError.self) { try push.mutations[2].result.get() }
    // Each element is written unchanged, and Foundation's coder can decode it too.
    let written = try WireJSON.encode(push)
    #expect(
      try WireJSON.decode(JSONValue.self, from: written) == WireJSON.decode(JSONValue.self, from: Data(text.utf8)))
    let other = try JSONDecoder().decode(
      PushDocument<LenientElement<MutationEnvelope>>.self, from: JSONEncoder().encode(push))
    #expect(other.mutations.map(\.json) == push.mutations.map(\.json))
    #expect(try other.mutations[0].result.get() == push.mutations[0].result.get())
  }

  @Test func `the other documents survive`() throws {
    try survives(LatestCursorResponse.self, #"{"cursor":9007199254740991,"epoch":"e"}"#)
    try survives(PairRequest.self, #"{"code":"1234","device_name":"phone"}"#)
    try survives(PairResponse.self, #"{"token":"t","device_id":"d","person":"p"}"#)
    try survives(SnapshotHeader.self, #"{"cursor":5,"epoch":"e","last_seq":2,"count":7}"#)
    try survives(
      PushResponse.self,
      """
      {"outcomes":[{"seq":1,"status":"accepted","version":4},{"seq":2,"status":"refused","problem":{"type":"urn:x",\
      "title":"t","status":422,"detail":"d","instance":"i","request_id":"r"}},{"seq":3,"status":"try_later",\
      "retry_after_s":5}],"head":4,"epoch":"e"}
      """)
    try survives(
      BatchCreateEventsResponse.self,
      #"{"created":[\#(Self.event)],"errors":[{"index":1,"message":"m"}],"total":2,"success":1,"failed":1}"#)
  }

  @Test func `create requests survive, including unknown members`() throws {
    let unknown: [String: JSONValue] = ["mood": ["of": [1, nil]]]
    let date = Date(timeIntervalSince1970: 1_704_067_200.25)
    try survives(
      CreateEventRequest(
        id: "e", eventTypeId: "t", timestamp: date, notes: "n", isAllDay: true, endDate: date, sourceType: "telepathy",
        externalId: "x", originalTitle: "o", geofenceId: "g", locationLatitude: 1, locationLongitude: 2,
        locationName: "l", healthKitSampleId: "hs", healthKitCategory: "hc", timeZone: "UTC",
        properties: ["p": APIPropertyValue(type: "aura", value: [1])], unknownFields: unknown))
    try survives(CreateEventTypeRequest(id: "t", name: "n", color: "c", icon: "i", unknownFields: unknown))
    try survives(
      CreateGeofenceRequest(
        id: "g", name: "n", latitude: 1, longitude: 2, radius: 50, eventTypeEntryId: "t", eventTypeExitId: "t",
        isActive: false, notifyOnEntry: true, notifyOnExit: true, unknownFields: unknown))
    try survives(
      CreatePropertyDefinitionRequest(
        id: "p", eventTypeId: "t", key: "k", label: "l", propertyType: "aura", options: [], defaultValue: false,
        displayOrder: -1, unknownFields: unknown))
  }

  private func survives(_ value: some Codable & Hashable) throws {
    try survives(type(of: value), String(decoding: WireJSON.encode(value), as: UTF8.self))
    #expect(try WireJSON.decode(type(of: value), from: WireJSON.encode(value)) == value)
  }

  @Test func `only essential members are required`() throws {
    let event = try WireJSON.decode(
      APIEvent.self, from: Data(#"{"id":"e","event_type_id":"t","timestamp":"2024-01-01T00:00:00Z","notes":null}"#.utf8)
    )
    #expect(event == APIEvent(id: "e", eventTypeId: "t", timestamp: Date(timeIntervalSince1970: 1_704_067_200)))
    #expect(try WireJSON.decode(APIEventType.self, from: Data(#"{"id":"t","name":"n"}"#.utf8)).color == "#888888")
    let problem = try WireJSON.decode(ProblemDetails.self, from: Data(#"{"status":404}"#.utf8))
    #expect(problem == ProblemDetails(status: 404))
    #expect(problem.type == "about:blank")
  }

  @Test func `dates are written in UTC with three digits and nil members are omitted`() throws {
    let event = APIEvent(id: "e", userId: "u", eventTypeId: "t", timestamp: Date(timeIntervalSince1970: 0.5))
    for data in [try WireJSON.encode(event), try JSONEncoder().encode(event)] {
      #expect(
        try WireJSON.decode(JSONValue.self, from: data)
          == [
            "id": "e", "user_id": "u", "event_type_id": "t", "timestamp": "1970-01-01T00:00:00.500Z",
            "is_all_day": false, "source_type": "manual",
          ])
    }
  }

  @Test func `a known member takes precedence over an unknown one with the same name`() throws {
    let event = APIEvent(
      id: "e", eventTypeId: "t", timestamp: Date(timeIntervalSince1970: 0), unknownFields: ["id": "other"])
    #expect(try WireJSON.decode(APIEvent.self, from: WireJSON.encode(event)).id == "e")
  }

  @Test func `the data of an entry is converted from and to wire types`() throws {
    let event = try WireJSON.decode(APIEvent.self, from: Data(Self.event.utf8))
    let data = try ChangeEntryData(event)
    #expect(data.rawData["mood"] == ["of": ["a", 1, nil, 1.5, true]])
    #expect(try data.decode(APIEvent.self) == event)
    #expect(throws: APIError.decodingError("latitude: expected a number, found nothing")) {
      try data.decode(APIGeofence.self)
    }
  }
}
