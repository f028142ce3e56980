import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// How a kind lies in the store. With ``TrendyModels/SyncedEntity`` this is all that is said of a kind: the rest is generic.
protocol StoredEntity: SyncedEntity {
  static func find(id: String, in store: any DataStoreProtocol) throws -> Self?
  static func fetchAll(in store: any DataStoreProtocol) throws -> [Self]
  /// Hands over every row. Of a kind with many, not all are there at once.
  static func forEach(in store: any DataStoreProtocol, _ body: (Self) throws -> Void) throws
  static func write(_ entity: Self, in store: any DataStoreProtocol) throws
  static func delete(id: String, in store: any DataStoreProtocol) throws
  static func markSynced(id: String, in store: any DataStoreProtocol) throws

  /// The event type without which it is not shown.
  var parentEventTypeId: String? { get }
  /// The same entity under the event type that its own was merged into; `nil` for one that does not outlive its type.
  func moved(toEventType id: String) -> Self?

  /// - Throws: ``RecorderError/unwritableTime(_:id:)``.
  func checkTimes() throws
}

extension StoredEntity {
  static func forEach(in store: any DataStoreProtocol, _ body: (Self) throws -> Void) throws {
    for row in try fetchAll(in: store) { try body(row) }
  }

  func checkTimes() {}

  func moved(toEventType id: String) -> Self? { nil }

  /// Makes it the row, as one with changes that no hub has taken.
  func writePending(in store: any DataStoreProtocol) throws {
    var entity = self
    entity.syncStatus = .pending
    try Self.write(entity, in: store)
  }
}

extension MutationEntityType {
  /// All kinds, what others refer to first.
  static let parentsFirst: [MutationEntityType] = SyncedKind.all.compactMap { MutationEntityType(rawValue: $0.name) }

  /// Whether an event type takes rows of this kind along when it is deleted.
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
      // Of the last moment there may be more than were asked for.
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
  // The types that a crossing records are a wish, not a parent: the circle stands without them.
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
  /// Whether anything waits to be sent, or was sent and not answered, for the entity.
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
