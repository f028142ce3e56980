import TrendyModels
import TrendyProtocols

/// Lays a complete snapshot without versions into a unit of work, the queue over it unchanged. It does not save.
///
/// What is held and not in the snapshot goes, but for what the queue still speaks of: nothing that waits is dropped.
struct PlainSnapshot {
  private let store: any DataStoreProtocol
  private let snapshot: Snapshot
  private let waiting: [EntityKey: [PendingMutation]]
  /// Deleted here, and the hub's answer is not here: the snapshot may not know.
  private let deletedHere: Set<EntityKey>

  init(_ snapshot: Snapshot, store: any DataStoreProtocol) throws {
    self.store = store
    self.snapshot = snapshot
    let waiting = Dictionary(grouping: try store.fetchPendingMutations().inSendingOrder, by: \.key)
    self.waiting = waiting
    deletedHere = Set(waiting.filter { $0.value.contains { $0.operation == .delete } }.keys)
  }

  /// - Returns: how many entities the snapshot brought.
  func apply() throws -> Int {
    try clearSyncNotes()
    // What others refer to comes first, and goes last.
    try lay(snapshot.eventTypes.map { EventType($0) })
    try lay(snapshot.propertyDefinitions.map { PropertyDefinition($0) })
    try lay(snapshot.geofences.map { Geofence($0) })
    try lay(snapshot.events.map { Event($0) })
    try removeAbsent(Event.self, present: snapshot.events.map(\.id))
    try removeAbsent(Geofence.self, present: snapshot.geofences.map(\.id))
    try removeAbsent(PropertyDefinition.self, present: snapshot.propertyDefinitions.map(\.id))
    try removeAbsentEventTypes()
    try store.setSyncCursor(snapshot.cursor)
    return snapshot.eventTypes.count + snapshot.propertyDefinitions.count + snapshot.geofences.count
      + snapshot.events.count
  }
}

extension PlainSnapshot {
  /// The snapshot answers what was parked, but for kinds it does not speak of, and every delete that the hub has heard of; what
  /// an import could make again stays noted as deleted unless it lives.
  private func clearSyncNotes() throws {
    for entry in try store.fetchParkedChanges() where MutationEntityType(rawValue: entry.entityType) != nil {
      try store.deleteParkedChange(entry)
    }
    let living = Set(
      snapshot.eventTypes.map { EntityKey(.eventType, $0.id) } + snapshot.events.map { EntityKey(.event, $0.id) }
        + snapshot.geofences.map { EntityKey(.geofence, $0.id) }
        + snapshot.propertyDefinitions.map { EntityKey(.propertyDefinition, $0.id) })
    for tombstone in try store.fetchTombstones() where !deletedHere.contains(tombstone.key) {
      if NaturalIdentifier.isNatural(tombstone.entityId), !living.contains(tombstone.key) {
        try store.insertTombstone(
          Tombstone(entityType: tombstone.entityType, entityId: tombstone.entityId, version: snapshot.cursor))
      } else {
        try store.deleteTombstone(tombstone)
      }
    }
  }

  private func lay<Entity: StoredEntity>(_ entities: [Entity]) throws {
    for entity in entities {
      let key = EntityKey(Entity.entityType, entity.id)
      if deletedHere.contains(key) {
        // The answer to the delete says whether it was there before this.
        try park(entity, key)
        continue
      }
      if let parent = entity.parentEventTypeId, try store.findEventType(id: parent) == nil {
        // Its type was deleted here; or it was written between two lists of the snapshot, and its type comes in the feed after the
        // cursor.
        try park(entity, key)
        continue
      }
      // As for an entry of the feed.
      if waiting[key] != nil { try park(entity, key) }
      try store.show(Overlay.shown(entity, under: waiting[key] ?? []), id: entity.id)
    }
  }

  private func park<Entity: StoredEntity>(_ entity: Entity, _ key: EntityKey) throws {
    try store.insertParkedChange(
      ChangeEntry(
        id: snapshot.cursor, entityType: key.entityType.rawValue, operation: MutationOperation.create.rawValue,
        entityId: key.entityId, data: try ChangeEntryData(entity.createRequest)))
  }

  private func removeAbsent<Entity: StoredEntity>(_: Entity.Type, present: [String]) throws {
    let present = Set(present)
    for entity in try Entity.fetchAll(in: store) where !present.contains(entity.id) {
      let key = EntityKey(Entity.entityType, entity.id)
      if waiting[key] == nil { try Entity.delete(id: entity.id, in: store) } else { try parkDeletion(key) }
    }
  }

  /// What was sent may have taken effect before others deleted the entity, and the snapshot passes over that: the answer, with its
  /// version, will say. What the hub never heard of is no part of it.
  private func parkDeletion(_ key: EntityKey) throws {
    guard Overlay.outlivingDeletion(waiting[key] ?? []).isEmpty else { return }
    try store.insertParkedChange(
      ChangeEntry(
        id: snapshot.cursor, entityType: key.entityType.rawValue, operation: MutationOperation.delete.rawValue,
        entityId: key.entityId))
  }

  /// A type that is gone at the hub stays as long as rows with unsent edits need it to be shown under; its deletion is parked.
  private func removeAbsentEventTypes() throws {
    let present = Set(snapshot.eventTypes.map(\.id))
    let needed = Set(
      try store.fetchAllEvents().filter { waiting[EntityKey(.event, $0.id)] != nil }.map(\.eventTypeId)
        + store.fetchAllPropertyDefinitions().filter { waiting[EntityKey(.propertyDefinition, $0.id)] != nil }
        .map(\.eventTypeId))
    for type in try store.fetchAllEventTypes() where !present.contains(type.id) {
      let key = EntityKey(.eventType, type.id)
      if waiting[key] != nil || needed.contains(type.id) {
        try parkDeletion(key)
      } else {
        try store.deleteEventType(id: type.id)
      }
    }
  }
}
