import TrendyModels
import TrendyProtocols

/// What a store holds of its hub, and what it shows of that: rows are what is shown, and the hub's own copy is kept beside a row as
/// long as the row says something else. It does not save.
struct Replica {
  let store: any DataStoreProtocol

  /// The entity's mutations that are not settled for good, as they were made.
  func overlay(of key: EntityKey) throws -> [PendingMutation] {
    let accepted = try store.acceptedMutations(ofEntity: key.entityId).filter { $0.entityType == key.entityType }
    return try accepted.inAcceptingOrder + waiting(of: key)
  }

  /// Those that the hub has not settled.
  func waiting(of key: EntityKey) throws -> [PendingMutation] {
    try store.pendingMutations(ofEntity: key.entityId).filter { $0.entityType == key.entityType }.inSendingOrder
  }

  func held(_ key: EntityKey) throws -> ChangeEntry? { try store.heldEntry(kind: key.entityType, id: key.entityId) }

  /// What is held of the entity that an entry is of.
  func held(_ entry: ChangeEntry) throws -> ChangeEntry? { try entry.key.flatMap { try held($0) } }

  func parked(_ key: EntityKey) throws -> ChangeEntry? {
    try store.parkedChange(entityType: key.entityType.rawValue, entityId: key.entityId)
  }

  /// Whether a hub has told of the entity.
  func isKnown(_ key: EntityKey) throws -> Bool { try held(key) != nil || parked(key) != nil }

  func isHeldAlive(eventTypeId: String) throws -> Bool {
    try store.heldEntry(kind: .eventType, id: eventTypeId).map { !$0.isDelete } ?? false
  }

  // MARK: Showing

  /// Makes the row what is to be shown: the hub's copy under the entity's mutations.
  func show(_ key: EntityKey) throws {
    func show<Entity: StoredEntity>(_ type: Entity.Type) throws { try self.show(type, key.entityId) }
    try show(key.entityType.stored)
  }

  /// Takes the row away, and what hangs on it; the hub's copies are kept.
  func hide(_ key: EntityKey) throws {
    func hide<Entity: StoredEntity>(_ type: Entity.Type) throws {
      guard let row = try Entity.find(id: key.entityId, in: store) else { return }
      try self.hide(row)
    }
    try hide(key.entityType.stored)
  }

  /// Keeps the hub's copy before the row becomes something else.
  func keep<Entity: StoredEntity>(_ row: Entity) throws {
    guard var held = try store.heldEntry(kind: Entity.entityType, id: row.id), !held.isDelete, held.data == nil else {
      return
    }
    held.data = try ChangeEntryData(row.createRequest)
    try store.insertHeldEntry(held)
  }

  /// Makes an entry of the feed what is held. The row follows with ``show(_:)``.
  func hold(_ entry: ChangeEntry) throws { try store.insertHeldEntry(entry) }

  /// What is held of a living entity, with its data.
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
  /// What the hub has of an entity, under what waits: where nothing waits, the row may still show what the hub did not take. Of what
  /// no hub has told of, the row.
  func standing<Entity: StoredEntity>(_: Entity.Type, id: String) throws -> Entity? {
    let key = EntityKey(Entity.entityType, id)
    let row = try Entity.find(id: id, in: store)
    guard row != nil, let record = try held(key), let living: Entity = living(record, row) else { return row }
    return Overlay.shown(living, of: record, under: try overlay(of: key))
  }

  /// The hub's copy is kept beside the row only where the row says something else.
  private func living<Entity: StoredEntity>(_ record: ChangeEntry, _ row: Entity?) -> Entity? {
    record.isDelete ? nil : record.data == nil ? row : record.entity(as: Entity.self)
  }

  private func show<Entity: StoredEntity>(_: Entity.Type, _ id: String) throws {
    let key = EntityKey(Entity.entityType, id)
    let row = try Entity.find(id: id, in: store)
    let record = try held(key)
    let overlay = try overlay(of: key)
    // What the hub did not take stays to be seen until the person decides; without its type the journal alone has it.
    if let row, overlay.isEmpty, row.syncStatus == .failed, record?.isDelete ?? true {
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
    // Of what an import could make again a deletion stays noted; somebody restored it.
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
    // What was recorded here under a type that another device merged is on its way to the type that remains.
    if !children.isEmpty, try heir(ofEventType: row.id) != nil {
      for child in children where try !overlay(of: child).isEmpty { try show(child) }
    }
  }

  /// Returns the visible type at the end of the chain of merges that begins at a deleted type; `nil` if there is none.
  func heir(ofEventType id: String) throws -> String? {
    var chain = [id]
    while let last = chain.last, let next = try mergedInto(eventTypeId: last), !chain.contains(next) {
      if try store.findEventType(id: next) != nil { return next }
      chain.append(next)
    }
    return nil
  }

  /// Reads `merged_into` from the deletion that is on its way, else from the hub's tombstone.
  private func mergedInto(eventTypeId id: String) throws -> String? {
    let key = EntityKey(.eventType, id)
    if let last = try overlay(of: key).last {
      guard last.operation == .delete, !last.payload.isEmpty else { return nil }
      return try WireJSON.decode([String: JSONValue].self, from: last.payload)[SyncedKind.mergedInto]?.stringValue
    }
    guard let held = try held(key), held.isDelete else { return nil }
    return held.data?.rawData[SyncedKind.mergedInto]?.stringValue
  }

  /// What was hidden with the type: of what is held its copies, and what was made or moved beneath it here.
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
  // MARK: What was accepted

  /// Takes the accepted mutations out of the overlay whose entities have come back: each stays until the hub's copy is at least as
  /// new, so that nobody sees their own change gone for a while. A deletion also leaves when nothing is left to delete, and never
  /// before what was done to the entity earlier.
  /// - Returns: whose rows may have to be shown anew.
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

  /// Whether a mutation that was accepted under a version is to be laid over what is held until its entity comes back. Of what was
  /// complete when the answer came, and is not here, the hub tells no more: it was deleted long ago.
  func comesBack(_ key: EntityKey, version: Int64?, complete: Int64) throws -> Bool {
    guard let version, version <= complete else { return true }
    return try isKnown(key)
  }

  /// The hub tells no more of what was deleted long ago. Of an id that an import could make again a tombstone is kept here, so that
  /// the next import of the same thing stays out.
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
  /// Its place among the kinds: what others refer to comes first.
  var rank: Int { Self.parentsFirst.firstIndex(of: self) ?? Self.parentsFirst.count }
}

extension Sequence<EntityKey> {
  /// Each once, what others hang on first.
  var inShowingOrder: [EntityKey] {
    var seen: Set<EntityKey> = []
    return filter { seen.insert($0).inserted }.enumerated()
      .sorted { ($0.element.entityType.rank, $0.offset) < ($1.element.entityType.rank, $1.offset) }.map(\.element)
  }
}

extension [PendingMutation] {
  /// Of accepted ones: as the hub took them, which is how they were made, whatever a clock that was set back meanwhile says. One
  /// version can be that of several, of which only the first changed anything.
  var inAcceptingOrder: [PendingMutation] {
    sorted { ($0.acceptedVersion ?? 0, $0.sequence ?? 0) < ($1.acceptedVersion ?? 0, $1.sequence ?? 0) }
  }
}
