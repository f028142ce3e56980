import TrendyModels
import TrendyProtocols

/// Access to the replica in a store, and to the visible rows derived from it. Never saves.
///
/// A row contains the visible state. The hub's data is stored separately only while it differs from the row.
struct Replica {
  let store: any DataStoreProtocol

  /// Returns the entity's accepted mutations that are not yet reflected in the replica, followed by its pending
  /// mutations.
  func overlay(of key: EntityKey) throws -> [PendingMutation] {
    let accepted = try store.acceptedMutations(ofEntity: key.entityId).filter { $0.entityType == key.entityType }
    return try accepted.inAcceptingOrder + waiting(of: key)
  }

  func waiting(of key: EntityKey) throws -> [PendingMutation] {
    try store.pendingMutations(ofEntity: key.entityId).filter { $0.entityType == key.entityType }.inSendingOrder
  }

  func held(_ key: EntityKey) throws -> ChangeEntry? { try store.heldEntry(kind: key.entityType, id: key.entityId) }

  func held(_ entry: ChangeEntry) throws -> ChangeEntry? { try entry.key.flatMap { try held($0) } }

  func parked(_ key: EntityKey) throws -> ChangeEntry? {
    try store.parkedChange(entityType: key.entityType.rawValue, entityId: key.entityId)
  }

  func isKnown(_ key: EntityKey) throws -> Bool { try held(key) != nil || parked(key) != nil }

  func isHeldAlive(eventTypeId: String) throws -> Bool {
    try store.heldEntry(kind: .eventType, id: eventTypeId).map { !$0.isDelete } ?? false
  }

  // MARK: Visible rows

  func show(_ key: EntityKey) throws {
    func show<Entity: StoredEntity>(_ type: Entity.Type) throws { try self.show(type, key.entityId) }
    try show(key.entityType.stored)
  }

  /// Deletes the row and the rows of its children. The replica keeps their data.
  func hide(_ key: EntityKey) throws {
    func hide<Entity: StoredEntity>(_ type: Entity.Type) throws {
      guard let row = try Entity.find(id: key.entityId, in: store) else { return }
      try self.hide(row)
    }
    try hide(key.entityType.stored)
  }

  /// Copies the hub's data to the replica before the row changes.
  func keep<Entity: StoredEntity>(_ row: Entity) throws {
    guard var held = try store.heldEntry(kind: Entity.entityType, id: row.id), !held.isDelete, held.data == nil else {
      return
    }
    held.data = try ChangeEntryData(row.createRequest)
    try store.insertHeldEntry(held)
  }

  /// Stores a feed entry in the replica. The caller must then update the row with ``show(_:)``.
  func hold(_ entry: ChangeEntry) throws { try store.insertHeldEntry(entry) }

  /// Returns the entry of a live entity with its data, which may be stored only in the row.
  func complete(_ held: ChangeEntry) throws -> ChangeEntry {
    guard !held.isDelete, held.data == nil, let kind = MutationEntityType(rawValue: held.entityType) else {
      return held
    }
    func data<Entity: StoredEntity>(_ type: Entity.Type) throws -> ChangeEntryData? {
      try Entity.find(id: held.entityId, in: store).map { try ChangeEntryData($0.createRequest) }
    }
    var held = held
    held.data = try data(kind.stored)
    return held
  }
}

extension Replica {
  /// Returns the entity as the hub has it, with its pending mutations applied. If the entity is not in the replica,
  /// returns the row.
  ///
  /// The row may differ from the result while it still contains a change that the hub refused.
  func standing<Entity: StoredEntity>(_: Entity.Type, id: String) throws -> Entity? {
    let key = EntityKey(Entity.entityType, id)
    let row = try Entity.find(id: id, in: store)
    guard row != nil, let record = try held(key), let living: Entity = living(record, row) else { return row }
    return Overlay.shown(living, of: record, under: try overlay(of: key))
  }

  /// Returns the entity as the hub has it. The replica has its own copy only if the row differs.
  private func living<Entity: StoredEntity>(_ record: ChangeEntry, _ row: Entity?) -> Entity? {
    record.isDelete ? nil : record.data == nil ? row : record.entity(as: Entity.self)
  }

  private func show<Entity: StoredEntity>(_: Entity.Type, _ id: String) throws {
    let key = EntityKey(Entity.entityType, id)
    let row = try Entity.find(id: id, in: store)
    let record = try held(key)
    let overlay = try overlay(of: key)
    // A refused create stays visible until the user decides or the hub deletes the entity. Without its event type, the
    // entity remains only in the journal.
    if let row, overlay.isEmpty, row.syncStatus == .failed, record == nil {
      if let parent = row.parentEventTypeId, try store.findEventType(id: parent) == nil { try hide(row) }
      return
    }
    let living: Entity? = record.flatMap { self.living($0, row) }
    var shown = Overlay.shown(living, of: record, under: overlay)
    if let parent = shown?.parentEventTypeId, try store.findEventType(id: parent) == nil {
      shown = try heir(ofEventType: parent).flatMap { shown?.moved(toEventType: $0) }
    }
    guard let shown else {
      if let row { try hide(row) }
      return
    }
    if var record, let living {
      if overlay.isEmpty, record.data != nil {
        record.data = nil
        try store.insertHeldEntry(record)
      } else if !overlay.isEmpty, record.data == nil {
        record.data = try ChangeEntryData(living.createRequest)
        try store.insertHeldEntry(record)
      }
    }
    if row != shown { try Entity.write(shown, in: store) }
    // If the entity has become visible after a restore, delete its tombstone, which prevented imports from recreating
    // the entity.
    if row == nil, NaturalIdentifier.isNatural(id), let tombstone = try store.tombstone(of: key) {
      try store.deleteTombstone(tombstone)
    }
    if row == nil, Entity.entityType == .eventType { try showChildren(of: id) }
  }

  private func hide<Entity: StoredEntity>(_ row: Entity) throws {
    var children: [EntityKey] = []
    if Entity.entityType == .eventType {
      for event in try store.events(in: nil, ofType: row.id, limit: nil) {
        try hide(event)
        children.append(EntityKey(.event, event.id))
      }
      for kind in MutationEntityType.parentsFirst where kind.isChildOfEventType && kind != .event {
        func hideAll<Child: StoredEntity>(_ type: Child.Type) throws {
          for child in try Child.fetchAll(in: store) where child.parentEventTypeId == row.id {
            try hide(child)
            children.append(EntityKey(kind, child.id))
          }
        }
        try hideAll(kind.stored)
      }
    }
    try keep(row)
    try Entity.delete(id: row.id, in: store)
    // Another device merged the type into a different type. Children with local changes move there.
    if !children.isEmpty, try heir(ofEventType: row.id) != nil {
      for child in children where try !overlay(of: child).isEmpty { try show(child) }
    }
  }

  /// Follows the merges that start at a deleted type. Returns the visible type at the end, or `nil` if there is none.
  func heir(ofEventType id: String) throws -> String? {
    var chain = [id]
    while let last = chain.last, let next = try mergedInto(eventTypeId: last), !chain.contains(next) {
      if try store.findEventType(id: next) != nil { return next }
      chain.append(next)
    }
    return nil
  }

  private func mergedInto(eventTypeId id: String) throws -> String? {
    let key = EntityKey(.eventType, id)
    if let last = try overlay(of: key).last {
      guard last.operation == .delete, !last.payload.isEmpty else { return nil }
      return try WireJSON.decode([String: JSONValue].self, from: last.payload)[SyncedKind.mergedInto]?.stringValue
    }
    guard let held = try held(key), held.isDelete else { return nil }
    return held.data?.rawData[SyncedKind.mergedInto]?.stringValue
  }

  /// Shows the children that were hidden with their type: the children in the replica, and the children that this
  /// device created in the type or moved to it.
  private func showChildren(of eventTypeId: String) throws {
    for held in try store.heldEntries(under: eventTypeId) {
      if let kind = MutationEntityType(rawValue: held.entityType) { try show(EntityKey(kind, held.entityId)) }
    }
    let counts = try store.syncCounts()
    guard counts.pending + counts.accepted > 0 else { return }
    for mutation in try store.fetchAcceptedMutations() + store.fetchPendingMutations()
    where mutation.entityType.isChildOfEventType {
      if try Coalescing.references(in: mutation.payload).contains(EntityKey(.eventType, eventTypeId)) {
        try show(mutation.key)
      }
    }
  }
}

extension Replica {
  // MARK: Accepted mutations

  /// Removes accepted mutations from the overlay once the replica reflects them.
  ///
  /// A mutation stays until the replica's entry is at least as new. Otherwise users would briefly see their own changes
  /// disappear. A deletion also leaves the overlay when the cursor has passed it and the replica has no live entity,
  /// but never before earlier mutations of the same entity.
  /// - Returns: Entities whose rows may have to be updated.
  func sweep(cursor: Int64) throws -> [EntityKey] {
    var kept: Set<EntityKey> = []
    var touched: [EntityKey] = []
    for mutation in try store.acceptedMutations(through: cursor) {
      let isBlocked = mutation.operation == .delete && kept.contains(mutation.key)
      if try !isBlocked && isCovered(mutation, cursor: cursor) {
        try store.deleteAcceptedMutation(mutation)
        touched.append(mutation.key)
      } else {
        kept.insert(mutation.key)
      }
    }
    return touched
  }

  /// Whether a mutation accepted at `version` must stay in the overlay until the feed sends its entity.
  ///
  /// If the entity is absent although the replica was complete at that version, its tombstone has been compacted and
  /// the feed will not send it again.
  func comesBack(_ key: EntityKey, version: Int64?, complete: Int64) throws -> Bool {
    guard let version, version <= complete else { return true }
    return try isKnown(key)
  }

  /// Stores a tombstone for a compacted deletion that the feed no longer sends.
  ///
  /// Only natural ids need it: the next import of the same data must not recreate the entity.
  func noteForgottenDeletion(of key: EntityKey, version: Int64?) throws {
    guard NaturalIdentifier.isNatural(key.entityId) else { return }
    try store.insertTombstone(Tombstone(entityType: key.entityType, entityId: key.entityId, version: version))
  }

  private func isCovered(_ mutation: PendingMutation, cursor: Int64) throws -> Bool {
    let version = mutation.acceptedVersion ?? 0
    let held = try held(mutation.key)
    if mutation.operation == .delete, held?.isDelete ?? true, try parked(mutation.key) == nil {
      return version <= cursor
    }
    return (held?.id ?? -1) >= version
  }
}

extension MutationEntityType {
  var rank: Int { Self.parentsFirst.firstIndex(of: self) ?? Self.parentsFirst.count }
}

extension Sequence<EntityKey> {
  var inShowingOrder: [EntityKey] {
    var seen: Set<EntityKey> = []
    return filter { seen.insert($0).inserted }.enumerated()
      .sorted { ($0.element.entityType.rank, $0.offset) < ($1.element.entityType.rank, $1.offset) }.map(\.element)
  }
}

extension [PendingMutation] {
  /// Accepted mutations in the order in which the hub applied them.
  ///
  /// Creation times are ignored, because a clock may have been set back. Mutations without effect share a version and
  /// are ordered by sequence number.
  var inAcceptingOrder: [PendingMutation] {
    sorted { ($0.acceptedVersion ?? 0, $0.sequence ?? 0) < ($1.acceptedVersion ?? 0, $1.sequence ?? 0) }
  }
}
