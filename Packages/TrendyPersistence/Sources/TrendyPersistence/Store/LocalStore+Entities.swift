import TrendyFoundation
public import TrendyModels
import TrendyProtocols

extension LocalStore {
  // MARK: Upsert

  @discardableResult
  public func upsertEvent(id: String, configure: (inout Event) throws -> Void) throws -> Event {
    let new = { (key: RowKey) in
      Event(
        identifier: key.isHash ? CompactIdentifier(id) : CompactIdentifier(high: key.high, low: key.low),
        eventTypeId: "", timestamp: Date(timeIntervalSinceReferenceDate: 0))
    }
    return try upsert(id, making: new, configure: configure)
  }

  public func upsertEvent(_ event: Event) throws {
    guard (1...128).contains(event.identifier.utf8Count) else { throw StorageError.invalidIdentifier(event.id) }
    try put(event)
  }

  @discardableResult
  public func upsertEventType(id: String, configure: (inout EventType) throws -> Void) throws -> EventType {
    try upsert(id, making: { _ in EventType(id: id, name: "", colorHex: "", iconName: "") }, configure: configure)
  }

  @discardableResult
  public func upsertGeofence(id: String, configure: (inout Geofence) throws -> Void) throws -> Geofence {
    try upsert(id, making: { _ in Geofence(id: id, name: "", latitude: 0, longitude: 0) }, configure: configure)
  }

  @discardableResult
  public func upsertPropertyDefinition(
    id: String, eventTypeId: String, configure: (inout PropertyDefinition) throws -> Void
  ) throws -> PropertyDefinition {
    let new = { (_: RowKey) in
      PropertyDefinition(id: id, eventTypeId: eventTypeId, key: "", label: "", propertyType: .text)
    }
    return try upsert(id, making: new, configure: configure)
  }

  // MARK: Delete

  public func deleteEvent(id: String) throws { try remove(RowKind.event, id) }

  public func deleteEventType(id: String) throws {
    try removeAll(RowKind.event, ofType: id)
    try removeAll(RowKind.propertyDefinition, ofType: id)
    try remove(RowKind.eventType, id)
  }

  public func deleteGeofence(id: String) throws { try remove(RowKind.geofence, id) }
  public func deletePropertyDefinition(id: String) throws { try remove(RowKind.propertyDefinition, id) }

  public func deleteAllEvents() throws { try removeAll(RowKind.event) }

  public func deleteAllEventTypes() throws {
    try removeAll(RowKind.event)
    try removeAll(RowKind.propertyDefinition)
    try removeAll(RowKind.eventType)
  }

  public func deleteAllGeofences() throws { try removeAll(RowKind.geofence) }
  public func deleteAllPropertyDefinitions() throws { try removeAll(RowKind.propertyDefinition) }

  // MARK: Find

  public func findEvent(id: String) throws -> Event? { try find(Event.self, id) }
  public func findEventType(id: String) throws -> EventType? { try find(EventType.self, id) }
  public func findGeofence(id: String) throws -> Geofence? { try find(Geofence.self, id) }
  public func findPropertyDefinition(id: String) throws -> PropertyDefinition? { try find(PropertyDefinition.self, id) }

  public func fetchAllEvents() throws -> [Event] { try events(in: nil, ofType: nil, limit: nil) }

  public func fetchAllEventTypes() throws -> [EventType] {
    try fetchAll(EventType.self).sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  public func fetchAllGeofences() throws -> [Geofence] {
    try fetchAll(Geofence.self).sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  public func fetchAllPropertyDefinitions() throws -> [PropertyDefinition] {
    Dictionary(grouping: try fetchAll(PropertyDefinition.self), by: \.eventTypeId).sorted { $0.key < $1.key }
      .flatMap { $0.value.inOrder }
  }

  // MARK: Sync status

  public func markEventSynced(id: String) throws { try mark(Event.self, id) { $0.syncStatus = .synced } }
  public func markEventTypeSynced(id: String) throws { try mark(EventType.self, id) { $0.syncStatus = .synced } }
  public func markGeofenceSynced(id: String) throws { try mark(Geofence.self, id) { $0.syncStatus = .synced } }

  public func markPropertyDefinitionSynced(id: String) throws {
    try mark(PropertyDefinition.self, id) { $0.syncStatus = .synced }
  }

  private func mark<Value: StoredRow>(
    _ type: Value.Type, _ identifier: String, _ change: (inout Value) -> Void
  ) throws(StorageError) {
    guard var row = try findForChange(type, identifier) else { return }
    change(&row)
    try put(row)
  }
}
