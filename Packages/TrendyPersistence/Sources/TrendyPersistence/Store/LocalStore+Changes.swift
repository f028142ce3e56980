public import TrendyModels

/// Change made to an entity in a unit of work.
public struct EntityChange: Hashable, Sendable {
  /// Entity or conflict.
  public enum Entity: Hashable, Sendable {
    case event(Event)
    case eventType(EventType)
    case geofence(Geofence)
    case propertyDefinition(PropertyDefinition)
    /// Entity of a kind without a separate Swift type.
    case record(SyncedRecord)
    /// Change made on this device and rejected by the hub, kept until the user resolves the conflict.
    case conflict(Conflict)
  }

  /// Saved state, or `nil` if the unit creates the entity.
  public var before: Entity?
  /// State in the unit, or `nil` if the unit deletes the entity.
  public var after: Entity?

  /// Creates a change.
  public init(before: Entity?, after: Entity?) {
    self.before = before
    self.after = after
  }
}

extension LocalStore {
  /// Returns all entities and conflicts that the current unit has changed so far, except entities that it has both
  /// created and deleted. Call this before ``save()``.
  public func entityChanges() throws -> [EntityChange] {
    try changes(ofKinds: Self.isEntity).map { before, after in
      EntityChange(before: try before.map(entity), after: try after.map(entity))
    }
  }

  private static func isEntity(_ kind: UInt8) -> Bool {
    [RowKind.event, RowKind.eventType, RowKind.geofence, RowKind.propertyDefinition, RowKind.conflict].contains(kind)
      || RowKind.isRecord(kind)
  }

  private func entity(_ record: Row) throws(StorageError) -> EntityChange.Entity {
    switch record.kind {
    case RowKind.event: .event(try decode(Event.self, record))
    case RowKind.eventType: .eventType(try decode(EventType.self, record))
    case RowKind.geofence: .geofence(try decode(Geofence.self, record))
    case RowKind.propertyDefinition: .propertyDefinition(try decode(PropertyDefinition.self, record))
    case RowKind.conflict: .conflict(try decode(JournalledConflict.self, record).conflict)
    default: .record(try decode(StoredRecord.self, record).record)
    }
  }
}
