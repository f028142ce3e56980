public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

extension Recorder {
  /// Carries out several changes in one save: when it returns, all of them are durable; when it throws, none was made.
  public func inOneSave<Result>(_ body: (RecorderChanges) throws -> Result) throws -> Result {
    try write { try body(RecorderChanges($0)) }
  }
}

/// What a ``Recorder`` does within ``Recorder/inOneSave(_:)``. Each does what the recorder's of the same name does.
public struct RecorderChanges {
  private let writer: EditWriter
  private let isAsked: Bool
  private let undoesImport: Bool

  init(_ writer: EditWriter, isAsked: Bool = false, undoesImport: Bool = false) {
    self.writer = writer
    self.isAsked = isAsked
    self.undoesImport = undoesImport
  }

  /// The same changes, of which `record` makes also what was imported once and deleted: as another life, behind its deletion where
  /// that is on its way to the hub.
  public var again: RecorderChanges { RecorderChanges(writer, isAsked: true) }

  /// The same changes, of which `delete` undoes an import: an import that a user asks for restores the entity, on any device.
  public var undoingImport: RecorderChanges { RecorderChanges(writer, undoesImport: true) }

  /// What is held, with the changes so far; for reading.
  public var store: any DataStoreProtocol { writer.store }

  /// Keeps every other process from writing until the save, so that what is read from here on is what is changed.
  public func beginWriting() throws { try writer.beginWriting() }

  @discardableResult
  public func record(_ event: Event) throws -> Bool { try writer.record(event, isAsked: isAsked) }

  /// Records an event as `record` does.
  /// - Returns: what makes the event as the hub is told, the JSON of a `CreateEventRequest`; `nil` where nothing was recorded.
  public func recordedPayload(of event: Event) throws -> Data? { try writer.recordedPayload(of: event) }

  /// Records an event that the store, asked in this save, called new.
  /// - Returns: as ``recordedPayload(of:)``.
  public func recordNew(_ event: Event) throws -> Data { try writer.recordNew(event) }

  @discardableResult
  public func record(_ eventType: EventType) throws -> Bool { try writer.record(eventType, isAsked: isAsked) }

  @discardableResult
  public func record(_ geofence: Geofence) throws -> Bool { try writer.record(geofence, isAsked: isAsked) }

  @discardableResult
  public func record(_ definition: PropertyDefinition) throws -> Bool {
    try writer.record(definition, isAsked: isAsked)
  }

  @discardableResult
  public func record(_ record: SyncedRecord) throws -> Bool {
    func write<Entity: RecordEntity>(_ type: Entity.Type) throws -> Bool {
      try writer.record(type.init(record), isAsked: isAsked)
    }
    return try write(record.kind.recordType)
  }

  @discardableResult
  public func edit(eventId: String, _ change: (inout Event) throws -> Void) throws -> Event {
    try writer.edit(Event.self, id: eventId, change)
  }

  @discardableResult
  public func edit(eventTypeId: String, _ change: (inout EventType) throws -> Void) throws -> EventType {
    try writer.edit(EventType.self, id: eventTypeId, change)
  }

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

  @discardableResult
  public func delete(eventId: String) throws -> Bool { try delete(.event, id: eventId) }

  @discardableResult
  public func delete(eventTypeId: String) throws -> Bool { try delete(.eventType, id: eventTypeId) }

  /// Deletes an event type that was merged into another: whatever any device records under it from now on belongs to that one.
  @discardableResult
  public func delete(eventTypeId: String, mergedInto heir: String) throws -> Bool {
    try writer.delete(EventType.self, id: eventTypeId, mergedInto: heir)
  }

  @discardableResult
  public func delete(geofenceId: String) throws -> Bool { try delete(.geofence, id: geofenceId) }

  @discardableResult
  public func delete(propertyDefinitionId: String) throws -> Bool {
    try delete(.propertyDefinition, id: propertyDefinitionId)
  }

  @discardableResult
  public func delete(_ kind: MutationEntityType, id: String) throws -> Bool {
    func delete<Entity: StoredEntity>(_ type: Entity.Type) throws -> Bool {
      try writer.delete(type, id: id, undoesImport: undoesImport)
    }
    return try delete(kind.stored)
  }

  /// Deletes imported events of which nothing was done since: only their making waits, was never sent, and no hub has told of it. Each
  /// ends as by `delete`. Of many that is sooner: what waits is compared in place of the event, and before the first is deleted, so that
  /// no look has to mind what this unit has changed.
  /// - Parameters:
  ///   - ids: the events, in the order in which they are deleted; of one that comes twice the second is left.
  ///   - isMeant: says of the event at an index, by what makes it, the JSON of a `CreateEventRequest`, whether it is to be deleted.
  /// - Returns: of each whether it was deleted; the others are as they were.
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

  @discardableResult
  public func restore(_ kind: MutationEntityType, id: String) throws -> Bool {
    func restore<Entity: StoredEntity>(_ type: Entity.Type) throws -> Bool {
      try writer.restore(type, id: id, under: nil)
    }
    return try restore(kind.stored)
  }

  /// Begins another life of a deleted event, with all that this one says, its type included.
  /// - Returns: whether there was anything to restore: not where it lives.
  /// - Throws: ``RecorderError``, as ``Recorder/restore(eventId:to:)``.
  @discardableResult
  public func restore(as event: Event) throws -> Bool { try writer.restore(as: event) }
}

// MARK: Conflicts

extension RecorderChanges {
  public func dropConflict(id: String) throws { try writer.drop(writer.conflict(id)) }

  public func retryConflict(id: String) throws { try writer.retry(writer.conflict(id)) }

  public func resolveConflict(id: String, keepingMine: Bool) throws {
    let conflict = try writer.conflict(id)
    guard let mine = conflict.mine else { throw RecorderError.notOurs(id) }
    try (mine == .kept) == keepingMine ? writer.retry(conflict) : writer.drop(conflict)
  }

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
