import TrendyModels
import TrendyProtocols

extension VersionedReplication {
  func mark(_ mutation: inout PendingMutation, at stamp: Int64, _ knowledge: SyncMetadata) throws {
    if mutation.operation == .create {
      mutation.marks = [FieldVersion.others: FieldVersion(version: 0, stamp: stamp)]
      return
    }
    let record = try replica.held(mutation.key)
    let overlay = try replica.overlay(of: mutation.key)
    let held = record?.id ?? 0
    mutation.marks = [FieldVersion.others: FieldVersion(version: held, stamp: stamp)]
    switch mutation.operation {
    case .create: break
    case .update, .restore:
      if mutation.operation == .update { mutation.incarnation = replica.incarnation(of: record, under: overlay) }
      guard !overlay.isEmpty else { return }
      // A create with a natural key has no effect if the entity already exists, so it provides no base.
      let isImportOfLivingEntity = record?.isDelete == false && NaturalIdentifier.isNatural(mutation.entityId)
      let shown = overlay.filter { $0.operation != .create || !isImportOfLivingEntity }
      let before = try shown.map { (isCreate: $0.operation == .create, fields: try FieldChange.changes(of: $0)) }
      for name in try FieldChange.changes(of: mutation).keys {
        // The row still contains a pending or accepted value from this device. The new mutation inherits the base of
        // that value.
        guard let oldest = before.first(where: { $0.isCreate || $0.fields[name] != nil }) else { continue }
        let base = oldest.fields[name]?.base ?? 0
        if base != held { mutation.marks[name] = FieldVersion(version: base, stamp: stamp) }
      }
    case .delete:
      mutation.incarnation = replica.incarnation(of: record, under: overlay)
      mutation.base = try min(knowledge.complete, lowestBase(of: mutation.key), lowestBaseBeneath(mutation.key))
    }
  }

  func making(of key: EntityKey) throws -> CreateDisposition {
    let record = try replica.held(key)
    let overlay = try replica.overlay(of: key)
    if record == nil, overlay.isEmpty { return .first }
    if record?.isDelete == true || overlay.contains(where: { $0.operation == .delete }) {
      return .restore(incarnation: replica.incarnation(of: record, under: overlay) + 1)
    }
    return .again
  }

  func showCreated<Entity: StoredEntity>(_ entity: Entity) throws {
    try replica.show(EntityKey(Entity.entityType, entity.id))
  }

  func remove<Entity: StoredEntity>(_: Entity.Type, id: String, isCancelled _: Bool) throws {
    try replica.hide(EntityKey(Entity.entityType, id))
  }

  func refreshVisibleState(_ key: EntityKey) throws { try replica.show(key) }

  func isLocalOnly(_ key: EntityKey) throws -> Bool {
    try !replica.isKnown(key) && replica.overlay(of: key).isEmpty
  }

  /// Always `true`, because the replica keeps the data of a deleted entity.
  func canRestore(_: EntityKey) -> Bool { true }
}

// MARK: Base of a delete

extension VersionedReplication {
  /// Returns the version up to which the user has seen an entity.
  ///
  /// This device's pending and accepted edits hide the replica, so the user has seen the replica only up to the bases
  /// of these edits. A parked entry has not been seen either.
  private func lowestBase(of key: EntityKey) throws -> Int64 {
    var lowest = try replica.parked(key).map { $0.id - 1 } ?? .max
    let isKnown = try replica.isKnown(key)
    for mutation in try replica.overlay(of: key) where mutation.operation != .delete {
      // A create of a new entity has no base. A create with a natural id has no effect on an existing entity.
      if mutation.operation == .create, !isKnown || NaturalIdentifier.isNatural(key.entityId) { continue }
      for change in try FieldChange.changes(of: mutation).values { lowest = min(lowest, change.base) }
    }
    return lowest
  }

  private func lowestBaseBeneath(_ key: EntityKey) throws -> Int64 {
    guard key.entityType == .eventType else { return .max }
    let counts = try store.syncCounts()
    guard counts.pending + counts.accepted + counts.parked > 0 else { return .max }
    // A pending edit can also hide that another device moved an entity to this type.
    let held = Set(try store.heldEntries(under: key.entityId).compactMap(\.key))
    func isBeneath<Entity: StoredEntity>(_ type: Entity.Type, _ id: String) throws -> Bool {
      try Entity.find(id: id, in: store)?.parentEventTypeId == key.entityId
    }
    var lowest = try store.parkedChanges(about: key.entityId).map { $0.id - 1 }.min() ?? .max
    let unsettled = Set(
      try store.fetchPendingMutations().map(\.key) + store.fetchAcceptedMutations().map(\.key)
        + store.fetchParkedChanges().compactMap(\.key))
    for child in unsettled where child.entityType.isChildOfEventType {
      if try held.contains(child) || isBeneath(child.entityType.stored, child.entityId) {
        lowest = min(lowest, try lowestBase(of: child))
      }
    }
    return lowest
  }
}

extension Replica {
  func incarnation(of record: ChangeEntry?, under overlay: [PendingMutation]) -> Int64 {
    overlay.filter { $0.operation == .restore }.map(\.incarnation).reduce(record?.incarnation ?? 0, max)
  }
}
