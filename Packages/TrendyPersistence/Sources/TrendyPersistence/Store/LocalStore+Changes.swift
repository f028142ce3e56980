public import TrendyModels

/// What one unit of work makes of an entity: as it was saved before, and as the unit leaves it.
public struct EntityChange: Hashable, Sendable {
  public enum Entity: Hashable, Sendable {
    case event(Event)
    case eventType(EventType)
    case geofence(Geofence)
    case propertyDefinition(PropertyDefinition)
    /// One of a kind without a Swift type of its own.
    case record(SyncedRecord)
    /// A change of this device that the hub refused, kept here until a person decides.
    case conflict(Conflict)
  }

  /// `nil` where the unit makes it.
  public var before: Entity?
  /// `nil` where the unit removes it.
  public var after: Entity?

  public init(before: Entity?, after: Entity?) {
    self.before = before
    self.after = after
  }
}

extension LocalStore {
  /// The entities, and the conflicts of this device, that the present unit has changed so far, whoever changed them and on
  /// whatever way; one that it both made and removed is not among them. Call it before ``save()``.
  public func entityChanges() throws -> [EntityChange] {
    try changes(ofKinds: Self.isEntity).map { before, after in
      EntityChange(before: try before.map(entity), after: try after.map(entity))
    }
  }

  private static func isEntity(_ kind: UInt8) -> Bool {
    [RowKind.event, RowKind.eventType, RowKind.geofence, RowKind.propertyDefinition, RowKind.conflict].contains(kind)
      || RowKind.isRecord(kind)
  }

  private func entity(_ record: Record) throws(StorageError) -> EntityChange.Entity {
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
