public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

extension Recorder {
  /// Makes several changes in one save: on return all of them are durable, and if the call throws, none has been made.
  public func inOneSave<Result>(_ body: (RecorderChanges) throws -> Result) throws -> Result {
    try write { try body(RecorderChanges($0)) }
  }
}

/// Changes within ``Recorder/inOneSave(_:)``. Each method corresponds to the method of ``Recorder`` with the same name.
public struct RecorderChanges {
  private let writer: EditWriter
  private let isAsked: Bool
  private let undoesImport: Bool

  init(_ writer: EditWriter, isAsked: Bool = false, undoesImport: Bool = false) {
    self.writer = writer
    self.isAsked = isAsked
    self.undoesImport = undoesImport
  }

  /// Variant whose `record` also restores deleted imports, in a new incarnation.
  public var again: RecorderChanges { RecorderChanges(writer, isAsked: true) }

  /// Variant whose `delete` marks the deletion as the undo of an import. Importing the entity again, on any device,
  /// then restores it.
  public var undoingImport: RecorderChanges { RecorderChanges(writer, undoesImport: true) }

  /// The store, including the changes made so far.
  public var store: any DataStoreProtocol { writer.store }

  /// Blocks writers in all processes until the save, so that data read from now on cannot change before then.
  public func beginWriting() throws { try writer.beginWriting() }

  /// Records an event; see ``Recorder/record(_:fillingDefaults:)``.
  @discardableResult
  public func record(_ event: Event) throws -> Bool { try writer.record(event, isAsked: isAsked) }

  /// Records an event and returns its create request.
  /// - Returns: JSON of the `CreateEventRequest`, or `nil` if nothing was recorded.
  public func recordedPayload(of event: Event) throws -> Data? { try writer.recordedPayload(of: event) }

  /// Records an event whose id is known to be unused in the store.
  /// - Returns: JSON of the `CreateEventRequest`.
  public func recordNew(_ event: Event) throws -> Data { try writer.recordNew(event) }

  /// Records an event type: creates it, or edits the stored type with the same id.
  @discardableResult
  public func record(_ eventType: EventType) throws -> Bool { try writer.record(eventType, isAsked: isAsked) }

  /// Records a place: creates it, or edits the stored place with the same id.
  @discardableResult
  public func record(_ geofence: Geofence) throws -> Bool { try writer.record(geofence, isAsked: isAsked) }

  /// Records a property definition: creates it, or edits the stored definition with the same id.
  @discardableResult
  public func record(_ definition: PropertyDefinition) throws -> Bool {
    try writer.record(definition, isAsked: isAsked)
  }

  /// Records an entity of a kind without its own Swift type.
  /// - Throws: ``RecorderError/hasItsOwnType(_:)`` for another kind.
  @discardableResult
  public func record(_ record: SyncedRecord) throws -> Bool {
    func write<Entity: RecordEntity>(_ type: Entity.Type) throws -> Bool {
      try writer.record(type.init(record), isAsked: isAsked)
    }
    return try write(record.kind.recordType)
  }

  /// Changes a stored event; see ``Recorder/edit(eventId:_:)``.
  @discardableResult
  public func edit(eventId: String, _ change: (inout Event) throws -> Void) throws -> Event {
    try writer.edit(Event.self, id: eventId, change)
  }

  /// Changes a stored event type; see ``Recorder/edit(eventTypeId:_:)``.
  @discardableResult
  public func edit(eventTypeId: String, _ change: (inout EventType) throws -> Void) throws -> EventType {
    try writer.edit(EventType.self, id: eventTypeId, change)
  }

  /// Changes a stored place; see ``Recorder/edit(geofenceId:_:)``.
  @discardableResult
  public func edit(geofenceId: String, _ change: (inout Geofence) throws -> Void) throws -> Geofence {
    try writer.edit(Geofence.self, id: geofenceId, change)
  }

  @discardableResult
  public func edit(
    propertyDefinitionId: String, _ change: (inout PropertyDefinition) throws -> Void
  ) throws -> PropertyDefinition {
    try writer.edit(PropertyDefinition.self, id: propertyDefinitionId, change)
  }

  @discardableResult
  public func edit(
    _ kind: MutationEntityType, id: String, _ change: (inout SyncedRecord) throws -> Void
  ) throws -> SyncedRecord {
    func edit<Entity: RecordEntity>(_ type: Entity.Type) throws -> SyncedRecord {
      try writer.edit(type, id: id) { try change(&$0.record) }.record
    }
    return try edit(kind.recordType)
  }

  /// Deletes an event.
  /// - Returns: Whether there was anything to delete.
  @discardableResult
  public func delete(eventId: String) throws -> Bool { try delete(.event, id: eventId) }

  /// Deletes an event type, its events and its property definitions.
  /// - Returns: Whether there was anything to delete.
  @discardableResult
  public func delete(eventTypeId: String) throws -> Bool { try delete(.eventType, id: eventTypeId) }

  /// Deletes an event type that was merged into another. Everything that any device records under the deleted type
  /// afterwards belongs to the other type.
  @discardableResult
  public func delete(eventTypeId: String, mergedInto heir: String) throws -> Bool {
    try writer.delete(EventType.self, id: eventTypeId, mergedInto: heir)
  }

  /// Deletes a place.
  /// - Returns: Whether there was anything to delete.
  @discardableResult
  public func delete(geofenceId: String) throws -> Bool { try delete(.geofence, id: geofenceId) }

  /// Deletes a property definition.
  /// - Returns: Whether there was anything to delete.
  @discardableResult
  public func delete(propertyDefinitionId: String) throws -> Bool {
    try delete(.propertyDefinition, id: propertyDefinitionId)
  }

  /// Deletes an entity of any kind.
  /// - Returns: Whether there was anything to delete.
  @discardableResult
  public func delete(_ kind: MutationEntityType, id: String) throws -> Bool {
    func delete<Entity: StoredEntity>(_ type: Entity.Type) throws -> Bool {
      try writer.delete(type, id: id, undoesImport: undoesImport)
    }
    return try delete(kind.stored)
  }

  /// Deletes imported events that are unchanged and exist only on this device.
  ///
  /// Has the effect of `delete`, but is faster for many events: it compares the payloads of the pending creates instead
  /// of the events, and makes all comparisons before the first deletion.
  /// - Parameters:
  ///   - ids: Ids in the order of deletion. A repeated id is ignored.
  ///   - isMeant: Whether a payload, the JSON of a `CreateEventRequest`, describes the event expected at an index of
  ///     `ids`.
  /// - Returns: For each id, whether the event was deleted.
  public func deleteUntouchedImports(
    eventIds ids: [String], where isMeant: (_ index: Int, _ payload: Data) -> Bool
  ) throws -> [Bool] {
    try writer.beginWriting()
    var seen: Set<String> = []
    seen.reserveCapacity(ids.count)
    let areUntouched = try ids.enumerated().map { index, id in
      try seen.insert(id).inserted && writer.isUntouchedImport(eventId: id) { isMeant(index, $0) }
    }
    for (id, isUntouched) in zip(ids, areUntouched) where isUntouched { try writer.deleteUntouchedImport(eventId: id) }
    return areUntouched
  }

  /// Restores a deleted entity of any kind; see ``Recorder/restore(_:id:)``.
  @discardableResult
  public func restore(_ kind: MutationEntityType, id: String) throws -> Bool {
    func restore<Entity: StoredEntity>(_ type: Entity.Type) throws -> Bool {
      try writer.restore(type, id: id, under: nil)
    }
    return try restore(kind.stored)
  }

  /// Restores a deleted event with the given values and event type.
  /// - Parameter event: The state to restore.
  /// - Returns: Whether the event was deleted and has been restored.
  /// - Throws: ``RecorderError``, like ``Recorder/restore(eventId:to:)``.
  @discardableResult
  public func restore(as event: Event) throws -> Bool { try writer.restore(as: event) }
}

// MARK: Conflicts

extension RecorderChanges {
  /// Discards the kept value of a conflict; see ``Recorder/dropConflict(id:)``.
  public func dropConflict(id: String) throws { try writer.drop(writer.conflict(id)) }

  /// Writes the kept value of a conflict again; see ``Recorder/retryConflict(id:)``.
  public func retryConflict(id: String) throws { try writer.retry(writer.conflict(id)) }

  /// Selects one of the two values of a conflict; see ``Recorder/resolveConflict(id:keepingMine:)``.
  public func resolveConflict(id: String, keepingMine: Bool) throws {
    let conflict = try writer.conflict(id)
    guard let mine = conflict.mine else { throw RecorderError.notOurs(id) }
    try (mine == .kept) == keepingMine ? writer.retry(conflict) : writer.drop(conflict)
  }

  /// Restores the deleted entity of a conflict; see ``Recorder/restoreForConflict(id:)``.
  public func restoreForConflict(id: String) throws {
    let conflict = try writer.conflict(id)
    func isShown<Entity: StoredEntity>(_ type: Entity.Type) throws -> Bool {
      try Entity.find(id: conflict.entityId, in: writer.store) != nil
    }
    if try isShown(conflict.entityType.stored) {
      throw RecorderError.notDeleted(conflict.entityType, id: conflict.entityId)
    }
    try writer.retry(conflict)
  }
}

@available(*, unavailable)
extension RecorderChanges: Sendable {}
