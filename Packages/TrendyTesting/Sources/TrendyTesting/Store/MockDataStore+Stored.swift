public import TrendyFoundation
public import TrendyModels
import TrendyProtocols

// What the unit of work reads, unsaved changes included. Looking counts as no call and meets no injected error.
extension MockDataStore {
  public var storedEvents: [String: Event] { byId { try $0.fetchAllEvents() } }
  public var storedEventTypes: [String: EventType] { byId { try $0.fetchAllEventTypes() } }
  public var storedGeofences: [String: Geofence] { byId { try $0.fetchAllGeofences() } }
  public var storedPropertyDefinitions: [String: PropertyDefinition] { byId { try $0.fetchAllPropertyDefinitions() } }

  /// In the queue's order.
  public var storedPendingMutations: [PendingMutation] { inMemory { try $0.fetchPendingMutations() } }
  public var storedTombstones: [Tombstone] { inMemory { try $0.fetchTombstones() } }
  public var storedConflicts: [Conflict] { inMemory { try $0.fetchConflicts() } }
  public var storedParkedChanges: [ChangeEntry] { inMemory { try $0.fetchParkedChanges() } }
  public var storedSyncIdentity: SyncIdentity? { inMemory { try $0.syncIdentity() } }

  /// Setting it is a seed: saved at once. With a cursor above 0 an engine goes on from there and does not bootstrap.
  public var storedSyncCursor: Int64? {
    get { inMemory { try $0.syncCursor() } }
    set { seed { try $0.setSyncCursor(newValue) } }
  }

  private func byId<Row: Identifiable>(_ rows: (any DataStoreProtocol) throws -> [Row]) -> [String: Row]
  where Row.ID == String {
    Dictionary(uniqueKeysWithValues: inMemory(rows).map { ($0.id, $0) })
  }
}

// Rows that are there when the test begins. Each is saved at once, and whatever the unit has unsaved with it; counts as no
// call, meets no injected error, and is returned as it was made. Dates are those of the clock; an id that is not given is
// a UUIDv7, the same in every run.
extension MockDataStore {
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

  /// The payload is the JSON of the request; none for a delete. Whatever else a mutation has, `configure` sets.
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
  public func seedTombstone(entityType: MutationEntityType, entityId: String, version: Int64? = nil) -> Tombstone {
    let tombstone = Tombstone(entityType: entityType, entityId: entityId, version: version)
    seed { try $0.insertTombstone(tombstone) }
    return tombstone
  }

  @discardableResult
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
      preconditionFailure("a store in memory, of which this test holds the only unsaved unit, failed: \(error)")
    }
  }
}
