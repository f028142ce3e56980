public import TrendyFoundation
public import TrendyModels
import TrendyProtocols

// MARK: Stored state
//
// The state as the unit of work reads it, including unsaved changes. These reads are not recorded and throw no
// injected errors.
extension MockDataStore {
  /// Events by id.
  public var storedEvents: [String: Event] { byId { try $0.fetchAllEvents() } }
  /// Event types by id.
  public var storedEventTypes: [String: EventType] { byId { try $0.fetchAllEventTypes() } }
  /// Places by id.
  public var storedGeofences: [String: Geofence] { byId { try $0.fetchAllGeofences() } }
  /// Property definitions by id.
  public var storedPropertyDefinitions: [String: PropertyDefinition] { byId { try $0.fetchAllPropertyDefinitions() } }

  /// Pending mutations in queue order.
  public var storedPendingMutations: [PendingMutation] { inMemory { try $0.fetchPendingMutations() } }
  /// Tombstones.
  public var storedTombstones: [Tombstone] { inMemory { try $0.fetchTombstones() } }
  /// Conflict journal.
  public var storedConflicts: [Conflict] { inMemory { try $0.fetchConflicts() } }
  /// Parked changes.
  public var storedParkedChanges: [ChangeEntry] { inMemory { try $0.fetchParkedChanges() } }
  /// Device identity.
  public var storedSyncIdentity: SyncIdentity? { inMemory { try $0.syncIdentity() } }

  /// Sync cursor. Assigning it saves immediately. With a cursor above 0, a sync engine reads the feed from there
  /// instead of requesting a snapshot.
  public var storedSyncCursor: Int64? {
    get { inMemory { try $0.syncCursor() } }
    set { seed { try $0.setSyncCursor(newValue) } }
  }

  private func byId<Row: Identifiable>(_ rows: (any DataStoreProtocol) throws -> [Row]) -> [String: Row]
  where Row.ID == String {
    Dictionary(uniqueKeysWithValues: inMemory(rows).map { ($0.id, $0) })
  }
}

// MARK: Seeding
//
// A seed method creates a row, saves it immediately together with all unsaved changes of the unit, and returns the row.
// The call is not recorded and throws no injected errors. Ids default to a reproducible UUIDv7.
extension MockDataStore {
  /// Seeds an event type named "Seeded".
  @discardableResult
  public func seedEventType(id: String? = nil, _ configure: (inout EventType) -> Void = { _ in }) -> EventType {
    let id = id ?? nextId()
    return seed { unit in
      try unit.upsertEventType(id: id) { type in
        type = EventType(id: id, name: "Seeded", colorHex: "#000000", iconName: "circle")
        configure(&type)
      }
    }
  }

  @discardableResult
  /// Seeds an event of a type.
  public func seedEvent(id: String? = nil, eventType: EventType, _ configure: (inout Event) -> Void = { _ in })
    -> Event
  {
    let id = id ?? nextId()
    return seed { unit in
      try unit.upsertEvent(id: id) { event in
        event = Event(id: id, eventTypeId: eventType.id, timestamp: self.clock.now)
        configure(&event)
      }
    }
  }

  @discardableResult
  /// Seeds a place named "Seeded" with a radius of 100 m.
  public func seedGeofence(id: String? = nil, _ configure: (inout Geofence) -> Void = { _ in }) -> Geofence {
    let id = id ?? nextId()
    return seed { unit in
      try unit.upsertGeofence(id: id) { geofence in
        geofence = Geofence(id: id, name: "Seeded", latitude: 0, longitude: 0, radius: 100)
        configure(&geofence)
      }
    }
  }

  @discardableResult
  /// Seeds a text property of a type.
  public func seedPropertyDefinition(
    id: String? = nil, eventType: EventType, _ configure: (inout PropertyDefinition) -> Void = { _ in }
  ) -> PropertyDefinition {
    let id = id ?? nextId()
    return seed { unit in
      try unit.upsertPropertyDefinition(id: id, eventTypeId: eventType.id) { definition in
        definition = PropertyDefinition(
          id: id, eventTypeId: eventType.id, key: "seeded", label: "Seeded", propertyType: .text)
        configure(&definition)
      }
    }
  }

  /// Seeds a pending mutation. The payload is the JSON of the request, empty for a delete. `configure` sets other
  /// fields.
  @discardableResult
  public func seedPendingMutation(
    id: String? = nil, entityType: MutationEntityType, entityId: String, operation: MutationOperation,
    payload: Data? = nil, _ configure: (inout PendingMutation) -> Void = { _ in }
  ) -> PendingMutation {
    var mutation = PendingMutation(
      id: id ?? nextId(), entityType: entityType, entityId: entityId, operation: operation,
      payload: payload ?? Data(), createdAt: clock.now)
    configure(&mutation)
    seed { try $0.insertPendingMutation(mutation) }
    return mutation
  }

  @discardableResult
  /// Seeds a tombstone.
  public func seedTombstone(entityType: MutationEntityType, entityId: String, version: Int64? = nil) -> Tombstone {
    let tombstone = Tombstone(entityType: entityType, entityId: entityId, version: version)
    seed { try $0.insertTombstone(tombstone) }
    return tombstone
  }

  @discardableResult
  /// Seeds a conflict.
  public func seedConflict(
    id: String? = nil, entityType: MutationEntityType, entityId: String, operation: MutationOperation,
    payload: Data? = nil, reason: String = "Seeded"
  ) -> Conflict {
    let conflict = Conflict(
      id: id ?? nextId(), entityType: entityType, entityId: entityId, operation: operation,
      payload: payload ?? Data(), reason: reason, recordedAt: clock.now)
    seed { try $0.insertConflict(conflict) }
    return conflict
  }
}

extension MockDataStore {
  @discardableResult
  private func seed<Value>(_ change: (any DataStoreProtocol) throws -> Value) -> Value {
    inMemory { unit in
      let value = try change(unit)
      try unit.save()
      return value
    }
  }

  private func inMemory<Value>(_ body: (any DataStoreProtocol) throws -> Value) -> Value {
    do {
      return try body(unit)
    } catch {
      preconditionFailure("an in-memory store with a single unit failed: \(error)")
    }
  }
}
