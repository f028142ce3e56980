import Foundation
import Testing
import TrendyModels

@Suite("Patch in update requests", .timeLimit(.minutes(10)))
struct PatchTests {
  /// Clearable field: requests that omit, clear and set the field, its wire name, and the value that is set.
  private struct Field<Request: Codable & Hashable & Sendable>: Sendable {
    let name: String
    let absent: Request
    let null: Request
    let value: Request
    let wire: JSONValue

    init<Value: Hashable & Sendable>(
      _ name: String, _ request: Request, _ path: WritableKeyPath<Request, Patch<Value>>, _ value: Value,
      _ wire: JSONValue
    ) {
      self.name = name
      absent = request
      var request = request
      request[keyPath: path] = .null
      null = request
      request[keyPath: path] = .value(value)
      self.value = request
      self.wire = wire
    }
  }

  private static let event: [Field<UpdateEventRequest>] = [
    Field("notes", .init(), \.notes, "", ""),
    Field("end_date", .init(), \.endDate, Date(timeIntervalSince1970: 0.5), "1970-01-01T00:00:00.500Z"),
    Field("external_id", .init(), \.externalId, "x", "x"),
    Field("original_title", .init(), \.originalTitle, "x", "x"),
    Field("geofence_id", .init(), \.geofenceId, "x", "x"),
    Field("location_latitude", .init(), \.locationLatitude, 0, 0),
    Field("location_longitude", .init(), \.locationLongitude, -4.5, -4.5),
    Field("location_name", .init(), \.locationName, "x", "x"),
    Field("healthkit_sample_id", .init(), \.healthKitSampleId, "x", "x"),
    Field("healthkit_category", .init(), \.healthKitCategory, "x", "x"),
    Field("time_zone", .init(), \.timeZone, "Europe/Amsterdam", "Europe/Amsterdam"),
  ]
  private static let geofence: [Field<UpdateGeofenceRequest>] = [
    Field("event_type_entry_id", .init(), \.eventTypeEntryId, "x", "x"),
    Field("event_type_exit_id", .init(), \.eventTypeExitId, "x", "x"),
  ]
  private static let definition: [Field<UpdatePropertyDefinitionRequest>] = [
    Field("options", .init(), \.options, [], []),
    Field("default_value", .init(), \.defaultValue, false, false),
  ]

  @Test("absent, null and a value of an event's field are distinct", arguments: event.indices)
  func eventFields(index: Int) throws { try check(Self.event[index]) }

  @Test("absent, null and a value of a geofence's field are distinct", arguments: geofence.indices)
  func geofenceFields(index: Int) throws { try check(Self.geofence[index]) }

  @Test("absent, null and a value of a definition's field are distinct", arguments: definition.indices)
  func definitionFields(index: Int) throws { try check(Self.definition[index]) }

  private func check<Request>(_ field: Field<Request>) throws {
    #expect(Set([field.absent, field.null, field.value]).count == 3)
    try check(field.absent, [:])
    try check(field.null, [field.name: .null])
    try check(field.value, [field.name: field.wire])
  }

  /// Checks that a request can be encoded, decoded and encoded again with every combination of the two coders.
  private func check<Request: Codable & Equatable>(_ request: Request, _ members: [String: JSONValue]) throws {
    let documents = [try JSONEncoder().encode(request), try WireJSON.encode(request)]
    for document in documents {
      #expect(try WireJSON.decode([String: JSONValue].self, from: document) == members)
      for read in [
        try JSONDecoder().decode(Request.self, from: document), try WireJSON.decode(Request.self, from: document),
      ] {
        #expect(read == request)
        #expect(try WireJSON.encode(read) == documents[1])
      }
    }
  }

  @Test func `properties are set, removed or kept by key`() throws {
    let number = APIPropertyValue(type: "number", value: 5)
    try check(UpdateEventRequest(), [:])
    try check(UpdateEventRequest(properties: [:]), ["properties": [:]])
    try check(
      UpdateEventRequest(properties: ["gone": nil, "set": number]),
      ["properties": ["gone": nil, "set": ["type": "number", "value": 5]]])
    let cleared = UpdateEventRequest(properties: ["p": APIPropertyValue(type: "text", value: nil)])
    try check(cleared, ["properties": ["p": ["type": "text", "value": nil]]])
    #expect(cleared != UpdateEventRequest(properties: ["p": nil]), "a null value is not a property taken away")
  }

  @Test func `a request with all fields survives encoding`() throws {
    try check(
      UpdateEventRequest(
        eventTypeId: "t", timestamp: Date(timeIntervalSince1970: 1.234), notes: .null, isAllDay: false,
        endDate: .value(Date(timeIntervalSince1970: 2)), sourceType: "telepathy", externalId: .value("x"),
        locationLatitude: .value(1.5), healthKitSampleId: .null, properties: ["a": nil]),
      [
        "event_type_id": "t", "timestamp": "1970-01-01T00:00:01.234Z", "notes": nil, "is_all_day": false,
        "end_date": "1970-01-01T00:00:02.000Z", "source_type": "telepathy", "external_id": "x",
        "location_latitude": 1.5, "healthkit_sample_id": nil, "properties": ["a": nil],
      ])
    try check(UpdateEventTypeRequest(name: "n", color: "c", icon: "i"), ["name": "n", "color": "c", "icon": "i"])
    try check(UpdateEventTypeRequest(), [:])
    try check(
      UpdateGeofenceRequest(
        name: "n", latitude: 0, longitude: 1, radius: 50, eventTypeEntryId: .value("t"), isActive: false,
        notifyOnEntry: true, notifyOnExit: false),
      [
        "name": "n", "latitude": 0, "longitude": 1, "radius": 50, "event_type_entry_id": "t", "is_active": false,
        "notify_on_entry": true, "notify_on_exit": false,
      ])
    try check(
      UpdatePropertyDefinitionRequest(
        key: "k", label: "l", propertyType: "colour", options: .value(["a", "b"]), defaultValue: .value(["x": [1]]),
        displayOrder: 0),
      [
        "key": "k", "label": "l", "property_type": "colour", "options": ["a", "b"], "default_value": ["x": [1]],
        "display_order": 0,
      ])
  }

  @Test func `a null for a field that cannot be cleared is treated as absent`() throws {
    #expect(
      try WireJSON.decode(UpdateEventRequest.self, from: Data(#"{"event_type_id":null,"timestamp":null}"#.utf8))
        == UpdateEventRequest())
  }

  @Test func `applying a patch keeps, clears or sets the field`() {
    var field: Int? = 1
    Patch<Int>.absent.apply(to: &field)
    #expect(field == 1)
    Patch<Int>.null.apply(to: &field)
    #expect(field == nil)
    Patch<Int>.value(2).apply(to: &field)
    #expect(field == 2)
    #expect(Patch(from: 1, to: 1) == .absent)
    #expect(Patch(from: 1, to: nil) == .null)
    #expect(Patch(from: nil, to: 1) == .value(1))
    #expect(Patch<Int>(from: nil, to: nil) == .absent)
    #expect(Patch(setting: nil as Int?) == .null)
    #expect(Patch(setting: 1) == .value(1))
    #expect(Patch<Int>.absent.isAbsent && !Patch<Int>.null.isAbsent && !Patch.value(1).isAbsent)
    #expect(Patch<Int>.absent.value == nil && Patch<Int>.null.value == nil && Patch.value(1).value == 1)
  }
}
