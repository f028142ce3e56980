#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols

/// Writes what a person does into a unit of work: the entity as they see it, and the mutation that tells the hub.
///
/// It does not save: who made the unit does, once, or rolls back.
struct EditWriter {
  let store: any DataStoreProtocol
  let clock: any TimeSource
  let chance: Chance

  /// - Returns: whether anything was recorded: not where the same thing is held already, or an import was deleted here.
  func record<Entity: StoredEntity>(_ entity: Entity) throws -> Bool {
    try store.takeWriteLock()
    let key = EntityKey(Entity.entityType, entity.id)
    let payload = try WireJSON.encode(entity.createRequest)
    let mutation = newMutation(key, .create, payload: payload)
    let isImport = try Coalescing.hasNaturalKey(mutation)
    if let held = try Entity.find(id: entity.id, in: store) {
      if isImport { return false }
      if try !wasRefused(key, held) { return try edit(held, to: entity) }
    }
    if let tombstone = try store.tombstone(of: key) {
      if isImport { return false }
      try store.deleteTombstone(tombstone)
    }
    try enqueue(mutation)
    try write(entity)
    return true
  }

  /// - Throws: ``RecorderError/notHeld(_:id:)``, or what `change` throws.
  func edit<Entity: StoredEntity>(_: Entity.Type, id: String, _ change: (inout Entity) throws -> Void) throws -> Entity
  {
    try store.takeWriteLock()
    guard let held = try Entity.find(id: id, in: store) else { throw RecorderError.notHeld(Entity.entityType, id: id) }
    var changed = held
    try change(&changed)
    _ = try edit(held, to: changed)
    return try Entity.find(id: id, in: store) ?? changed
  }

  /// - Returns: whether there was anything to delete.
  func delete<Entity: StoredEntity>(_: Entity.Type, id: String) throws -> Bool {
    try store.takeWriteLock()
    let key = EntityKey(Entity.entityType, id)
    guard try Entity.find(id: id, in: store) != nil || store.hasPendingMutation(of: key) else { return false }
    try remove(Entity.self, id: id)
    return true
  }

  /// Applies a ready payload to the entity and queues it.
  func queue<Entity: StoredEntity>(
    _: Entity.Type, operation: MutationOperation, id: String, payload: Data
  ) throws {
    try store.takeWriteLock()
    let key = EntityKey(Entity.entityType, id)
    switch operation {
    case .create, .restore:
      let entity = Entity(try WireJSON.decode(Entity.CreateRequest.self, from: payload))
      guard entity.id == id else {
        throw RecorderError.otherEntity(Entity.entityType, id: id, payloadId: entity.id)
      }
      if let tombstone = try store.tombstone(of: key) { try store.deleteTombstone(tombstone) }
      try enqueue(newMutation(key, .create, payload: payload))
      try write(entity)
    case .update:
      let request = try WireJSON.decode(Entity.UpdateRequest.self, from: payload)
      try enqueue(newMutation(key, .update, payload: payload))
      // The hub may hold what this device does not: then there is nothing to show, and still something to tell.
      if var entity = try Entity.find(id: id, in: store) {
        entity.apply(request)
        try write(entity)
      }
    case .delete:
      try remove(Entity.self, id: id)
    }
  }
}

extension EditWriter {
  /// - Returns: whether any field differs.
  private func edit<Entity: StoredEntity>(_ held: Entity, to changed: Entity) throws -> Bool {
    guard let request = changed.updateRequest(from: held) else { return false }
    try enqueue(
      newMutation(EntityKey(Entity.entityType, held.id), .update, payload: try WireJSON.encode(request)))
    // What an update cannot say (members that this version does not know) stays as the hub gave it.
    var shown = held
    shown.apply(request)
    try write(shown)
    return true
  }

  private func write<Entity: StoredEntity>(_ entity: Entity) throws {
    var entity = entity
    entity.syncStatus = .pending
    try Entity.write(entity, in: store)
  }

  /// Whether the row is a create that the hub did not take: to it, the entity does not exist.
  private func wasRefused(_ key: EntityKey, _ held: some StoredEntity) throws -> Bool {
    guard held.syncStatus == .failed else { return false }
    return try store.fetchConflicts().contains {
      $0.entityType == key.entityType && $0.entityId == key.entityId && $0.operation == .create
    }
  }

  private func remove<Entity: StoredEntity>(_: Entity.Type, id: String) throws {
    let key = EntityKey(Entity.entityType, id)
    let effect = try enqueue(newMutation(key, .delete, payload: Data()))
    // What the hub never heard of cannot come back from it.
    if case .cancel = effect {} else { try store.insertTombstone(Tombstone(entityType: key.entityType, entityId: id)) }
    if key.entityType == .eventType {
      // Read before the cascade takes them. Who belongs to a type is decided at the hub, where one may have been moved out in time:
      // under version 0 any entry passes, and is shown if its parent is.
      for event in try store.events(in: nil, ofType: id, limit: nil) {
        try store.insertTombstone(Tombstone(entityType: .event, entityId: event.id, version: 0))
      }
      for definition in try store.fetchAllPropertyDefinitions() where definition.eventTypeId == id {
        try store.insertTombstone(Tombstone(entityType: .propertyDefinition, entityId: definition.id, version: 0))
      }
    }
    try Entity.delete(id: id, in: store)
  }

  private func newMutation(_ key: EntityKey, _ operation: MutationOperation, payload: Data) -> PendingMutation {
    let now = clock.now
    return PendingMutation(
      id: chance.identifier(at: now), entityType: key.entityType, entityId: key.entityId, operation: operation,
      payload: payload, createdAt: now)
  }

  @discardableResult
  private func enqueue(_ mutation: PendingMutation) throws -> Coalescing.Effect {
    guard try mayMeetOthers(mutation) else {
      try store.insertPendingMutation(mutation)
      return .append
    }
    var mutation = mutation
    let queue = try store.fetchPendingMutations()
    // The queue lies by time: a clock set back must not put a move before the making of what it points to.
    if let last = queue.map(\.createdAt).max() { mutation.createdAt = max(mutation.createdAt, last) }
    let effect = try Coalescing.onMutation(mutation, queue: queue)
    switch effect {
    case .append:
      try store.insertPendingMutation(mutation)
    case .merge(let merged):
      try store.insertPendingMutation(merged)
    case .replace(let edits):
      for edit in edits { try store.deletePendingMutation(edit) }
      try store.insertPendingMutation(mutation)
    case .cancel(let create):
      try store.deletePendingMutation(create)
    case .drop:
      break
    }
    return effect
  }

  /// Whether the rest of the queue matters to it. Most things that are recorded are new and stand on what is long settled: they
  /// need not wait for a long queue to be read.
  private func mayMeetOthers(_ mutation: PendingMutation) throws -> Bool {
    if mutation.operation == .delete { return true }
    if try store.hasPendingMutation(of: mutation.key) { return true }
    return try Coalescing.references(in: mutation.payload).contains { try store.hasPendingMutation(of: $0) }
  }
}

extension DataStoreProtocol {
  /// Takes the write lock by a write without effect, so that what is read from here on is what is changed.
  func takeWriteLock() throws {
    try deleteTombstone(Tombstone(entityType: .event, entityId: ""))
  }
}
