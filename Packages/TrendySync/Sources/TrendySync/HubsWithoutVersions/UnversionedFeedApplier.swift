import TrendyModels
import TrendyProtocols

/// Applies a feed page of a hub without versions, as decided by ``UnversionedFeedPlanner``. Does not save: the caller
/// saves the page together with its cursor.
struct UnversionedFeedApplier {
  private let store: any DataStoreProtocol
  private let waiting: [EntityKey: [PendingMutation]]
  private var planner: UnversionedFeedPlanner
  private var tombstones: [EntityKey: Tombstone]
  private var parked: [ChangeEntry]

  init(store: any DataStoreProtocol) throws {
    self.store = store
    waiting = Dictionary(grouping: try store.fetchPendingMutations().inSendingOrder, by: \.key)
    tombstones = Dictionary(
      try store.fetchTombstones().map { ($0.key, $0) }, uniquingKeysWith: { _, last in last })
    parked = try store.fetchParkedChanges()
    planner = UnversionedFeedPlanner(
      eventTypeIds: try store.fetchAllEventTypes().map(\.id), tombstones: tombstones.values)
  }

  /// Applies entries in the order of their ids, which may differ from their order on the page.
  mutating func apply(_ entries: [ChangeEntry]) throws {
    for entry in entries.sorted(by: { $0.id < $1.id }) {
      // The feed contains only the last write of each entity, so a parked entry for the same entity is older.
      try unpark { $0.entityType == entry.entityType && $0.entityId == entry.entityId && $0.id <= entry.id }
      if try !settle(entry) {
        try store.insertParkedChange(entry)
        parked.append(entry)
      }
    }
    try retryParked()
  }

  /// Removes the tombstones of deletions that the feed has passed. `acknowledged` contains deletes without a version
  /// that count as passed because the pull is complete.
  mutating func liftGuards(at cursor: Int64, acknowledged: Set<EntityKey>) throws {
    for (key, tombstone) in tombstones {
      let hasPassed = tombstone.version.map { $0 <= cursor } ?? acknowledged.contains(key)
      if hasPassed, !isDeleteWaiting(key) { try lay(tombstone, at: tombstone.version ?? cursor) }
    }
  }
}

extension UnversionedFeedApplier {
  /// Applies an entry. Returns `false` if it must be parked.
  private mutating func settle(_ entry: ChangeEntry) throws -> Bool {
    guard let type = MutationEntityType(rawValue: entry.entityType)?.stored else {
      _ = planner.onEntry(UnversionedFeedPlanner.Candidate(key: nil, version: entry.id))
      return false
    }
    return try settle(entry, as: type)
  }

  private mutating func settle<Entity: StoredEntity>(_ entry: ChangeEntry, as type: Entity.Type) throws -> Bool {
    let key = EntityKey(Entity.entityType, entry.entityId)
    let isDelete = entry.isDelete
    let entity = isDelete ? nil : entry.entity(as: type)
    let verdict = try planner.onEntry(
      UnversionedFeedPlanner.Candidate(
        key: key, version: entry.id, isDelete: isDelete, isReadable: isDelete || (entity != nil && entry.fault == nil),
        parentEventTypeId: entity?.parentEventTypeId,
        hasUnsettledChildren: isDelete && hasUnsettledChildren(key), isDeleteUnanswered: isDeleteUnanswered(key)))
    switch verdict {
    case .apply:
      // An entry accepted despite the tombstone shows that the entity was restored.
      if let tombstone = tombstones.removeValue(forKey: key) { try store.deleteTombstone(tombstone) }
      try store.show(Overlay.shown(entity, under: waiting[key] ?? []), id: key.entityId)
      // The hub's data is parked as well, because it must become visible if the pending mutation turns out to be older
      // than this entry.
      if waiting[key] != nil { return false }
    case .remove:
      let younger = Overlay.outlivingDeletion(waiting[key] ?? [])
      // The children are deleted with the type, even if the type itself is recreated.
      try Entity.delete(id: key.entityId, in: store)
      if let reborn = Overlay.shown(nil as Entity?, under: younger) {
        try store.show(reborn, id: key.entityId)
        if key.entityType == .eventType { planner.onReborn(eventTypeId: key.entityId) }
      }
      // The tombstone is no longer needed, unless the hub has yet to answer the local delete.
      if !isDeleteWaiting(key) {
        tombstones[key] = nil
        if younger.isEmpty {
          try lay(Tombstone(entityType: key.entityType, entityId: key.entityId), at: entry.id)
        } else {
          try store.deleteTombstone(Tombstone(entityType: key.entityType, entityId: key.entityId))
        }
      }
    case .skip:
      break
    case .park:
      return false
    }
    return true
  }

  /// Removes the tombstone of a deletion that the feed has passed. For a natural id the tombstone is kept permanently,
  /// because the next import would otherwise recreate the entity.
  private func lay(_ tombstone: Tombstone, at version: Int64) throws {
    if NaturalIdentifier.isNatural(tombstone.entityId) {
      let noted = Tombstone(entityType: tombstone.entityType, entityId: tombstone.entityId, version: version)
      if noted != tombstone { try store.insertTombstone(noted) }
    } else {
      try store.deleteTombstone(tombstone)
    }
  }

  private func isDeleteWaiting(_ key: EntityKey) -> Bool {
    if isDeleteUnanswered(key) { return true }
    // Children deleted with their event type have no separate mutation, and no record remains of the type they belonged
    // to.
    return key.entityType.isChildOfEventType
      && waiting.contains { $0.key.entityType == .eventType && $0.value.contains { $0.operation == .delete } }
  }

  /// Checks the entity's own delete only. The hub decides whether children of a deleted type remain.
  private func isDeleteUnanswered(_ key: EntityKey) -> Bool {
    waiting[key]?.contains { $0.operation == .delete } == true
  }

  private func hasUnsettledChildren(_ key: EntityKey) throws -> Bool {
    guard key.entityType == .eventType else { return false }
    return try store.events(in: nil, ofType: key.entityId, limit: nil).contains {
      waiting[EntityKey(.event, $0.id)] != nil
    }
      || store.fetchAllPropertyDefinitions().contains {
        $0.eventTypeId == key.entityId && waiting[EntityKey(.propertyDefinition, $0.id)] != nil
      }
  }

  /// Retries parked entries until no more entries can be applied, because each applied entry may be the parent of
  /// another entry.
  private mutating func retryParked() throws {
    var isProgress = true
    while isProgress {
      isProgress = false
      for entry in parked.sorted(by: { $0.id < $1.id }) where try !awaitsAnswer(entry) && settle(entry) {
        try unpark { $0 == entry }
        isProgress = true
      }
    }
  }

  /// Whether a parked deletion waits for the outcome of the entity's mutation. The version in the outcome shows whether
  /// the mutation or the deletion is later.
  private func awaitsAnswer(_ entry: ChangeEntry) -> Bool {
    guard entry.isDelete, let kind = MutationEntityType(rawValue: entry.entityType) else { return false }
    return waiting[EntityKey(kind, entry.entityId)] != nil
  }

  private mutating func unpark(where isDone: (ChangeEntry) -> Bool) throws {
    for entry in parked where isDone(entry) { try store.deleteParkedChange(entry) }
    parked.removeAll(where: isDone)
  }
}

extension DataStoreProtocol {
  /// Writes the visible entity to its row, or deletes the row if the entity or its event type is not visible.
  func show<Entity: StoredEntity>(_ entity: Entity?, id: String) throws {
    if let entity, try entity.parentEventTypeId.map({ try findEventType(id: $0) != nil }) ?? true {
      try Entity.write(entity, in: self)
    } else {
      try Entity.delete(id: id, in: self)
    }
  }
}

extension ChangeEntry {
  var isDelete: Bool { operation == MutationOperation.delete.rawValue || deletedAt != nil }

  /// Decodes the entity. Returns `nil` if the data is missing, malformed, or belongs to another entity.
  func entity<Entity: StoredEntity>(as type: Entity.Type) -> Entity? {
    // This member describes the origin of the tombstone and is not part of a restored entity.
    let data =
      if isDelete, var members = data?.rawData, members.removeValue(forKey: SyncedKind.importUndone) != nil {
        ChangeEntryData(rawData: members)
      } else { data }
    guard let wire = try? data?.decode(Entity.Wire.self) else { return nil }
    let entity = Entity(wire)
    return entity.id == entityId ? entity : nil
  }

  /// Decodes an entity that can be restored. Returns `nil` if a required field is missing, because a deletion can reach
  /// the hub without the create.
  func completeEntity<Entity: StoredEntity>(as type: Entity.Type) -> Entity? {
    let required = SyncedKind.named(Entity.entityType.rawValue)?.fields.filter(\.isRequired) ?? []
    guard required.allSatisfy({ !(data?.rawData[$0.name]?.isNull ?? true) }) else { return nil }
    return entity(as: type)
  }
}

extension [PendingMutation] {
  var inSendingOrder: [PendingMutation] {
    filter { $0.sequence != nil }.sorted { ($0.sequence ?? 0) < ($1.sequence ?? 0) } + filter { $0.sequence == nil }
  }
}
