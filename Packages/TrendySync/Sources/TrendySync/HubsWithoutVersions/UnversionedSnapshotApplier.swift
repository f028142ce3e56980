import TrendyModels
import TrendyProtocols

/// Applies a complete snapshot without versions. Leaves the queue unchanged. Does not save.
///
/// Entities that are not in the snapshot are removed, except those with pending mutations.
struct UnversionedSnapshotApplier {
  private let store: any DataStoreProtocol
  private let snapshot: Snapshot
  private let waiting: [EntityKey: [PendingMutation]]
  private let deletedHere: Set<EntityKey>

  init(_ snapshot: Snapshot, store: any DataStoreProtocol) throws {
    self.store = store
    self.snapshot = snapshot
    let waiting = Dictionary(grouping: try store.fetchPendingMutations().inSendingOrder, by: \.key)
    self.waiting = waiting
    deletedHere = Set(waiting.filter { $0.value.contains { $0.operation == .delete } }.keys)
  }

  /// Applies the snapshot and returns the number of its entities.
  func apply() throws -> Int {
    try clearSyncNotes()
    // Parents are written first and removed last.
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

extension UnversionedSnapshotApplier {
  /// Deletes parked entries of known kinds and the tombstones that the snapshot covers. A tombstone for a natural id is
  /// kept unless the entity is live.
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
        // The outcome of the pending delete will show whether the delete is later than the snapshot.
        try park(entity, key)
        continue
      }
      if let parent = entity.parentEventTypeId, try store.findEventType(id: parent) == nil {
        // The event type was deleted on this device, or was created while the snapshot was read and will follow in the
        // feed.
        try park(entity, key)
        continue
      }
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

  /// Parks the deletion of an entity with pending mutations.
  ///
  /// A sent mutation may have taken effect before the deletion, as the version in its outcome will show. An entity that
  /// the hub never received needs no deletion.
  private func parkDeletion(_ key: EntityKey) throws {
    guard Overlay.outlivingDeletion(waiting[key] ?? []).isEmpty else { return }
    try store.insertParkedChange(
      ChangeEntry(
        id: snapshot.cursor, entityType: key.entityType.rawValue, operation: MutationOperation.delete.rawValue,
        entityId: key.entityId))
  }

  /// Removes the event types that are not in the snapshot. If children of a type have pending mutations, the type stays
  /// until these mutations have an outcome, and its deletion is parked.
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
