import TrendyFoundation
import TrendyModels
import TrendyProtocols

extension DataStoreContract {
  /// Requirements for operations on single rows.
  static let rowClauses: [Clause] = [
    Clause("finding a missing row returns nil") { makeUnit in
      let unit = try makeUnit()
      try require("an event", unit.findEvent(id: "none"), nil)
      try require("an event type", unit.findEventType(id: "none"), nil)
      try require("a geofence", unit.findGeofence(id: "none"), nil)
      try require("a property definition", unit.findPropertyDefinition(id: "none"), nil)
      try require("all events", unit.fetchAllEvents(), [])
      try require("all event types", unit.fetchAllEventTypes(), [])
      try require("all geofences", unit.fetchAllGeofences(), [])
      try require("all property definitions", unit.fetchAllPropertyDefinitions(), [])
    },
    Clause("a save stores every field of every kind, for its own unit and others") { makeUnit in
      let unit = try makeUnit()
      try unit.upsertEventType(id: Rows.type.id) { $0 = Rows.type }
      try unit.upsertEvent(id: Rows.event.id) { $0 = Rows.event }
      try unit.upsertGeofence(id: Rows.geofence.id) { $0 = Rows.geofence }
      try unit.upsertPropertyDefinition(id: Rows.definition.id, eventTypeId: Rows.type.id) { $0 = Rows.definition }
      for state in ["unsaved", "saved"] {
        try require("the event, \(state)", unit.findEvent(id: Rows.event.id), Rows.event)
        try require("the event type, \(state)", unit.findEventType(id: Rows.type.id), Rows.type)
        try require("the geofence, \(state)", unit.findGeofence(id: Rows.geofence.id), Rows.geofence)
        try require("the definition, \(state)", unit.findPropertyDefinition(id: Rows.definition.id), Rows.definition)
        try unit.save()
      }
      let other = try makeUnit()
      try require("the event in another unit", other.findEvent(id: Rows.event.id), Rows.event)
      try require("the event type in another unit", other.findEventType(id: Rows.type.id), Rows.type)
      try require("the geofence in another unit", other.findGeofence(id: Rows.geofence.id), Rows.geofence)
      try require(
        "the definition in another unit", other.findPropertyDefinition(id: Rows.definition.id), Rows.definition)
    },
    Clause("a cleared field stays cleared") { makeUnit in
      let unit = try makeUnit()
      try unit.upsertEvent(id: Rows.event.id) { $0 = Rows.event }
      try unit.save()
      let bare = Event(id: Rows.event.id, eventTypeId: Rows.type.id, timestamp: Rows.date)
      try unit.upsertEvent(id: Rows.event.id) { $0 = bare }
      try unit.save()
      try require("the event", makeUnit().findEvent(id: Rows.event.id), bare)
    },
    Clause("any text of 1 to 128 bytes is a distinct id") { makeUnit in
      let unit = try makeUnit()
      let ids = [
        "a", "A", "type-1", "café", "🏃", " ", "0", String(repeating: "x", count: 128),
        String(repeating: "x", count: 127), "0190163d-8694-739b-aea5-966c26f8ad91",
        "0190163D-8694-739B-AEA5-966C26F8AD91", "0190163d-8694-739b-aea5-966c26f8ad90",
      ]
      for (place, id) in ids.enumerated() { try unit.upsertGeofence(id: id) { $0.name = "\(place)" } }
      try unit.save()
      let other = try makeUnit()
      for (place, id) in ids.enumerated() {
        try require("the row of the id \(id.debugDescription)", other.findGeofence(id: id)?.name, "\(place)")
      }
      try require("how many there are", other.fetchAllGeofences().count, ids.count)
    },
    Clause("an upsert creates a pending row and returns it") { makeUnit in
      let unit = try makeUnit()
      let type = try unit.upsertEventType(id: "type-1") { $0.name = "Run" }
      try require("the returned id", type.id, "type-1")
      try require("the returned name", type.name, "Run")
      try require("its status", type.syncStatus, .pending)
      try require("what is found", unit.findEventType(id: "type-1"), type)
      let event = try unit.upsertEvent(id: "evt-1") { $0.eventTypeId = "type-1" }
      try require("an event's status", event.syncStatus, .pending)
      try require("an event's date", event.timestamp, Date(timeIntervalSinceReferenceDate: 0))
      try require("a geofence's status", unit.upsertGeofence(id: "geo-1") { _ in }.syncStatus, .pending)
      let definition = try unit.upsertPropertyDefinition(id: "def-1", eventTypeId: "type-1") { _ in }
      try require("a definition's status", definition.syncStatus, .pending)
      try require("a definition's event type", definition.eventTypeId, "type-1")
    },
    Clause("an upsert of an existing row changes only the configured fields") { makeUnit in
      let unit = try makeUnit()
      try unit.upsertEvent(id: Rows.event.id) { $0 = Rows.event }
      try unit.save()
      try unit.upsertEvent(id: Rows.event.id) { $0.notes = "other" }
      var expected = Rows.event
      expected.notes = "other"
      try require("the event", unit.findEvent(id: Rows.event.id), expected)
      try require("how many there are", unit.fetchAllEvents().count, 1)
    },
    Clause("an upsert does not change the event type of a property definition") { makeUnit in
      let unit = try makeUnit()
      for id in ["type-1", "type-2"] { try unit.upsertEventType(id: id) { $0.name = id } }
      try unit.upsertPropertyDefinition(id: "def-1", eventTypeId: "type-1") { $0.key = "k" }
      let again = try unit.upsertPropertyDefinition(id: "def-1", eventTypeId: "type-2") { $0.key = "l" }
      try require("its event type", again.eventTypeId, "type-1")
    },
    Clause("a configure that throws leaves the row unchanged") { makeUnit in
      let unit = try makeUnit()
      let error = TestError("from configure")
      try unit.upsertEvent(id: Rows.event.id) { $0 = Rows.event }
      for id in [Rows.event.id, "new"] {
        try requireThrow("an upsert whose configure throws", error) {
          try unit.upsertEvent(id: id) {
            $0.notes = "half"
            throw error
          }
        }
      }
      try require("the event that was there", unit.findEvent(id: Rows.event.id), Rows.event)
      try require("the event that was not", unit.findEvent(id: "new"), nil)
      try unit.save()
      try require("all events after a save", unit.fetchAllEvents(), [Rows.event])
    },
    Clause("a deletion is visible in its unit immediately, and the row can be created again") { makeUnit in
      let unit = try makeUnit()
      try unit.upsertGeofence(id: Rows.geofence.id) { $0 = Rows.geofence }
      try unit.save()
      try unit.deleteGeofence(id: Rows.geofence.id)
      try require("the deleted geofence", unit.findGeofence(id: Rows.geofence.id), nil)
      try unit.save()
      try require("all geofences of another unit", makeUnit().fetchAllGeofences(), [])
      let again = try unit.upsertGeofence(id: Rows.geofence.id) { $0.name = "again" }
      try require("what the old one had", again.eventTypeEntryId, nil)
      try unit.save()
      try require("all geofences", makeUnit().fetchAllGeofences(), [again])
    },
    Clause("deleting or marking a missing row has no effect") { makeUnit in
      let unit = try makeUnit()
      try unit.deleteEvent(id: "none")
      try unit.deleteEventType(id: "none")
      try unit.deleteGeofence(id: "none")
      try unit.deletePropertyDefinition(id: "none")
      try unit.markEventSynced(id: "none")
      try unit.markEventTypeSynced(id: "none")
      try unit.markGeofenceSynced(id: "none")
      try unit.markPropertyDefinitionSynced(id: "none")
      try unit.deletePendingMutation(Rows.mutation("none"))
      try unit.deleteTombstone(Tombstone(entityType: .event, entityId: "none"))
      try unit.deleteConflict(Rows.conflict("none"))
      try unit.deleteParkedChange(ChangeEntry(id: 1, entityType: "event", operation: "create", entityId: "none"))
      try unit.save()
      try require("all events", unit.fetchAllEvents(), [])
      try require("all event types", unit.fetchAllEventTypes(), [])
      try require("all geofences", unit.fetchAllGeofences(), [])
      try require("all property definitions", unit.fetchAllPropertyDefinitions(), [])
    },
    Clause("deleting an event type deletes its events and definitions only") { makeUnit in
      let unit = try makeUnit()
      for type in ["type-1", "type-2"] {
        try unit.upsertEventType(id: type) { $0.name = type }
        for number in 1...3 {
          try unit.upsertEvent(id: "\(type)-evt-\(number)") { $0.eventTypeId = type }
          try unit.upsertPropertyDefinition(id: "\(type)-def-\(number)", eventTypeId: type) { $0.key = "k" }
        }
      }
      try unit.save()
      // An unsaved event is deleted as well, but an event that was moved to another type is kept.
      try unit.upsertEvent(id: "late") { $0.eventTypeId = "type-1" }
      try unit.upsertEvent(id: "type-1-evt-3") { $0.eventTypeId = "type-2" }
      try unit.deleteEventType(id: "type-1")
      let expected = ["type-1-evt-3", "type-2-evt-1", "type-2-evt-2", "type-2-evt-3"]
      for state in ["unsaved", "saved"] {
        try require("the events, \(state)", unit.fetchAllEvents().map(\.id).sorted(), expected)
        try require("the types, \(state)", unit.fetchAllEventTypes().map(\.id), ["type-2"])
        try require(
          "the definitions, \(state)", unit.fetchAllPropertyDefinitions().map(\.id),
          ["type-2-def-1", "type-2-def-2", "type-2-def-3"])
        try unit.save()
      }
      try require("the events of another unit", makeUnit().fetchAllEvents().map(\.id).sorted(), expected)
    },
    Clause("deleting all rows of a kind affects only the children of event types") { makeUnit in
      let unit = try makeUnit()
      func fill() throws {
        try unit.upsertEventType(id: Rows.type.id) { $0 = Rows.type }
        try unit.upsertEvent(id: Rows.event.id) { $0 = Rows.event }
        try unit.upsertGeofence(id: Rows.geofence.id) { $0 = Rows.geofence }
        try unit.upsertPropertyDefinition(id: Rows.definition.id, eventTypeId: Rows.type.id) { $0 = Rows.definition }
        try unit.save()
        // Another unsaved row of each kind.
        try unit.upsertEventType(id: "unsaved") { $0.name = "unsaved" }
        try unit.upsertEvent(id: "unsaved") { $0.eventTypeId = "unsaved" }
        try unit.upsertGeofence(id: "unsaved") { $0.name = "unsaved" }
        try unit.upsertPropertyDefinition(id: "unsaved", eventTypeId: "unsaved") { $0.key = "unsaved" }
      }
      try fill()
      try require("types, events, geofences and definitions at first", counts(unit), [2, 2, 2, 2])
      try unit.deleteAllEvents()
      try require("all but events", counts(unit), [2, 0, 2, 2])
      try unit.deleteAllGeofences()
      try require("types and definitions", counts(unit), [2, 0, 0, 2])
      try unit.deleteAllPropertyDefinitions()
      try require("types", counts(unit), [2, 0, 0, 0])
      try fill()
      try unit.deleteAllEventTypes()
      try require("geofences", counts(unit), [0, 0, 2, 0])
      try unit.save()
      try require("geofences, saved", makeUnit().fetchAllGeofences().count, 2)
      try require("events, saved", makeUnit().fetchAllEvents(), [])
    },
    Clause("marking a row synced changes only its status") { makeUnit in
      let unit = try makeUnit()
      var (event, type, geofence, definition) = (Rows.event, Rows.type, Rows.geofence, Rows.definition)
      event.syncStatus = .pending
      type.syncStatus = .failed
      geofence.syncStatus = .pending
      definition.syncStatus = .failed
      try unit.upsertEventType(id: type.id) { $0 = type }
      try unit.upsertEvent(event)
      try unit.upsertGeofence(id: geofence.id) { $0 = geofence }
      try unit.upsertPropertyDefinition(id: definition.id, eventTypeId: type.id) { $0 = definition }
      try unit.save()
      try unit.markEventSynced(id: event.id)
      try unit.markEventTypeSynced(id: type.id)
      try unit.markGeofenceSynced(id: geofence.id)
      try unit.markPropertyDefinitionSynced(id: definition.id)
      try unit.save()
      event.syncStatus = .synced
      type.syncStatus = .synced
      geofence.syncStatus = .synced
      definition.syncStatus = .synced
      let other = try makeUnit()
      try require("the event", other.findEvent(id: event.id), event)
      try require("the event type", other.findEventType(id: type.id), type)
      try require("the geofence", other.findGeofence(id: geofence.id), geofence)
      try require("the definition", other.findPropertyDefinition(id: definition.id), definition)
    },
  ]
}

extension DataStoreContract {
  /// Returns the numbers of types, events, geofences and definitions, in this order.
  private static func counts(_ unit: any DataStoreProtocol) throws -> [Int] {
    try [
      unit.fetchAllEventTypes().count, unit.fetchAllEvents().count, unit.fetchAllGeofences().count,
      unit.fetchAllPropertyDefinitions().count,
    ]
  }
}

/// Rows in which every field has a value other than its default.
enum Rows {
  static let date = DeterministicDate.make(year: 2024, month: 2, day: 29, hour: 12).addingTimeInterval(0.125)

  static let type = EventType(
    id: "type-1", name: "Ruń 🏃", colorHex: "#FF5733", iconName: "figure.run",
    goal: Goal(.atMost, 5400, .duration, per: .week), syncStatus: .failed,
    unknownFields: ["mood": ["a": [1, nil, true, 1.5]]])

  static let event = Event(
    id: "0190163d-8694-739b-aea5-966c26f8ad91", eventTypeId: type.id, timestamp: date,
    endDate: date.addingTimeInterval(90), isAllDay: true, notes: "line\n\"two\" \u{0} end", sourceType: .trip,
    externalId: "ext", originalTitle: "title", geofenceId: "geo-1", locationLatitude: -33.856_784_1,
    locationLongitude: 151.215_296_7, locationName: "Sydney", healthKitSampleId: "sample",
    healthKitCategory: "category", timeZone: "Australia/Sydney",
    properties: [
      "text": PropertyValueFixture.makeTextProperty(), "number": PropertyValueFixture.makeNumberProperty(value: 1.25),
      "boolean": PropertyValueFixture.makeBooleanProperty(value: false),
      "date": PropertyValueFixture.makeDateProperty(), "select": PropertyValueFixture.makeSelectProperty(),
      "duration": PropertyValueFixture.makeDurationProperty(), "url": PropertyValueFixture.makeURLProperty(),
      "email": PropertyValueFixture.makeEmailProperty(),
      "largest": PropertyValue(type: .number, value: .int(.max)),
    ],
    syncStatus: .synced, unknownFields: ["weather": "rain", "nothing": nil])

  static let geofence = Geofence(
    id: "geo-1", name: "Home", latitude: 51.927, longitude: 4.362, radius: 123.5, eventTypeEntryId: "type-1",
    eventTypeExitId: "type-2", isActive: false, notifyOnEntry: true, notifyOnExit: true, colorHex: "#4A7FC1",
    role: "office", syncStatus: .synced,
    unknownFields: ["shape": "circle"])

  static let definition = PropertyDefinition(
    id: "def-1", eventTypeId: type.id, key: "effort", label: "Effort", propertyType: .select,
    options: ["low", "", "high"], defaultValue: "low", displayOrder: -3, syncStatus: .failed,
    unknownFields: ["unit": "rpe"])

  static func mutation(
    _ id: String, entity: String = "evt-1", type: MutationEntityType = .event, operation: MutationOperation = .create,
    at date: Date = Rows.date
  ) -> PendingMutation {
    PendingMutation(
      id: id, entityType: type, entityId: entity, operation: operation, payload: Data(#"{"id":"evt-1"}"#.utf8),
      createdAt: date)
  }

  static func conflict(_ id: String, at date: Date = Rows.date) -> Conflict {
    Conflict(
      id: id, entityType: .geofence, entityId: "geo-1", operation: .update, payload: Data([0, 255, 123]),
      reason: "radius: too small", recordedAt: date)
  }
}
