import TrendyModels
import TrendyProtocols

/// Carries a page of a hub's feed into a unit of work. It does not save: the page's cursor goes into the same save.
///
/// An entry that would leave a living child without a living parent is parked; what is held and shown stays as it was until the
/// entry fits.
struct VersionedFeed {
  private let store: any DataStoreProtocol
  private let replica: Replica
  /// Whether entries are taken though what is held is as new: a snapshot makes good what went wrong here.
  private let isAnew: Bool
  /// Whether anything lies over the hub's copies at all; most pages meet nothing.
  private let hasOverlay: Bool
  private var mayBeParked: Bool
  /// Parents that now live, or lost a child: what is parked about them may fit.
  private var stirred: [String] = []
  private var touched: [EntityKey] = []
  private var livingTypes: [String: Bool] = [:]
  private var shownTypes: Set<String> = []

  init(store: any DataStoreProtocol, isAnew: Bool = false) throws {
    self.store = store
    self.isAnew = isAnew
    replica = Replica(store: store)
    let counts = try store.syncCounts()
    hasOverlay = counts.pending > 0 || counts.accepted > 0
    mayBeParked = counts.parked > 0
  }

  mutating func apply(_ entries: [ChangeEntry], cursor: Int64) throws {
    for entry in entries { try take(entry) }
    try unpark()
    touched += try replica.sweep(cursor: cursor)
    for key in touched.inShowingOrder { try replica.show(key) }
  }

  /// Tries everything that is parked: an earlier version may have parked what this one can read.
  mutating func retryAll() throws {
    for entry in try store.fetchParkedChanges() { try retry(entry) }
  }
}

extension VersionedFeed {
  private mutating func take(_ entry: ChangeEntry) throws {
    guard let kind = MutationEntityType(rawValue: entry.entityType), entry.fault == nil else {
      return try parkUnread(entry)
    }
    let held = try store.heldEntry(kind: kind, id: entry.entityId)
    if let held, held.id >= entry.id, !isAnew { return }
    if mayBeParked, let parked = try store.parkedChange(entityType: entry.entityType, entityId: entry.entityId) {
      if parked.id >= entry.id, !isAnew { return }
      try store.deleteParkedChange(parked)
    }
    func take<Entity: StoredEntity>(_ type: Entity.Type) throws { try self.take(entry, over: held, as: type) }
    try take(kind.stored)
  }

  private mutating func take<Entity: StoredEntity>(
    _ entry: ChangeEntry, over held: ChangeEntry?, as type: Entity.Type
  ) throws {
    let key = EntityKey(Entity.entityType, entry.entityId)
    if entry.isDelete {
      if key.entityType == .eventType, try hasLivingChildren(entry.entityId) { return try park(entry) }
      try leave(held, as: type)
      if key.entityType == .eventType { livingTypes[entry.entityId] = false }
      try replica.hold(entry)
      touched.append(key)
      return
    }
    guard let entity = entry.entity(as: type) else { return try park(entry) }
    if let parent = entity.parentEventTypeId, try !isLiving(eventTypeId: parent) { return try park(entry) }
    if held?.isDelete == false { try leave(held, as: type, for: entity.parentEventTypeId) }
    if key.entityType == .eventType {
      livingTypes[entry.entityId] = true
      if held?.isDelete ?? true { stirred.append(entry.entityId) }
    }
    // What nothing lies over is shown as it is; for the rest the copy is kept until it is known what is shown.
    if try canBeShownAtOnce(entity, key, over: held) {
      var copy = entry
      copy.data = nil
      try replica.hold(copy)
      try Entity.write(entity, in: store)
    } else {
      try replica.hold(entry)
      touched.append(key)
    }
  }

  private mutating func canBeShownAtOnce<Entity: StoredEntity>(
    _ entity: Entity, _ key: EntityKey, over held: ChangeEntry?
  ) throws -> Bool {
    // A type that begins to be shown brings what was hidden with it.
    if key.entityType == .eventType, held?.isDelete ?? true { return false }
    if held?.data != nil { return false }
    if hasOverlay, try !replica.overlay(of: key).isEmpty { return false }
    guard let parent = entity.parentEventTypeId else { return true }
    // No row is taken away before all entries are in.
    if shownTypes.contains(parent) { return true }
    guard try store.findEventType(id: parent) != nil else { return false }
    shownTypes.insert(parent)
    return true
  }

  /// The parent that an entity had is one child poorer.
  private mutating func leave<Entity: StoredEntity>(
    _ held: ChangeEntry?, as type: Entity.Type, for newParent: String? = nil
  ) throws {
    guard mayBeParked, Entity.entityType.isChildOfEventType, let held, !held.isDelete else { return }
    let before = held.data == nil ? try Entity.find(id: held.entityId, in: store) : held.entity(as: type)
    if let parent = before?.parentEventTypeId, parent != newParent { stirred.append(parent) }
  }

  private mutating func isLiving(eventTypeId: String) throws -> Bool {
    if let known = livingTypes[eventTypeId] { return known }
    let isLiving = try replica.isHeldAlive(eventTypeId: eventTypeId)
    livingTypes[eventTypeId] = isLiving
    return isLiving
  }

  /// Whether anything that is held alive hangs on the type, whatever is shown of it.
  private func hasLivingChildren(_ eventTypeId: String) throws -> Bool {
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

  /// Parks an entry that this version cannot read, unless what is held or parked is as new.
  private mutating func parkUnread(_ entry: ChangeEntry) throws {
    if !isAnew {
      if let held = try replica.held(entry), held.id >= entry.id { return }
      if let parked = try store.parkedChange(entityType: entry.entityType, entityId: entry.entityId),
        parked.id >= entry.id
      {
        return
      }
    }
    try park(entry)
  }

  private mutating func park(_ entry: ChangeEntry) throws {
    try store.insertParkedChange(entry)
    mayBeParked = true
  }

  private mutating func unpark() throws {
    while !stirred.isEmpty {
      let ids = Set(stirred).sorted()
      stirred = []
      for id in ids {
        for entry in try store.parkedChanges(about: id) { try retry(entry) }
      }
    }
  }

  private mutating func retry(_ entry: ChangeEntry) throws {
    try store.deleteParkedChange(entry)
    // It parks itself again if it does not fit.
    try take(entry)
  }
}
