public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Records what a person does: the entity and the mutation that tells the hub, in one save, in any process, with no engine.
///
/// When a call returns, what it recorded is durable. When it throws, nothing was changed: it throws the store's error,
/// ``RecorderError``, or what the closure of an edit threw. An edit queues the fields that differ and no other; what waits and was
/// never sent takes later edits up.
public struct Recorder: Sendable {
  private let dataStoreFactory: any DataStoreFactory
  private let clock: any TimeSource
  private let chance: RandomSource

  /// One whose identifiers come from the system's random numbers.
  public init(dataStoreFactory: any DataStoreFactory, clock: any TimeSource = SystemTime()) {
    self.init(dataStoreFactory: dataStoreFactory, clock: clock, generator: BufferedSystemGenerator())
  }

  /// One whose identifiers come from a generator that is given, for tests that repeat.
  public init(
    dataStoreFactory: any DataStoreFactory, clock: any TimeSource = SystemTime(),
    generator: some RandomNumberGenerator & Sendable
  ) {
    self.dataStoreFactory = dataStoreFactory
    self.clock = clock
    chance = RandomSource(generator)
  }

  /// A new identifier: a UUID of version 7, above every one before it of this recorder.
  public func makeID() -> String { chance.identifier(at: clock.now) }
}

// MARK: Record

extension Recorder {
  /// Records an event. One whose id is held becomes an edit of it, but an import that is held, or was deleted here, changes nothing.
  /// With `fillingDefaults` properties without a value get the default of their definition.
  /// - Returns: whether anything was recorded.
  @discardableResult
  public func record(_ event: Event, fillingDefaults: Bool = false) throws -> Bool {
    try write { writer in
      var event = event
      if fillingDefaults { event.fillDefaults(from: try writer.store.fetchAllPropertyDefinitions()) }
      return try writer.record(event)
    }
  }

  /// Records something of a type as a person does, under an id of its own: now, unless a date is given. Properties without a value get
  /// the default of their definition.
  /// - Returns: the event as it was recorded.
  @discardableResult
  public func log(
    _ type: EventType, at date: Date? = nil, until endDate: Date? = nil, notes: String? = nil,
    properties: [String: PropertyValue] = [:]
  ) throws -> Event {
    let now = clock.now
    let event = Event(
      id: chance.identifier(at: now), of: type, at: date ?? now, until: endDate, notes: notes, properties: properties)
    return try write { writer in
      var event = event
      event.fillDefaults(from: try writer.store.fetchAllPropertyDefinitions())
      _ = try writer.record(event)
      return event
    }
  }

  /// Records an event type. One whose id is held becomes an edit of it.
  /// - Returns: whether anything was recorded.
  @discardableResult
  public func record(_ eventType: EventType) throws -> Bool { try inOneSave { try $0.record(eventType) } }

  /// Records a geofence. One whose id is held becomes an edit of it.
  /// - Returns: whether anything was recorded.
  @discardableResult
  public func record(_ geofence: Geofence) throws -> Bool { try inOneSave { try $0.record(geofence) } }

  /// Records a property definition. One whose id is held becomes an edit of it.
  /// - Returns: whether anything was recorded.
  @discardableResult
  public func record(_ definition: PropertyDefinition) throws -> Bool { try inOneSave { try $0.record(definition) } }

  /// Records an entity of a kind without a Swift type of its own, such as a vehicle.
  /// - Throws: ``RecorderError/hasItsOwnType(_:)`` for an event, an event type, a geofence or a property definition.
  @discardableResult
  public func record(_ record: SyncedRecord) throws -> Bool {
    try inOneSave { try $0.record(record) }
  }

  /// Records all in one save: all or none.
  /// - Returns: how many were recorded.
  @discardableResult
  public func record(_ events: [Event]) throws -> Int {
    try inOneSave { changes in try events.reduce(0) { try $0 + (changes.record($1) ? 1 : 0) } }
  }
}

// MARK: Edit

extension Recorder {
  /// Changes an event that is held.
  /// - Returns: the event as it is now.
  /// - Throws: ``RecorderError/notHeld(_:id:)``.
  @discardableResult
  public func edit(eventId: String, _ change: (inout Event) throws -> Void) throws -> Event {
    try inOneSave { try $0.edit(eventId: eventId, change) }
  }

  /// Changes an event type that is held.
  /// - Returns: the event type as it is now.
  /// - Throws: ``RecorderError/notHeld(_:id:)``.
  @discardableResult
  public func edit(eventTypeId: String, _ change: (inout EventType) throws -> Void) throws -> EventType {
    try inOneSave { try $0.edit(eventTypeId: eventTypeId, change) }
  }

  /// Changes a geofence that is held.
  /// - Returns: the geofence as it is now.
  /// - Throws: ``RecorderError/notHeld(_:id:)``.
  @discardableResult
  public func edit(geofenceId: String, _ change: (inout Geofence) throws -> Void) throws -> Geofence {
    try inOneSave { try $0.edit(geofenceId: geofenceId, change) }
  }

  /// Changes a property definition that is held. It stays with its event type: a change of `eventTypeId` is not carried
  /// out.
  /// - Returns: the definition as it is now.
  /// - Throws: ``RecorderError/notHeld(_:id:)``.
  @discardableResult
  public func edit(
    propertyDefinitionId: String, _ change: (inout PropertyDefinition) throws -> Void
  ) throws -> PropertyDefinition {
    try inOneSave { try $0.edit(propertyDefinitionId: propertyDefinitionId, change) }
  }
}

extension Recorder {
  /// As ``edit(eventId:_:)``, for a kind without a Swift type of its own.
  @discardableResult
  public func edit(
    _ kind: MutationEntityType, id: String, _ change: (inout SyncedRecord) throws -> Void
  ) throws -> SyncedRecord {
    try inOneSave { try $0.edit(kind, id: id, change) }
  }

  /// As ``delete(eventId:)``, for any kind.
  @discardableResult
  public func delete(_ kind: MutationEntityType, id: String) throws -> Bool {
    try inOneSave { try $0.delete(kind, id: id) }
  }
}

// MARK: Delete

extension Recorder {
  /// Deletes an event; the feed does not bring it back. What is not held is no error.
  /// - Returns: whether there was anything to delete.
  @discardableResult
  public func delete(eventId: String) throws -> Bool { try inOneSave { try $0.delete(eventId: eventId) } }

  /// Deletes an event type, its events and its property definitions; the feed does not bring them back.
  /// - Returns: whether there was anything to delete.
  @discardableResult
  public func delete(eventTypeId: String) throws -> Bool {
    try inOneSave { try $0.delete(eventTypeId: eventTypeId) }
  }

  /// Deletes a geofence; the feed does not bring it back. What is not held is no error.
  /// - Returns: whether there was anything to delete.
  @discardableResult
  public func delete(geofenceId: String) throws -> Bool { try inOneSave { try $0.delete(geofenceId: geofenceId) } }

  /// Deletes a property definition; the feed does not bring it back. What is not held is no error.
  /// - Returns: whether there was anything to delete.
  @discardableResult
  public func delete(propertyDefinitionId: String) throws -> Bool {
    try inOneSave { try $0.delete(propertyDefinitionId: propertyDefinitionId) }
  }
}

// MARK: Restore

extension Recorder {
  /// Gives a deleted event another life, with what it last said, on every device. Its deletion is undone as if it had never been
  /// where the hub has not heard of it.
  ///
  /// `eventTypeId` is the type to restore it to; its own unless given.
  /// - Returns: whether there was anything to restore: not where it lives.
  /// - Throws: ``RecorderError``: not held, its deletion under way, or its type deleted.
  @discardableResult
  public func restore(eventId: String, to eventTypeId: String? = nil) throws -> Bool {
    try write { try $0.restore(Event.self, id: eventId, under: eventTypeId) }
  }

  /// As ``restore(eventId:to:)``, for any kind. What went with an event type stays deleted: each is restored by itself.
  @discardableResult
  public func restore(_ kind: MutationEntityType, id: String) throws -> Bool {
    try inOneSave { try $0.restore(kind, id: id) }
  }
}

extension Recorder {
  /// Applies a ready payload, the JSON of a `Create…Request` or `Update…Request` and empty for a delete, to the entity, and queues
  /// it.
  /// - Throws: `APIError.decodingError` that names the field, where the payload cannot be read.
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
      let writer = EditWriter(store: store, clock: clock, chance: chance)
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
