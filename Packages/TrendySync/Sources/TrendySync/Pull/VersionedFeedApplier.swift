import TrendyModels
import TrendyProtocols

/// Applies a feed page as decided by ``VersionedFeedPlanner``. Does not save: the caller saves the page together with
/// its cursor.
///
/// An entry that would leave a live child without a live parent is parked. Until it can be applied, it changes neither
/// the replica nor the visible state.
struct VersionedFeedApplier {
  private let store: any DataStoreProtocol
  private let replica: Replica
  private var planner: VersionedFeedPlanner
  private var touched: [EntityKey] = []

  /// Prepares to apply entries to a store. With `isAnew`, entries are applied even if they are not newer than the
  /// replica, as for a snapshot.
  init(store: any DataStoreProtocol, isAnew: Bool = false) throws {
    self.store = store
    replica = Replica(store: store)
    let counts = try store.syncCounts()
    planner = VersionedFeedPlanner(
      isAnew: isAnew, hasOverlay: counts.pending > 0 || counts.accepted > 0, hasParked: counts.parked > 0)
  }

  mutating func apply(_ entries: [ChangeEntry], cursor: Int64) throws {
    for entry in entries { try take(entry) }
    try unpark()
    touched += try replica.sweep(cursor: cursor)
    for key in touched.inShowingOrder { try replica.show(key) }
  }

  mutating func retryAll() throws {
    for entry in try store.fetchParkedChanges() { try retry(entry) }
  }
}

extension VersionedFeedApplier {
  private mutating func take(_ entry: ChangeEntry) throws {
    guard let kind = MutationEntityType(rawValue: entry.entityType), entry.fault == nil else {
      let (store, replica) = (store, replica)
      let act = try planner.onUnread(version: entry.id) {
        try replica.held(entry)?.id
      } parkedVersion: {
        try store.parkedChange(entityType: entry.entityType, entityId: entry.entityId)?.id
      }
      if act == .park { try store.insertParkedChange(entry) }
      return
    }
    func take<Entity: StoredEntity>(_ type: Entity.Type) throws { try self.take(entry, as: type) }
    try take(kind.stored)
  }

  private mutating func take<Entity: StoredEntity>(_ entry: ChangeEntry, as _: Entity.Type) throws {
    let key = EntityKey(Entity.entityType, entry.entityId)
    let held = try store.heldEntry(kind: key.entityType, id: key.entityId)
    var facts = StoredFacts<Entity>(entry: entry, held: held, store: store)
    let verdict = try planner.onEntry(
      VersionedFeedPlanner.Candidate(
        key: key, version: entry.id, isDelete: entry.isDelete,
        held: held.map { .init(version: $0.id, isDelete: $0.isDelete, isBesideRow: $0.data != nil) }),
      &facts)
    if verdict.takesOutParked, let parked = facts.parked { try store.deleteParkedChange(parked) }
    switch verdict.act {
    case .drop:
      break
    case .park:
      try store.insertParkedChange(entry)
    case .hold:
      try replica.hold(entry)
      touched.append(key)
    case .holdAndShow:
      var copy = entry
      copy.data = nil
      try replica.hold(copy)
      if let entity = facts.entity { try Entity.write(entity, in: store) }
    }
  }

  private mutating func unpark() throws {
    while case let ids = planner.takeStirred(), !ids.isEmpty {
      for id in ids {
        for entry in try store.parkedChanges(about: id) { try retry(entry) }
      }
    }
  }

  private mutating func retry(_ entry: ChangeEntry) throws {
    try store.deleteParkedChange(entry)
    // If the entry still cannot be applied, this parks it again.
    try take(entry)
  }
}

private struct StoredFacts<Entity: StoredEntity>: VersionedFeedFacts {
  let entry: ChangeEntry
  let held: ChangeEntry?
  let store: any DataStoreProtocol
  var parked: ChangeEntry?
  var entity: Entity?

  init(entry: ChangeEntry, held: ChangeEntry?, store: any DataStoreProtocol) {
    self.entry = entry
    self.held = held
    self.store = store
  }

  mutating func parkedVersion() throws -> Int64? {
    parked = try store.parkedChange(entityType: entry.entityType, entityId: entry.entityId)
    return parked?.id
  }

  mutating func content() -> VersionedFeedPlanner.Content {
    entity = entry.entity(as: Entity.self)
    return entity.map { .readable(parent: $0.parentEventTypeId) } ?? .unreadable
  }

  func heldParent() throws -> String? {
    guard let held else { return nil }
    let before = held.data == nil ? try Entity.find(id: held.entityId, in: store) : held.entity(as: Entity.self)
    return before?.parentEventTypeId
  }

  func hasLivingChildren() throws -> Bool {
    let eventTypeId = entry.entityId
    if try !store.heldEntries(under: eventTypeId).isEmpty { return true }
    func isHeldAsShown(_ kind: MutationEntityType, _ id: String) throws -> Bool {
      guard let held = try store.heldEntry(kind: kind, id: id) else { return false }
      return !held.isDelete && held.data == nil
    }
    if try store.events(in: nil, ofType: eventTypeId, limit: nil).contains(where: { try isHeldAsShown(.event, $0.id) })
    {
      return true
    }
    func has<Child: StoredEntity>(_ type: Child.Type) throws -> Bool {
      try Child.fetchAll(in: store).contains {
        try $0.parentEventTypeId == eventTypeId && isHeldAsShown(Child.entityType, $0.id)
      }
    }
    return try MutationEntityType.parentsFirst.contains {
      try $0.isChildOfEventType && $0 != .event && has($0.stored)
    }
  }

  func isOverlaid() throws -> Bool {
    try !Replica(store: store).overlay(of: EntityKey(Entity.entityType, entry.entityId)).isEmpty
  }

  func isHeldAlive(eventTypeId: String) throws -> Bool {
    try Replica(store: store).isHeldAlive(eventTypeId: eventTypeId)
  }

  func isShown(eventTypeId: String) throws -> Bool { try store.findEventType(id: eventTypeId) != nil }
}
