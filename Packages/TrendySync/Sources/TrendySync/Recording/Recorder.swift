public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Records the user's edits in any process, without an engine. Each edit saves the entity and its mutation together.
///
/// When a call returns, its changes are durable. When a call throws, nothing has changed. The error comes from the
/// store or the caller's closure, or is a ``RecorderError``. An edit queues only the fields that differ, and is
/// coalesced with unsent mutations of the entity.
public struct Recorder: Sendable {
  private let dataStoreFactory: any DataStoreFactory
  private let clock: any TimeSource
  private let random: RandomSource

  /// Creates a recorder that derives ids from the system's random numbers.
  public init(dataStoreFactory: any DataStoreFactory, clock: any TimeSource = SystemTime()) {
    self.init(dataStoreFactory: dataStoreFactory, clock: clock, generator: BufferedSystemGenerator())
  }

  /// Creates a recorder that derives ids from a given generator, for reproducible tests.
  public init(
    dataStoreFactory: any DataStoreFactory, clock: any TimeSource = SystemTime(),
    generator: some RandomNumberGenerator & Sendable
  ) {
    self.dataStoreFactory = dataStoreFactory
    self.clock = clock
    random = RandomSource(generator)
  }

  /// Returns a new version 7 UUID, greater than all previous ids of this recorder.
  public func makeID() -> String { random.identifier(at: clock.now) }
}

// MARK: Record

extension Recorder {
  /// Records an event: creates it, or edits the stored event with the same id.
  ///
  /// An imported event that is already stored, or that was deleted on this device, is skipped. With `fillingDefaults`,
  /// properties without a value get the default from their definition.
  /// - Returns: Whether anything was recorded.
  @discardableResult
  public func record(_ event: Event, fillingDefaults: Bool = false) throws -> Bool {
    try write { writer in
      var event = event
      if fillingDefaults { event.fillDefaults(from: try writer.store.fetchAllPropertyDefinitions()) }
      return try writer.record(event)
    }
  }

  /// Creates an event of a type, at the given date or now. Properties without a value get the default from their
  /// definition.
  /// - Returns: The recorded event.
  @discardableResult
  public func log(
    _ type: EventType, at date: Date? = nil, until endDate: Date? = nil, notes: String? = nil,
    properties: [String: PropertyValue] = [:]
  ) throws -> Event {
    let now = clock.now
    let event = Event(
      id: random.identifier(at: now), of: type, at: date ?? now, until: endDate, notes: notes, properties: properties)
    return try write { writer in
      var event = event
      event.fillDefaults(from: try writer.store.fetchAllPropertyDefinitions())
      _ = try writer.record(event)
      return event
    }
  }

  /// Records an event type: creates it, or edits the stored type with the same id.
  /// - Returns: Whether anything was recorded.
  @discardableResult
  public func record(_ eventType: EventType) throws -> Bool { try inOneSave { try $0.record(eventType) } }

  /// Records a place: creates it, or edits the stored place with the same id.
  /// - Returns: Whether anything was recorded.
  @discardableResult
  public func record(_ geofence: Geofence) throws -> Bool { try inOneSave { try $0.record(geofence) } }

  /// Records a property definition: creates it, or edits the stored definition with the same id.
  /// - Returns: Whether anything was recorded.
  @discardableResult
  public func record(_ definition: PropertyDefinition) throws -> Bool { try inOneSave { try $0.record(definition) } }

  /// Records an entity of a kind without its own Swift type, such as a vehicle.
  /// - Throws: ``RecorderError/hasItsOwnType(_:)`` for an event, event type, place or property definition.
  @discardableResult
  public func record(_ record: SyncedRecord) throws -> Bool {
    try inOneSave { try $0.record(record) }
  }

  /// Records events in one save, all or none.
  /// - Returns: Number of recorded events.
  @discardableResult
  public func record(_ events: [Event]) throws -> Int {
    try inOneSave { changes in try events.reduce(0) { try $0 + (changes.record($1) ? 1 : 0) } }
  }
}

// MARK: Edit

extension Recorder {
  /// Changes a stored event.
  /// - Returns: The changed event.
  /// - Throws: ``RecorderError/notHeld(_:id:)`` if the event is not stored.
  @discardableResult
  public func edit(eventId: String, _ change: (inout Event) throws -> Void) throws -> Event {
    try inOneSave { try $0.edit(eventId: eventId, change) }
  }

  /// Changes a stored event type.
  /// - Returns: The changed event type.
  /// - Throws: ``RecorderError/notHeld(_:id:)`` if the event type is not stored.
  @discardableResult
  public func edit(eventTypeId: String, _ change: (inout EventType) throws -> Void) throws -> EventType {
    try inOneSave { try $0.edit(eventTypeId: eventTypeId, change) }
  }

  /// Changes a stored place.
  /// - Returns: The changed place.
  /// - Throws: ``RecorderError/notHeld(_:id:)`` if the place is not stored.
  @discardableResult
  public func edit(geofenceId: String, _ change: (inout Geofence) throws -> Void) throws -> Geofence {
    try inOneSave { try $0.edit(geofenceId: geofenceId, change) }
  }

  /// Changes a stored property definition. A change to `eventTypeId` is ignored.
  /// - Returns: The changed definition.
  /// - Throws: ``RecorderError/notHeld(_:id:)`` if the definition is not stored.
  @discardableResult
  public func edit(
    propertyDefinitionId: String, _ change: (inout PropertyDefinition) throws -> Void
  ) throws -> PropertyDefinition {
    try inOneSave { try $0.edit(propertyDefinitionId: propertyDefinitionId, change) }
  }
}

extension Recorder {
  /// Changes a stored entity of a kind without its own Swift type.
  /// - Returns: The changed entity.
  /// - Throws: ``RecorderError/notHeld(_:id:)``, or ``RecorderError/hasItsOwnType(_:)`` for another kind.
  @discardableResult
  public func edit(
    _ kind: MutationEntityType, id: String, _ change: (inout SyncedRecord) throws -> Void
  ) throws -> SyncedRecord {
    try inOneSave { try $0.edit(kind, id: id, change) }
  }

  /// Deletes an entity of any kind.
  /// - Returns: Whether there was anything to delete.
  @discardableResult
  public func delete(_ kind: MutationEntityType, id: String) throws -> Bool {
    try inOneSave { try $0.delete(kind, id: id) }
  }
}

// MARK: Delete

extension Recorder {
  /// Deletes an event. A delayed feed entry cannot recreate it.
  /// - Returns: Whether there was anything to delete.
  @discardableResult
  public func delete(eventId: String) throws -> Bool { try inOneSave { try $0.delete(eventId: eventId) } }

  /// Deletes an event type, its events and its property definitions. Delayed feed entries cannot recreate them.
  /// - Returns: Whether there was anything to delete.
  @discardableResult
  public func delete(eventTypeId: String) throws -> Bool {
    try inOneSave { try $0.delete(eventTypeId: eventTypeId) }
  }

  /// Deletes a place. A delayed feed entry cannot recreate it.
  /// - Returns: Whether there was anything to delete.
  @discardableResult
  public func delete(geofenceId: String) throws -> Bool { try inOneSave { try $0.delete(geofenceId: geofenceId) } }

  /// Deletes a property definition. A delayed feed entry cannot recreate it.
  /// - Returns: Whether there was anything to delete.
  @discardableResult
  public func delete(propertyDefinitionId: String) throws -> Bool {
    try inOneSave { try $0.delete(propertyDefinitionId: propertyDefinitionId) }
  }
}

// MARK: Restore

extension Recorder {
  /// Restores a deleted event with its last values, on every device.
  ///
  /// A deletion that was never sent is cancelled instead. `eventTypeId` assigns an event type. By default the event
  /// keeps its own type.
  /// - Returns: Whether the event was deleted and has been restored.
  /// - Throws: ``RecorderError`` if the event's values are unknown on this device, the hub has not answered its
  ///   deletion, or its type has been deleted.
  @discardableResult
  public func restore(eventId: String, to eventTypeId: String? = nil) throws -> Bool {
    try write { try $0.restore(Event.self, id: eventId, under: eventTypeId) }
  }

  /// Restores a deleted entity of any kind. The children of an event type stay deleted and must be restored separately.
  /// - Returns: Whether the entity was deleted and has been restored.
  @discardableResult
  public func restore(_ kind: MutationEntityType, id: String) throws -> Bool {
    try inOneSave { try $0.restore(kind, id: id) }
  }
}

extension Recorder {
  /// Applies a prepared payload to an entity and queues the mutation.
  ///
  /// The payload is the JSON of a `Create…Request` or `Update…Request`. It is empty for a delete.
  /// - Throws: `APIError.decodingError` with the name of the invalid field.
  public func queueMutation(
    entityType: MutationEntityType, operation: MutationOperation, entityId: String, payload: Data
  ) throws {
    try write { writer in
      func queue<Entity: StoredEntity>(_ type: Entity.Type) throws {
        try writer.queue(type, operation: operation, id: entityId, payload: payload)
      }
      try queue(entityType.stored)
    }
  }

  func read<Result>(_ body: (any DataStoreProtocol) throws -> Result) throws -> Result {
    try body(dataStoreFactory.makeDataStore())
  }

  func write<Result>(_ body: (EditWriter) throws -> Result) throws -> Result {
    let store = dataStoreFactory.makeDataStore()
    do {
      let writer = EditWriter(store: store, clock: clock, random: random)
      let result = try body(writer)
      try writer.finish()
      try store.save()
      return result
    } catch {
      store.rollback()
      throw error
    }
  }
}
