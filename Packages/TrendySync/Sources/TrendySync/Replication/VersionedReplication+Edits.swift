import TrendyModels
import TrendyProtocols

extension VersionedReplication {
  func mark(_ mutation: inout PendingMutation, at stamp: Int64, _ knowledge: SyncMemory) throws {
    if mutation.operation == .create {
      mutation.marks = [FieldMark.others: FieldMark(version: 0, stamp: stamp)]
      return
    }
    let record = try replica.held(mutation.key)
    let overlay = try replica.overlay(of: mutation.key)
    let held = record?.id ?? 0
    mutation.marks = [FieldMark.others: FieldMark(version: held, stamp: stamp)]
    switch mutation.operation {
    case .create: break
    case .update, .restore:
      if mutation.operation == .update { mutation.incarnation = replica.life(of: record, under: overlay) }
      guard !overlay.isEmpty else { return }
      // Of an import nothing is shown where the thing lives.
      let isImportOfWhatLives = record?.isDelete == false && NaturalIdentifier.isNatural(mutation.entityId)
      let shown = overlay.filter { $0.operation != .create || !isImportOfWhatLives }
      let before = try shown.map { (isCreate: $0.operation == .create, fields: try FieldChange.changes(of: $0)) }
      for name in try FieldChange.changes(of: mutation).keys {
        // What is shown of the field is the device's own: it was based on what that was based on.
        guard let oldest = before.first(where: { $0.isCreate || $0.fields[name] != nil }) else { continue }
        let base = oldest.fields[name]?.base ?? 0
        if base != held { mutation.marks[name] = FieldMark(version: base, stamp: stamp) }
      }
    case .delete:
      mutation.incarnation = replica.life(of: record, under: overlay)
      mutation.base = try min(knowledge.complete, lowestBase(of: mutation.key), lowestBaseBeneath(mutation.key))
    }
  }

  func making(of key: EntityKey) throws -> Making {
    let record = try replica.held(key)
    let overlay = try replica.overlay(of: key)
    if record == nil, overlay.isEmpty { return .first }
    if record?.isDelete == true || overlay.contains(where: { $0.operation == .delete }) {
      return .restore(incarnation: replica.life(of: record, under: overlay) + 1)
    }
    return .again
  }

  func showMade<Entity: StoredEntity>(_ entity: Entity) throws {
    try replica.show(EntityKey(Entity.entityType, entity.id))
  }

  func remove<Entity: StoredEntity>(_: Entity.Type, id: String, isCancelled _: Bool) throws {
    try replica.hide(EntityKey(Entity.entityType, id))
  }

  func showAgain(_ key: EntityKey) throws { try replica.show(key) }

  func isNowhereElse(_ key: EntityKey) throws -> Bool {
    try !replica.isKnown(key) && replica.overlay(of: key).isEmpty
  }

  /// A copy is held of what was deleted.
  func canComeBack(_: EntityKey) -> Bool { true }
}

// MARK: What the author of a delete has seen

extension VersionedReplication {
  /// What the person who deletes an entity has seen of it: no more than their own unsettled edits were based on, which are shown in
  /// place of what is held, and nothing of an entry that is parked.
  private func lowestBase(of key: EntityKey) throws -> Int64 {
    var lowest = try replica.parked(key).map { $0.id - 1 } ?? .max
    let isKnown = try replica.isKnown(key)
    for mutation in try replica.overlay(of: key) where mutation.operation != .delete {
      // Nothing lies under the making of what no other device has changed, nor under an import of what is there.
      if mutation.operation == .create, !isKnown || NaturalIdentifier.isNatural(key.entityId) { continue }
      for change in try FieldChange.changes(of: mutation).values { lowest = min(lowest, change.base) }
    }
    return lowest
  }

  /// As above, of all that goes with an event type.
  private func lowestBaseBeneath(_ key: EntityKey) throws -> Int64 {
    guard key.entityType == .eventType else { return .max }
    let counts = try store.syncCounts()
    guard counts.pending + counts.accepted + counts.parked > 0 else { return .max }
    func isBeneath<Entity: StoredEntity>(_ type: Entity.Type, _ id: String) throws -> Bool {
      try Entity.find(id: id, in: store)?.parentEventTypeId == key.entityId
    }
    var lowest = try store.parkedChanges(about: key.entityId).map { $0.id - 1 }.min() ?? .max
    let unsettled = Set(
      try store.fetchPendingMutations().map(\.key) + store.fetchAcceptedMutations().map(\.key)
        + store.fetchParkedChanges().compactMap(\.key))
    for child in unsettled where child.entityType.isChildOfEventType {
      if try isBeneath(child.entityType.stored, child.entityId) { lowest = min(lowest, try lowestBase(of: child)) }
    }
    return lowest
  }
}

extension Replica {
  /// The life of an entity that an edit made now means.
  func life(of record: ChangeEntry?, under overlay: [PendingMutation]) -> Int64 {
    overlay.filter { $0.operation == .restore }.map(\.incarnation).reduce(record?.incarnation ?? 0, max)
  }
}
