import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Storage operations for the entities of one kind.
protocol StoredEntity: SyncedEntity {
  static func find(id: String, in store: any DataStoreProtocol) throws -> Self?
  static func fetchAll(in store: any DataStoreProtocol) throws -> [Self]
  /// Calls `body` for every row. Kinds with many rows are read in batches.
  static func forEach(in store: any DataStoreProtocol, _ body: (Self) throws -> Void) throws
  static func write(_ entity: Self, in store: any DataStoreProtocol) throws
  static func delete(id: String, in store: any DataStoreProtocol) throws
  static func markSynced(id: String, in store: any DataStoreProtocol) throws

  /// Event type on which the entity's visibility depends.
  var parentEventTypeId: String? { get }
  /// Returns the entity moved to the event type into which its own type was merged, or `nil` if it is deleted with its
  /// type.
  func moved(toEventType id: String) -> Self?

  /// Checks that all times of the entity can be written.
  /// - Throws: ``RecorderError/unwritableTime(_:id:)``.
  func checkTimes() throws
}

extension StoredEntity {
  static func forEach(in store: any DataStoreProtocol, _ body: (Self) throws -> Void) throws {
    for row in try fetchAll(in: store) { try body(row) }
  }

  func checkTimes() {}

  func moved(toEventType id: String) -> Self? { nil }

  func writePending(in store: any DataStoreProtocol) throws {
    var entity = self
    entity.syncStatus = .pending
    try Self.write(entity, in: store)
  }
}

extension MutationEntityType {
  static let parentsFirst: [MutationEntityType] = SyncedKind.all.compactMap { MutationEntityType(rawValue: $0.name) }

  /// Whether entities of this kind are deleted together with their event type.
  var isChildOfEventType: Bool { SyncedKind.named(rawValue)?.parent != nil }
}

extension Event: StoredEntity {
  static func find(id: String, in store: any DataStoreProtocol) throws -> Event? { try store.findEvent(id: id) }
  static func fetchAll(in store: any DataStoreProtocol) throws -> [Event] { try store.fetchAllEvents() }
  static func forEach(in store: any DataStoreProtocol, _ body: (Event) throws -> Void) throws {
    let limit = 4096
    let earliest = Date(timeIntervalSinceReferenceDate: -.greatestFiniteMagnitude)
    var end: Date?
    while true {
      let events = try store.events(in: end.map { earliest..<$0 }, ofType: nil, limit: limit)
      guard events.count == limit, let last = events.last?.timestamp else {
        for event in events { try body(event) }
        return
      }
      for event in events where event.timestamp > last { try body(event) }
      // More events than the limit may have this timestamp, so all of them are read.
      let next = Date(timeIntervalSinceReferenceDate: last.timeIntervalSinceReferenceDate.nextUp)
      for event in try store.events(in: last..<next, ofType: nil, limit: nil) { try body(event) }
      end = last
    }
  }
  static func write(_ entity: Event, in store: any DataStoreProtocol) throws {
    try store.upsertEvent(entity)
  }
  static func delete(id: String, in store: any DataStoreProtocol) throws { try store.deleteEvent(id: id) }
  static func markSynced(id: String, in store: any DataStoreProtocol) throws { try store.markEventSynced(id: id) }
  var parentEventTypeId: String? { eventTypeId }

  func moved(toEventType id: String) -> Event? {
    var event = self
    event.eventTypeId = id
    return event
  }

  func checkTimes() throws {
    let dates = RFC3339.writableDates
    guard dates.contains(timestamp), endDate.map(dates.contains) ?? true else {
      throw RecorderError.unwritableTime(.event, id: id)
    }
  }
}

extension EventType: StoredEntity {
  static func find(id: String, in store: any DataStoreProtocol) throws -> EventType? { try store.findEventType(id: id) }
  static func fetchAll(in store: any DataStoreProtocol) throws -> [EventType] { try store.fetchAllEventTypes() }
  static func write(_ entity: EventType, in store: any DataStoreProtocol) throws {
    try store.upsertEventType(id: entity.id) { $0 = entity }
  }
  static func delete(id: String, in store: any DataStoreProtocol) throws { try store.deleteEventType(id: id) }
  static func markSynced(id: String, in store: any DataStoreProtocol) throws { try store.markEventTypeSynced(id: id) }
  var parentEventTypeId: String? { nil }
}

extension Geofence: StoredEntity {
  static func find(id: String, in store: any DataStoreProtocol) throws -> Geofence? { try store.findGeofence(id: id) }
  static func fetchAll(in store: any DataStoreProtocol) throws -> [Geofence] { try store.fetchAllGeofences() }
  static func write(_ entity: Geofence, in store: any DataStoreProtocol) throws {
    try store.upsertGeofence(id: entity.id) { $0 = entity }
  }
  static func delete(id: String, in store: any DataStoreProtocol) throws { try store.deleteGeofence(id: id) }
  static func markSynced(id: String, in store: any DataStoreProtocol) throws { try store.markGeofenceSynced(id: id) }
  // A place remains usable without the event types that its crossings record, so it has no parent.
  var parentEventTypeId: String? { nil }
}

extension PropertyDefinition: StoredEntity {
  static func find(id: String, in store: any DataStoreProtocol) throws -> PropertyDefinition? {
    try store.findPropertyDefinition(id: id)
  }
  static func fetchAll(in store: any DataStoreProtocol) throws -> [PropertyDefinition] {
    try store.fetchAllPropertyDefinitions()
  }
  static func write(_ entity: PropertyDefinition, in store: any DataStoreProtocol) throws {
    try store.upsertPropertyDefinition(id: entity.id, eventTypeId: entity.eventTypeId) { $0 = entity }
  }
  static func delete(id: String, in store: any DataStoreProtocol) throws { try store.deletePropertyDefinition(id: id) }
  static func markSynced(id: String, in store: any DataStoreProtocol) throws {
    try store.markPropertyDefinitionSynced(id: id)
  }
  var parentEventTypeId: String? { eventTypeId }
}

extension DataStoreProtocol {
  func hasPendingMutation(of key: EntityKey) throws -> Bool {
    for operation in MutationOperation.allCases
    where try hasPendingMutation(entityId: key.entityId, entityType: key.entityType, operation: operation) {
      return true
    }
    return false
  }

  func tombstone(of key: EntityKey) throws -> Tombstone? {
    try findTombstone(entityType: key.entityType, entityId: key.entityId)
  }
}
