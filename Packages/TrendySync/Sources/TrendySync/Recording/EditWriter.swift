import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Records edits in a unit of work: the entity as the user sees it and the mutation to send to the hub.
///
/// Does not save. The owner of the unit calls ``finish()`` and then saves once, or rolls back.
final class EditWriter {
  let store: any DataStoreProtocol
  let clock: any TimeSource
  let random: RandomSource
  private let replica: Replica
  private var memory: SyncMetadata?
  /// Replication that ``memory`` selects, determined once per unit.
  private var chosen: (any Replication)?
  /// Creation time of the last mutation in the queue.
  ///
  /// Read once: no other unit can append while this unit holds the write lock, and an import appends thousands of
  /// mutations.
  private var latest: Date?
  /// Stamp shared by all mutations of this unit. With one stamp per mutation, an import of 60,000 rows would put the
  /// device a minute ahead of its clock.
  private var stamp: Int64?
  private var hasWriteLock = false
  /// Ids of event types that this unit has already found in the store. The cache saves an import one lookup per event.
  private var livingTypes: Set<String> = []
  private var savedEvents: [String] = []

  init(store: any DataStoreProtocol, clock: any TimeSource, random: RandomSource) {
    self.store = store
    self.clock = clock
    self.random = random
    replica = Replica(store: store)
  }

  /// Records an entity: creates it, or edits the stored entity with the same id.
  /// - Parameters:
  ///   - entity: The entity to record.
  ///   - isAsked: Whether the user selected this entity. If not, an imported entity that is already stored or was
  ///     deleted is skipped.
  /// - Returns: Whether anything was recorded. An unchanged entity or a skipped import is not recorded.
  func record<Entity: StoredEntity>(_ entity: Entity, isAsked: Bool = false) throws -> Bool {
    try recordedPayload(of: entity, isAsked: isAsked) != nil
  }

  /// Records an entity like ``record(_:isAsked:)``.
  /// - Returns: JSON of the create request, or `nil` if nothing was recorded.
  /// - Throws: ``RecorderError/parentDeleted(_:id:eventTypeId:)`` if the event type has been deleted, possibly by
  ///   another process after the user chose it; ``RecorderError/unwritableTime(_:id:)``;
  ///   ``RecorderError/invalidValue(_:_:)``.
  func recordedPayload<Entity: StoredEntity>(of entity: Entity, isAsked: Bool = false) throws -> Data? {
    try entity.checkTimes()
    try check(Entity.self) { () throws(FieldError) in try entity.checkLimits() }
    try beginWriting()
    let entity = try underHeir(entity)
    let key = EntityKey(Entity.entityType, entity.id)
    let payload = try WireJSON.encode(entity.createRequest)
    let mutation = newMutation(key, .create, payload: payload)
    let isImport = !isAsked && Coalescing.hasNaturalKey(entity)
    if let held = try Entity.find(id: entity.id, in: store) {
      if isImport { return nil }
      if try !wasRefused(held) { return try edit(held, to: entity) ? payload : nil }
    }
    try checkType(of: entity)
    if let tombstone = try store.tombstone(of: key) {
      if isImport { return nil }
      try store.deleteTombstone(tombstone)
    }
    let making = try replication.making(of: key)
    if making == .first {
      try enqueue(mutation)
      try entity.writePending(in: store)
      if Entity.entityType == .event { savedEvents.append(entity.id) }
      return payload
    }
    if isImport { return nil }
    if case .restore(let incarnation) = making {
      try enqueue(newMutation(key, .restore, payload: payload, incarnation: incarnation))
    } else {
      try enqueue(mutation)
    }
    try replication.showCreated(entity)
    return payload
  }

  /// Records an event whose id is known to be unused in the store.
  /// - Returns: JSON of the create request.
  /// - Throws: The errors of ``recordedPayload(of:isAsked:)``.
  func recordNew(_ event: Event) throws -> Data {
    try event.checkTimes()
    try check(Event.self) { () throws(FieldError) in try event.checkLimits() }
    var event = try underHeir(event)
    try checkType(of: event)
    let payload = try WireJSON.encode(event.createRequest)
    var mutation = newMutation(EntityKey(.event, event.id), .create, payload: payload)
    try putLast(&mutation)
    try mark(&mutation)
    event.syncStatus = .pending
    try store.insertNew(event, with: mutation)
    savedEvents.append(event.id)
    return payload
  }

  /// Changes a stored entity and returns its new state.
  /// - Throws: ``RecorderError/notHeld(_:id:)`` if the entity is not stored, ``RecorderError/unwritableTime(_:id:)``,
  ///   or the error that `change` threw.
  func edit<Entity: StoredEntity>(_: Entity.Type, id: String, _ change: (inout Entity) throws -> Void) throws -> Entity
  {
    try beginWriting()
    guard let held = try Entity.find(id: id, in: store) else { throw RecorderError.notHeld(Entity.entityType, id: id) }
    var changed = held
    try change(&changed)
    _ = try edit(held, to: changed)
    return try Entity.find(id: id, in: store) ?? changed
  }

  /// Deletes an entity that is stored or has a pending mutation.
  /// - Parameters:
  ///   - id: Id of the entity.
  ///   - heir: Event type into which a deleted event type was merged, or `nil` if it was not merged.
  ///   - undoesImport: Whether the user can restore the entity by importing it again on any device.
  /// - Returns: Whether there was anything to delete.
  func delete<Entity: StoredEntity>(
    _: Entity.Type, id: String, mergedInto heir: String? = nil, undoesImport: Bool = false
  ) throws -> Bool {
    try beginWriting()
    let key = EntityKey(Entity.entityType, id)
    guard try Entity.find(id: id, in: store) != nil || store.hasPendingMutation(of: key) else { return false }
    var members: [String: JSONValue] = [:]
    if let heir { members[SyncedKind.mergedInto] = .string(heir) }
    if undoesImport { members[SyncedKind.importUndone] = true }
    try remove(Entity.self, id: id, payload: members.isEmpty ? Data() : WireJSON.encode(members))
    return true
  }

  /// Whether an event is an unchanged import that exists only on this device.
  ///
  /// Its only mutation is a create that was never sent, and the replica has no entry for it. The payload of the create
  /// therefore describes the event completely. `isMeant` compares the payload with the expected event.
  func isUntouchedImport(eventId id: String, where isMeant: (Data) -> Bool) throws -> Bool {
    guard NaturalIdentifier.isNatural(id) else { return false }
    let key = EntityKey(.event, id)
    let waiting = try store.pendingMutations(ofEntity: id)
    guard waiting.count == 1, let making = waiting.first, making.key == key, making.operation == .create,
      making.wasNeverSent, isMeant(making.payload)
    else { return false }
    return try store.acceptedMutations(ofEntity: id).isEmpty && replica.held(key) == nil && store.holdsEvent(id: id)
  }

  func deleteUntouchedImport(eventId id: String) throws {
    try beginWriting()
    // The create is not cancelled: another device may have imported the same event, and the delete must reach it.
    try append(
      newMutation(EntityKey(.event, id), .delete, payload: WireJSON.encode([SyncedKind.importUndone: true])))
    try replication.remove(Event.self, id: id, isCancelled: false)
  }

  /// Deletes an entity even if it is not visible on this device.
  ///
  /// An entity that exists at the hub is invisible here while its event type is deleted, and also after its delete was
  /// removed from the queue, until the next snapshot.
  func deleteUnseen<Entity: StoredEntity>(_ type: Entity.Type, id: String) throws {
    if try delete(type, id: id) { return }
    let key = EntityKey(Entity.entityType, id)
    // Without a replica entry, the entity may still exist at the hub, or on another device that imported the same data.
    let isImport = NaturalIdentifier.isNatural(id)
    if try replica.held(key).map({ !$0.isDelete }) ?? (isImport || !replication.isLocalOnly(key)) {
      try remove(type, id: id)
    }
  }

  /// Restores a deleted entity in a new incarnation, or cancels a delete that was never sent.
  /// - Parameters:
  ///   - id: Id of the entity.
  ///   - parent: Event type to assign, or `nil` to keep the entity's own.
  /// - Returns: Whether the entity was deleted and has been restored.
  /// - Throws: ``RecorderError/notHeld(_:id:)`` if its values are unknown on this device,
  ///   ``RecorderError/parentDeleted(_:id:eventTypeId:)`` if the event type has been deleted,
  ///   ``RecorderError/deletionUnderWay(_:id:)`` if the hub has not answered the deletion yet.
  func restore<Entity: StoredEntity>(_: Entity.Type, id: String, under parent: String?) throws -> Bool {
    try beginWriting()
    if try Entity.find(id: id, in: store) != nil { return false }
    let key = EntityKey(Entity.entityType, id)
    guard try replication.canRestore(key) else { throw RecorderError.notHeld(Entity.entityType, id: id) }
    let overlay = try replica.overlay(of: key)
    if let last = overlay.last, last.operation == .delete, last.wasNeverSent {
      let before = try beforeDeletion(Entity.self, key, overlay)
      // The create has been moved to the journal, so nothing would be left once the delete is cancelled.
      if before == nil, try replica.held(key) == nil { throw RecorderError.notHeld(Entity.entityType, id: id) }
      let own = before?.parentEventTypeId
      let wanted = parent ?? own
      if let wanted, try store.findEventType(id: wanted) == nil {
        throw RecorderError.parentDeleted(Entity.entityType, id: id, eventTypeId: wanted)
      }
      // In the queue, the type's delete precedes any move of the entity, so the hub would delete the entity before
      // moving it.
      if let own, try store.findEventType(id: own) == nil {
        throw RecorderError.deletionUnderWay(Entity.entityType, id: id)
      }
      try undo(last)
      if let wanted, wanted != own {
        try enqueue(newMutation(key, .update, payload: WireJSON.encode(["event_type_id": wanted])))
        try replica.show(key)
      }
      return true
    }
    guard overlay.isEmpty else { throw RecorderError.deletionUnderWay(Entity.entityType, id: id) }
    guard let record = try replica.held(key), record.isDelete, let entity = record.completeEntity(as: Entity.self)
    else {
      throw RecorderError.notHeld(Entity.entityType, id: id)
    }
    var payload: [String: JSONValue] = [:]
    if let own = entity.parentEventTypeId {
      let wanted = parent ?? own
      guard try store.findEventType(id: wanted) != nil else {
        throw RecorderError.parentDeleted(Entity.entityType, id: id, eventTypeId: wanted)
      }
      if wanted != own { payload["event_type_id"] = .string(wanted) }
    }
    try enqueue(
      newMutation(key, .restore, payload: try WireJSON.encode(payload), incarnation: record.incarnation + 1))
    try replica.show(key)
    return true
  }

  /// Restores a deleted entity with the values and the event type of `entity` instead of its last values and type.
  /// - Returns: Whether the entity was deleted and has been restored.
  /// - Throws: The errors of ``restore(_:id:under:)``; also ``RecorderError/deletionUnderWay(_:id:)`` while the delete
  ///   of its previous event type is pending, because the hub would delete the restored entity as well.
  func restore<Entity: StoredEntity>(as entity: Entity) throws -> Bool {
    try beginWriting()
    if try Entity.find(id: entity.id, in: store) != nil { return false }
    let key = EntityKey(Entity.entityType, entity.id)
    let overlay = try replica.overlay(of: key)
    if let last = overlay.last, last.operation == .delete, last.wasNeverSent {
      if try overlay.allSatisfy(\.wasNeverSent) && !replica.isKnown(key) {
        // Queue a new create, because no mutation was sent. It must follow the creates of the entities that it refers
        // to.
        for mutation in overlay { try store.deletePendingMutation(mutation) }
        if let tombstone = try store.tombstone(of: key) { try store.deleteTombstone(tombstone) }
        return try self.record(entity)
      }
      let before = try beforeDeletion(Entity.self, key, overlay)
      if let parent = before?.parentEventTypeId, try store.findEventType(id: parent) == nil {
        throw RecorderError.deletionUnderWay(Entity.entityType, id: entity.id)
      }
    }
    guard try restore(Entity.self, id: entity.id, under: entity.parentEventTypeId) else { return false }
    if let row = try Entity.find(id: entity.id, in: store) { _ = try edit(row, to: entity) }
    return true
  }

  func queue<Entity: StoredEntity>(
    _: Entity.Type, operation: MutationOperation, id: String, payload: Data
  ) throws {
    try beginWriting()
    let key = EntityKey(Entity.entityType, id)
    switch operation {
    case .create, .restore:
      let entity = Entity(try WireJSON.decode(Entity.CreateRequest.self, from: payload))
      guard entity.id == id else {
        throw RecorderError.otherEntity(Entity.entityType, id: id, payloadId: entity.id)
      }
      try check(Entity.self) { () throws(FieldError) in try entity.checkLimits() }
      if let tombstone = try store.tombstone(of: key) { try store.deleteTombstone(tombstone) }
      if let row = try Entity.find(id: id, in: store) { try replica.keep(row) }
      let incarnation =
        operation == .restore ? try replica.incarnation(of: replica.held(key), under: replica.overlay(of: key)) + 1 : 0
      try enqueue(newMutation(key, operation, payload: payload, incarnation: incarnation))
      try replication.showCreated(entity)
    case .update:
      let request = try WireJSON.decode(Entity.UpdateRequest.self, from: payload)
      let row = try Entity.find(id: id, in: store)
      var changed = row
      changed?.apply(request)
      try check(Entity.self) { () throws(FieldError) in try Entity.checkLimits(of: request, in: changed) }
      if let row { try replica.keep(row) }
      try enqueue(newMutation(key, .update, payload: payload))
      // If the entity exists only at the hub, queue the update without changing a row.
      if let entity = changed {
        if let parent = entity.parentEventTypeId, try store.findEventType(id: parent) == nil {
          try replica.hide(key)
        } else {
          try entity.writePending(in: store)
        }
      }
    case .delete:
      try remove(Entity.self, id: id)
    }
  }

  /// Acquires the store's write lock, which blocks writers in all processes until the unit ends.
  func beginWriting() throws {
    if hasWriteLock { return }
    try store.beginWriting()
    hasWriteLock = true
  }

  /// Writes this unit's changes to the sync metadata, such as the last stamp. Must be called before the save.
  func finish() throws {
    try store.noteSaved(events: savedEvents, at: clock.now)
    if let memory { try store.setSyncMemory(memory) }
  }
}

extension EditWriter {
  /// Recomputes the entity's row from the replica and the overlay.
  ///
  /// Required when a mutation leaves the queue without being applied, because the row still contains its values.
  func refreshVisibleState(_ key: EntityKey) throws { try replication.refreshVisibleState(key) }

  /// Whether the entity exists only as a row, without a replica entry and without pending or accepted mutations.
  func isLocalOnly(_ key: EntityKey) throws -> Bool { try replication.isLocalOnly(key) }

  private var replication: any Replication {
    get throws {
      if let chosen { return chosen }
      let replication = ReplicationChoice(store: store, clock: clock, random: random).forStore(try knowledge())
      chosen = replication
      return replication
    }
  }

  private func knowledge() throws -> SyncMetadata {
    if let memory { return memory }
    let read = try store.syncMemory() ?? SyncMetadata()
    memory = read
    return read
  }

  /// Queues an update with the fields that differ and applies it to the row. Returns whether any field differs.
  private func edit<Entity: StoredEntity>(_ held: Entity, to changed: Entity) throws -> Bool {
    let changed = changed.parentEventTypeId == held.parentEventTypeId ? changed : try underHeir(changed)
    guard let request = changed.updateRequest(from: held) else { return false }
    try changed.checkTimes()
    try check(Entity.self) { () throws(FieldError) in try Entity.checkLimits(of: request, in: changed) }
    if changed.parentEventTypeId != held.parentEventTypeId { try checkType(of: changed) }
    try replica.keep(held)
    try enqueue(
      newMutation(EntityKey(Entity.entityType, held.id), .update, payload: try WireJSON.encode(request)))
    // Apply the update to the stored row. Members unknown to this version are in no update and must keep their values.
    var shown = held
    shown.apply(request)
    try shown.writePending(in: store)
    return true
  }

  private func check<Entity: StoredEntity>(_: Entity.Type, _ body: () throws(FieldError) -> Void) throws(RecorderError)
  {
    do throws(FieldError) { try body() } catch { throw .invalidValue(Entity.entityType, error) }
  }

  /// Whether the hub refused the create of this row. The entity then does not exist there.
  func wasRefused<Entity: StoredEntity>(_ row: Entity) throws -> Bool {
    guard row.syncStatus == .failed else { return false }
    return try store.fetchConflicts().contains {
      $0.entityType == Entity.entityType && $0.entityId == row.id && $0.operation == .create
    }
  }

  /// If the entity's event type was merged into another, possibly by another process after the user chose it, returns
  /// the entity moved to the other type.
  private func underHeir<Entity: StoredEntity>(_ entity: Entity) throws -> Entity {
    guard let type = entity.parentEventTypeId, !livingTypes.contains(type), try store.findEventType(id: type) == nil,
      let heir = try replica.heir(ofEventType: type)
    else { return entity }
    return entity.moved(toEventType: heir) ?? entity
  }

  /// Throws if the entity's event type has been deleted, because the entity would never be visible.
  ///
  /// An unknown event type is allowed: its entry may still arrive from the hub.
  private func checkType<Entity: StoredEntity>(of entity: Entity) throws {
    guard let type = entity.parentEventTypeId, !livingTypes.contains(type) else { return }
    if try store.findEventType(id: type) != nil {
      livingTypes.insert(type)
      return
    }
    let key = EntityKey(.eventType, type)
    let isDeleted =
      if try store.tombstone(of: key) != nil { true } else if case .restore = try replication.making(of: key) {
        true
      } else { false }
    if isDeleted { throw RecorderError.parentDeleted(Entity.entityType, id: entity.id, eventTypeId: type) }
  }

  private func remove<Entity: StoredEntity>(_: Entity.Type, id: String, payload: Data = Data()) throws {
    livingTypes.remove(id)
    let key = EntityKey(Entity.entityType, id)
    let effect = try enqueue(newMutation(key, .delete, payload: payload))
    let isCancelled = if case .cancel = effect { true } else { false }
    try replication.remove(Entity.self, id: id, isCancelled: isCancelled)
    // Insert a tombstone if the delete has cancelled the create. Otherwise another process could still record events of
    // this type.
    if isCancelled, Entity.entityType == .eventType {
      try store.insertTombstone(Tombstone(entityType: .eventType, entityId: id))
    }
  }

  private func beforeDeletion<Entity: StoredEntity>(
    _: Entity.Type, _ key: EntityKey, _ overlay: [PendingMutation]
  ) throws -> Entity? {
    let record = try replica.held(key)
    let living: Entity? = record.flatMap { $0.isDelete ? nil : $0.entity(as: Entity.self) }
    return Overlay.shown(living, of: record, under: Array(overlay.dropLast()))
  }

  /// Removes an unsent delete from the queue and requeues the edits that it carries.
  private func undo(_ delete: PendingMutation) throws {
    try store.deletePendingMutation(delete)
    if let tombstone = try store.tombstone(of: delete.key) { try store.deleteTombstone(tombstone) }
    var members =
      delete.payload.isEmpty ? [:] : try WireJSON.decode([String: JSONValue].self, from: delete.payload)
    for name in [SyncedKind.mergedInto, SyncedKind.importUndone] { members[name] = nil }
    if !members.isEmpty {
      var edits = newMutation(
        delete.key, .update, payload: try WireJSON.encode(members), incarnation: delete.incarnation)
      edits.marks = delete.marks
      try putLast(&edits)
      try store.insertPendingMutation(edits)
    }
    try replica.show(delete.key)
  }

  // MARK: Queue

  private func newMutation(
    _ key: EntityKey, _ operation: MutationOperation, payload: Data, incarnation: Int64 = 0
  ) -> PendingMutation {
    let now = clock.now
    return PendingMutation(
      id: random.identifier(at: now), entityType: key.entityType, entityId: key.entityId, operation: operation,
      payload: payload, createdAt: now, incarnation: incarnation)
  }

  private func append(_ mutation: PendingMutation) throws {
    var mutation = mutation
    try putLast(&mutation)
    try mark(&mutation)
    try store.appendPendingMutation(mutation)
  }

  @discardableResult
  private func enqueue(_ mutation: PendingMutation) throws -> Coalescing.Effect {
    var mutation = mutation
    try putLast(&mutation)
    try mark(&mutation)
    var effect = try Coalescing.onMutation(mutation, queue: queue(that: mutation))
    // Send the delete if the hub knows the entity although this store never sent the create. A copy of the store has
    // then sent it.
    if case .cancel = effect, try replica.isKnown(mutation.key) { effect = .append }
    switch effect {
    case .append:
      try store.appendPendingMutation(mutation)
    case .merge(let merged):
      try store.insertPendingMutation(merged)
    case .replace(let edits):
      for edit in edits { try store.deletePendingMutation(edit) }
      if try replication.canRestore(mutation.key) { mutation = try Coalescing.carrying(edits, by: mutation) }
      try store.insertPendingMutation(mutation)
    case .cancel(let create):
      try store.deletePendingMutation(create)
    case .drop:
      break
    }
    return effect
  }

  /// Raises the mutation's creation time to that of the last queued mutation, because the queue is ordered by time.
  ///
  /// Otherwise, after the clock was set back, a mutation could precede mutations already sent, or a move could precede
  /// the create of its target.
  private func putLast(_ mutation: inout PendingMutation) throws {
    if latest == nil { latest = try store.lastPendingMutation()?.createdAt }
    mutation.createdAt = max(mutation.createdAt, latest ?? mutation.createdAt)
    latest = mutation.createdAt
  }

  /// Returns the pending mutations that determine how this mutation is coalesced.
  ///
  /// Usually these are the entity's own mutations. To delete an entity whose create was never sent, the whole queue is
  /// needed: a reference to the entity prevents cancelling the create.
  private func queue(that mutation: PendingMutation) throws -> [PendingMutation] {
    let own = try store.pendingMutations(ofEntity: mutation.entityId)
    // A create with a natural id is never cancelled, so references to it are irrelevant. An undone import deletes its
    // types while the queue is long, and the queue should not be read for each type.
    guard mutation.operation == .delete, Coalescing.canBeReferredTo(mutation.entityType),
      !NaturalIdentifier.isNatural(mutation.entityId),
      own.contains(where: { $0.key == mutation.key && $0.operation == .create && $0.wasNeverSent })
    else { return own }
    return try store.fetchPendingMutations()
  }

  /// Adds the hub time and the field versions known to the author.
  private func mark(_ mutation: inout PendingMutation) throws {
    var knowledge = try knowledge()
    let stamp = stamp ?? knowledge.nextStamp(clock)
    (self.stamp, memory) = (stamp, knowledge)
    try replication.mark(&mutation, at: stamp, knowledge)
  }
}
