import Foundation
import Testing
import TrendyModels

@Suite("Synced entities", .timeLimit(.minutes(10)))
struct SyncedEntityTests {
  // MARK: Edits and their requests

  /// Checks that applying `updateRequest(from: old)` to the old value produces the new one, also after encoding.
  private func isInverse<Entity: SyncedEntity>(_ old: Entity, _ new: Entity) throws {
    guard let request = new.updateRequest(from: old) else {
      #expect(old == new, "no request, so nothing differs")
      return
    }
    #expect(old != new, "a request, so something differs")
    var edited = old
    edited.apply(request)
    #expect(edited == new)
    let read = try WireJSON.decode(Entity.UpdateRequest.self, from: WireJSON.encode(request))
    #expect(read == request)
    var editedFromTheWire = old
    editedFromTheWire.apply(read)
    #expect(editedFromTheWire == new)
    #expect(editedFromTheWire.updateRequest(from: new) == nil)
  }

  /// Checks that `createRequest` recreates the entity with status pending, also after encoding.
  private func isMadeAgain<Entity: SyncedEntity>(_ entity: Entity) throws {
    var pending = entity
    pending.syncStatus = .pending
    let request = entity.createRequest
    #expect(Entity(request) == pending)
    let read = try WireJSON.decode(Entity.CreateRequest.self, from: WireJSON.encode(request))
    #expect(Entity(read) == pending)
    #expect(entity.updateRequest(from: entity) == nil)
    #expect(try WireJSON.members(of: request) == decodedMembers(request))
  }

  private func decodedMembers(_ value: some Encodable) throws -> [String: JSONValue] {
    try WireJSON.decode([String: JSONValue].self, from: WireJSON.encode(value))
  }

  @Test func `the members of a document equal those of its text`() throws {
    let change = UpdateEventRequest(
      timestamp: Date(timeIntervalSince1970: 0.1234), notes: .null, isAllDay: true,
      properties: [
        "gone": nil, "list": APIPropertyValue(type: "x", value: [1.0, nil, ["a": 1e300, "b": .int(.max)]]),
      ])
    #expect(try WireJSON.members(of: change) == decodedMembers(change))
    // Equal numbers can be different cases of ``JSONValue``.
    #expect(try "\(WireJSON.members(of: ["n": 5.0]))" == "\(["n": JSONValue.int(5)])")
    let unknown: [String: JSONValue] = ["notes": "of a newer version", "zebra": [2.0]]
    for event in [
      APIEvent(id: "e", eventTypeId: "t", timestamp: Date(timeIntervalSince1970: 0), unknownFields: unknown),
      APIEvent(
        id: "e", eventTypeId: "t", timestamp: Date(timeIntervalSince1970: 0), notes: "known",
        eventType: APIEventType(id: "t", name: "n", unknownFields: unknown), unknownFields: unknown),
    ] {
      #expect(try WireJSON.members(of: event) == decodedMembers(event))
    }
  }

  @Test func `a document that is not an object or has an invalid number is an error`() {
    #expect(throws: APIError.decodingError("expected an object, found an array")) { try WireJSON.members(of: [1]) }
    let event = CreateEventRequest(
      id: "e", eventTypeId: "t", timestamp: Date(timeIntervalSince1970: 0),
      properties: ["p": APIPropertyValue(type: "number", value: [.double(.nan)])])
    #expect(
      throws: APIError.decodingError("cannot encode as JSON: properties.p.value[0]: nan cannot be represented in JSON")
    ) {
      try WireJSON.members(of: event)
    }
  }

  @Test func `an event with another id differs in nothing else`() {
    var random = SeededGenerator(seed: 3)
    let event = Event.random(using: &random)
    let other = event.with(id: "other")
    #expect(other.id == "other" && other != event && other.with(id: event.id) == event)
  }

  @Test("applying an event's update request gives the edited event", arguments: UInt64(1)...50)
  func event(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let old = Event.random(using: &random)
      try isMadeAgain(old)
      try isInverse(old, old)
      try isInverse(old, Event.random(using: &random))
      try isInverse(old, old.edited(using: &random))
    }
  }

  @Test("applying an event type's update request gives the edited type", arguments: UInt64(1)...20)
  func eventType(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let old = EventType.random(using: &random)
      try isMadeAgain(old)
      try isInverse(old, old)
      try isInverse(old, EventType.random(using: &random))
    }
  }

  @Test("applying a geofence's update request gives the edited geofence", arguments: UInt64(1)...20)
  func geofence(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let old = Geofence.random(using: &random)
      try isMadeAgain(old)
      try isInverse(old, old)
      try isInverse(old, Geofence.random(using: &random))
    }
  }

  @Test("applying a property definition's update request gives the edited definition", arguments: UInt64(1)...50)
  func definition(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let old = PropertyDefinition.random(using: &random)
      try isMadeAgain(old)
      try isInverse(old, old)
      try isInverse(old, PropertyDefinition.random(using: &random))
    }
  }

  // MARK: Contents of an edit

  private static let coffee = Event(
    id: "e", eventTypeId: "t", timestamp: Date(timeIntervalSince1970: 1_704_067_200), notes: "black",
    properties: ["cups": PropertyValue(type: .number, value: 1)])

  @Test func `a request contains only the fields that differ`() {
    var new = Self.coffee
    new.notes = nil
    new.locationName = "home"
    new.properties["cups"]?.value = 2
    new.properties["size"] = PropertyValue(type: .text, value: "L")
    #expect(
      new.updateRequest(from: Self.coffee)
        == UpdateEventRequest(
          notes: .null, locationName: .value("home"),
          properties: [
            "cups": APIPropertyValue(type: "number", value: 2), "size": APIPropertyValue(type: "text", value: "L"),
          ]))
    #expect(
      Self.coffee.updateRequest(from: new)
        == UpdateEventRequest(
          notes: .value("black"), locationName: .null,
          properties: ["cups": APIPropertyValue(type: "number", value: 1), "size": nil]))
  }

  @Test func `values with the same meaning are not an edit`() {
    var new = Self.coffee
    new.properties["cups"] = PropertyValue(type: .number, value: 1.0)
    new.syncStatus = .synced
    #expect(new.updateRequest(from: Self.coffee) == nil)
  }

  @Test func `an entity of the hub is synced and one of the user is pending`() {
    #expect(Event(APIEvent(id: "e", eventTypeId: "t", timestamp: Date(timeIntervalSince1970: 0))).syncStatus == .synced)
    #expect(EventType(APIEventType(id: "t", name: "n")).syncStatus == .synced)
    #expect(
      Geofence(APIGeofence(id: "g", name: "n", latitude: 0, longitude: 0, radius: 50)).syncStatus == .synced)
    #expect(
      PropertyDefinition(
        APIPropertyDefinition(id: "p", eventTypeId: "t", key: "k", label: "l", propertyType: "text")
      ).syncStatus == .synced)
    #expect(Event(Self.coffee.createRequest).syncStatus == .pending)
  }

  // MARK: Unknown values

  private static let strange = APIEvent(
    id: "e", eventTypeId: "t", timestamp: Date(timeIntervalSince1970: 0), sourceType: "telepathy",
    properties: [
      "aura": APIPropertyValue(type: "colour", value: ["h": 1]), "cups": APIPropertyValue(type: "number", value: 1),
    ],
    unknownFields: ["mood": ["of": [1, nil]]])

  @Test func `unknown members, sources and property types survive conversion to the domain`() {
    let event = Event(Self.strange)
    #expect(event.sourceType == .imported)
    #expect(event.properties.keys.sorted() == ["cups"])
    let request = event.createRequest
    #expect(request.sourceType == "telepathy")
    #expect(request.properties == Self.strange.properties)
    #expect(request.unknownFields == ["mood": ["of": [1, nil]]])
    #expect(event.updateRequest(from: event) == nil)
  }

  @Test func `an edit of other fields keeps unknown values`() {
    var event = Event(Self.strange)
    event.notes = "n"
    event.properties["cups"]?.value = 2
    #expect(
      event.updateRequest(from: Event(Self.strange))
        == UpdateEventRequest(notes: .value("n"), properties: ["cups": APIPropertyValue(type: "number", value: 2)]))
    #expect(event.createRequest.sourceType == "telepathy")
  }

  @Test func `a value set by the user replaces an unknown one`() throws {
    let old = Event(Self.strange)
    var new = old
    new.sourceType = .manual
    new.properties["aura"] = PropertyValue(type: .text, value: "blue")
    #expect(
      new.updateRequest(from: old)
        == UpdateEventRequest(
          sourceType: "manual", properties: ["aura": APIPropertyValue(type: "text", value: "blue")]))
    try isInverse(old, new)
    #expect(new.unknownFields == ["mood": ["of": [1, nil]]])
    new.properties["aura"] = nil
    #expect(new.createRequest.properties.keys.sorted() == ["cups"], "once replaced and taken away, it is away")
  }

  @Test func `an update can set an unknown source and property type and remove them`() {
    var event = Self.coffee
    event.apply(
      UpdateEventRequest(
        sourceType: "telepathy", properties: ["cups": APIPropertyValue(type: "colour", value: 1)]))
    #expect(event.properties.isEmpty)
    #expect(event.createRequest.sourceType == "telepathy")
    #expect(event.createRequest.properties == ["cups": APIPropertyValue(type: "colour", value: 1)])
    event.apply(UpdateEventRequest(sourceType: "manual", properties: ["cups": nil]))
    #expect(event.sourceType == .manual)
    #expect(event.createRequest.properties.isEmpty)
    #expect(event.unknownFields.isEmpty)
  }

  @Test func `an unknown property type of a definition is kept until another is set`() throws {
    let old = PropertyDefinition(
      APIPropertyDefinition(id: "p", eventTypeId: "t", key: "k", label: "l", propertyType: "colour"))
    #expect(old.propertyType == .text)
    #expect(old.createRequest.propertyType == "colour")
    #expect(old.createRequest.unknownFields.isEmpty)
    var new = old
    new.label = "L"
    #expect(new.updateRequest(from: old) == UpdatePropertyDefinitionRequest(label: "L"))
    new.propertyType = .text
    #expect(new.updateRequest(from: old) == UpdatePropertyDefinitionRequest(label: "L", propertyType: "text"))
    try isInverse(old, new)
  }

  @Test func `a place's role and color are read from the members of earlier versions`() {
    var place = Geofence(id: "g", name: "n", latitude: 1, longitude: 2)
    place.storedMembers = ["role": "skip", "mood": 1]
    #expect(place.role == "skip" && place.colorHex == nil && place.unknownFields == ["mood": 1])
    place.colorHex = "#112233"
    #expect(place.storedMembers == ["role": "skip", "color": "#112233", "mood": 1])
    place.storedMembers = [:]
    #expect(place.role == nil && place.colorHex == nil && place.unknownFields.isEmpty)
  }

  @Test func `a null default counts as none`() {
    var definition = PropertyDefinition(
      id: "p", eventTypeId: "t", key: "k", label: "l", propertyType: .text, defaultValue: .some(.null))
    #expect(definition.defaultValue == nil)
    definition.defaultValue = "x"
    definition.defaultValue = .some(.null)
    #expect(definition.defaultValue == nil)
  }

  @Test func `each kind has its name on the wire`() {
    #expect(Set(MutationEntityType.allCases.map(\.rawValue)) == Set(SyncedKind.all.map(\.name)))
    #expect(
      [Event.entityType, EventType.entityType, Geofence.entityType, PropertyDefinition.entityType]
        == MutationEntityType.typed)
  }

  @Test func `the idempotency key of a mutation is its id unless given`() {
    func mutation(_ key: String?) -> PendingMutation {
      PendingMutation(
        id: "m", entityType: .event, entityId: "e", operation: .delete, payload: Data(),
        createdAt: Date(timeIntervalSince1970: 0), idempotencyKey: key)
    }
    #expect(mutation(nil).idempotencyKey == "m")
    #expect(mutation("k").idempotencyKey == "k")
  }
}

// MARK: - Random entities

extension Optional {
  fileprivate static func sometimes(_ random: inout SeededGenerator, _ value: (inout SeededGenerator) -> Wrapped)
    -> Wrapped?
  {
    Bool.random(using: &random) ? value(&random) : nil
  }
}

extension Date {
  /// Returns a random date with the millisecond precision of the wire.
  fileprivate static func random(using random: inout SeededGenerator) -> Date {
    let milliseconds = Int64.random(in: -2_000_000_000_000...4_000_000_000_000, using: &random)
    return RFC3339.date(from: RFC3339.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1000)))!
  }
}

extension Event {
  fileprivate static func random(using random: inout SeededGenerator) -> Event {
    func text() -> String? { .sometimes(&random) { .random(using: &$0) } }
    var event = Event(
      id: "e", eventTypeId: .random(using: &random), timestamp: .random(using: &random),
      endDate: .sometimes(&random) { .random(using: &$0) }, isAllDay: .random(using: &random), notes: text(),
      sourceType: EventSourceType.allCases.randomElement(using: &random)!, externalId: text(), originalTitle: text(),
      geofenceId: text(), locationLatitude: .sometimes(&random) { .random(in: -90...90, using: &$0) },
      locationLongitude: .sometimes(&random) { .random(in: -180...180, using: &$0) }, locationName: text(),
      healthKitSampleId: text(), healthKitCategory: text(), timeZone: text())
    for key in ["a", "b", "c", "d"] where Bool.random(using: &random) {
      event.properties[key] = .random(using: &random)
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      event.apply(
        UpdateEventRequest(
          sourceType: "telepathy", properties: ["a": APIPropertyValue(type: "colour", value: ["h": 1])]))
    }
    return event
  }

  /// Returns a copy with some of the fields changed.
  fileprivate func edited(using random: inout SeededGenerator) -> Event {
    var event = self
    let other = Event.random(using: &random)
    if Bool.random(using: &random) { event.notes = other.notes }
    if Bool.random(using: &random) { event.timestamp = other.timestamp }
    if Bool.random(using: &random) { event.endDate = other.endDate }
    if Bool.random(using: &random) { event.sourceType = other.sourceType }
    if Bool.random(using: &random) { event.properties = other.properties }
    if Bool.random(using: &random) { event.properties["a"] = other.properties["b"] }
    return event
  }
}

extension PropertyValue {
  fileprivate static func random(using random: inout SeededGenerator) -> PropertyValue {
    let type = PropertyType.allCases.randomElement(using: &random)!
    let value: JSONValue =
      switch type {
      case .number, .duration: .double(Double(Int.random(in: -3...3, using: &random)) / 2)
      case .boolean: .bool(.random(using: &random))
      case .date: .string(RFC3339.string(from: .random(using: &random), secondsFromGMT: 3600))
      case .text, .select, .url, .email: .string(.random(using: &random))
      }
    return PropertyValue(type: type, value: Int.random(in: 0..<8, using: &random) == 0 ? .null : value)
  }
}

extension EventType {
  fileprivate static func random(using random: inout SeededGenerator) -> EventType {
    EventType(
      id: "t", name: .random(using: &random), colorHex: ["#000000", "#FFFFFF"].randomElement(using: &random)!,
      iconName: ["circle", "cup"].randomElement(using: &random)!,
      goal: .sometimes(&random) { Goal([2, 3].randomElement(using: &$0)!, per: .week) }, unknownFields: ["mood": 1])
  }
}

extension Geofence {
  fileprivate static func random(using random: inout SeededGenerator) -> Geofence {
    Geofence(
      id: "g", name: .random(using: &random), latitude: .random(in: -90...90, using: &random),
      longitude: .random(in: -180...180, using: &random), radius: [50, 100.5].randomElement(using: &random)!,
      eventTypeEntryId: .sometimes(&random) { .random(using: &$0) },
      eventTypeExitId: .sometimes(&random) { .random(using: &$0) }, isActive: .random(using: &random),
      notifyOnEntry: .random(using: &random), notifyOnExit: .random(using: &random),
      colorHex: .sometimes(&random) { .random(using: &$0) }, role: .sometimes(&random) { .random(using: &$0) },
      unknownFields: ["mood": 1])
  }
}

extension PropertyDefinition {
  fileprivate static func random(using random: inout SeededGenerator) -> PropertyDefinition {
    var definition = PropertyDefinition(
      id: "p", eventTypeId: "t", key: .random(using: &random), label: .random(using: &random),
      propertyType: PropertyType.allCases.randomElement(using: &random)!,
      options: (0..<Int.random(in: 0...3, using: &random)).map { _ in .random(using: &random) },
      defaultValue: .sometimes(&random) { .random(depth: 2, using: &$0) },
      displayOrder: .random(in: -2...2, using: &random))
    if Int.random(in: 0..<4, using: &random) == 0 {
      definition.apply(UpdatePropertyDefinitionRequest(propertyType: "colour"))
    }
    return definition
  }
}
