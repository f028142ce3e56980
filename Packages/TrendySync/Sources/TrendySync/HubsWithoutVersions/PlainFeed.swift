import TrendyModels
import TrendyProtocols

/// Carries out in a unit of work what ``PlainFeedPlanner`` says of a page of a hub that gives no versions.
///
/// It does not save: the page's cursor goes into the same save.
struct PlainFeed {
  private let store: any DataStoreProtocol
  private let waiting: [EntityKey: [PendingMutation]]
  private var planner: PlainFeedPlanner
  private var tombstones: [EntityKey: Tombstone]
  private var parked: [ChangeEntry]

  init(store: any DataStoreProtocol) throws {
    self.store = store
    waiting = Dictionary(grouping: try store.fetchPendingMutations().inSendingOrder, by: \.key)
    tombstones = Dictionary(
      try store.fetchTombstones().map { ($0.key, $0) }, uniquingKeysWith: { _, last in last })
    parked = try store.fetchParkedChanges()
    planner = PlainFeedPlanner(eventTypeIds: try store.fetchAllEventTypes().map(\.id), tombstones: tombstones.values)
  }

  /// Applies entries by their versions, in whatever order they come; those of one version as they come.
  mutating func apply(_ entries: [ChangeEntry]) throws {
    for entry in entries.sorted(by: { $0.id < $1.id }) {
      // The feed gives an entity by its last write: what was parked of it is older.
      try unpark { $0.entityType == entry.entityType && $0.entityId == entry.entityId && $0.id <= entry.id }
      if try !settle(entry) {
        try store.insertParkedChange(entry)
        parked.append(entry)
      }
    }
    try retryParked()
  }

  /// Lets go of the guards that the cursor has passed, and at the end of a pull of those that began it acknowledged.
  mutating func liftGuards(at cursor: Int64, acknowledged: Set<EntityKey>) throws {
    for (key, tombstone) in tombstones {
      let hasPassed = tombstone.version.map { $0 <= cursor } ?? acknowledged.contains(key)
      if hasPassed, !isDeleteWaiting(key) { try lay(tombstone, at: tombstone.version ?? cursor) }
    }
  }
}

extension PlainFeed {
  /// - Returns: whether the entry is done with; else it is for parking.
  private mutating func settle(_ entry: ChangeEntry) throws -> Bool {
    guard let type = MutationEntityType(rawValue: entry.entityType)?.stored else {
      _ = planner.onEntry(PlainFeedPlanner.Candidate(key: nil, version: entry.id))
      return false
    }
    return try settle(entry, as: type)
  }

  private mutating func settle<Entity: StoredEntity>(_ entry: ChangeEntry, as type: Entity.Type) throws -> Bool {
    let key = EntityKey(Entity.entityType, entry.entityId)
    let isDelete = entry.isDelete
    let entity = isDelete ? nil : entry.entity(as: type)
    let verdict = try planner.onEntry(
      PlainFeedPlanner.Candidate(
        key: key, version: entry.id, isDelete: isDelete, isReadable: isDelete || (entity != nil && entry.fault == nil),
        parentEventTypeId: entity?.parentEventTypeId,
        hasUnsettledChildren: isDelete && hasUnsettledChildren(key), isDeleteUnanswered: isDeleteUnanswered(key)))
    switch verdict {
    case .apply:
      // Let past its guard, it lives again.
      if let tombstone = tombstones.removeValue(forKey: key) { try store.deleteTombstone(tombstone) }
      try store.show(Overlay.shown(entity, under: waiting[key] ?? []), id: key.entityId)
      // Kept as the hub gave it too: should what waits turn out to be older than this, this is what is to be shown.
      if waiting[key] != nil { return false }
    case .remove:
      let younger = Overlay.outlivingDeletion(waiting[key] ?? [])
      // What hangs on a type goes with it, also where the type itself is made again.
      try Entity.delete(id: key.entityId, in: store)
      if let reborn = Overlay.shown(nil as Entity?, under: younger) {
        try store.show(reborn, id: key.entityId)
        if key.entityType == .eventType { planner.onReborn(eventTypeId: key.entityId) }
      }
      // The guard has done its work, unless the delete here is still to be answered.
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

  /// The feed has passed the delete. An id made by chance is never made again and needs no note; a natural one is remembered
  /// for good, or the next import of the same thing would bring back what was deleted.
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
    // Rows that went with an event type have no delete of their own, nor a note of whose they were.
    return key.entityType.isChildOfEventType
      && waiting.contains { $0.key.entityType == .eventType && $0.value.contains { $0.operation == .delete } }
  }

  /// Its own, and not that of its type: what hangs on a type goes or stays by the hub's word alone.
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

  /// What came may be what others waited for; what they are may be what still others wait for.
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

  /// A deletion waits for the answer to what was sent of the entity: its version says which of the two is the later.
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
  /// Makes the row what is to be shown: nothing without its event type, to which a person may have moved it before they deleted that.
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

  /// `nil` where its data is missing, cannot be read, or is of another entity: it is kept raw until a version can.
  func entity<Entity: StoredEntity>(as type: Entity.Type) -> Entity? {
    // It says of a tombstone how it came to be, and nothing of the entity that a restore begins.
    let data =
      if isDelete, var members = data?.rawData, members.removeValue(forKey: SyncedKind.importUndone) != nil {
        ChangeEntryData(rawData: members)
      } else { data }
    guard let wire = try? data?.decode(Entity.Wire.self) else { return nil }
    let entity = Entity(wire)
    return entity.id == entityId ? entity : nil
  }

  /// `nil` also where its data is too little for a life: a deletion may come to the hub without what made the entity.
  func completeEntity<Entity: StoredEntity>(as type: Entity.Type) -> Entity? {
    let required = SyncedKind.named(Entity.entityType.rawValue)?.fields.filter(\.isRequired) ?? []
    guard required.allSatisfy({ !(data?.rawData[$0.name]?.isNull ?? true) }) else { return nil }
    return entity(as: type)
  }
}

extension [PendingMutation] {
  /// What was sent first, by its sequence; then what was not, in the order of the queue.
  var inSendingOrder: [PendingMutation] {
    filter { $0.sequence != nil }.sorted { ($0.sequence ?? 0) < ($1.sequence ?? 0) } + filter { $0.sequence == nil }
  }
}
