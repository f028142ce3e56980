import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Writes what a person does into a unit of work: the entity as they see it, and the mutation that tells the hub.
///
/// It does not save: who made the unit calls ``finish()`` and saves, once, or rolls back.
final class EditWriter {
  let store: any DataStoreProtocol
  let clock: any TimeSource
  let chance: RandomSource
  private let replica: Replica
  /// Read at the first edit.
  private var memory: SyncMemory?
  /// Chosen by what it says, once for all that the unit does.
  private var chosen: (any Replication)?
  /// When the last of the queue was made. The write lock keeps it so, and many of one moment are not read for each of them.
  private var latest: Date?
  /// Stamp of all mutations of this unit. One for each would put a device that imports 60,000 rows a minute ahead of its clock.
  private var stamp: Int64?
  /// Whether this unit has the write lock, which it keeps until it ends.
  private var hasWriteLock = false
  /// Event types that were looked for in this unit and are there: an import asks for the same few with each event.
  private var livingTypes: Set<String> = []
  /// New events of this unit, in order.
  private var savedEvents: [String] = []

  init(store: any DataStoreProtocol, clock: any TimeSource, chance: RandomSource) {
    self.store = store
    self.clock = clock
    self.chance = chance
    replica = Replica(store: store)
  }

  /// - Parameter isAsked: whether a person asks for this one by name. What is imported is otherwise known by its id: held or
  ///   deleted, it changes nothing.
  /// - Returns: whether anything was recorded: not where the same thing is held already, or an import was deleted here.
  func record<Entity: StoredEntity>(_ entity: Entity, isAsked: Bool = false) throws -> Bool {
    try recordedPayload(of: entity, isAsked: isAsked) != nil
  }

  /// As ``record(_:isAsked:)``.
  /// - Returns: what makes the entity, as it is told to the hub; `nil` where nothing was recorded.
  /// - Throws: ``RecorderError/parentDeleted(_:id:eventTypeId:)`` where its type was deleted, as another process may have done since it
  ///   was chosen; ``RecorderError/unwritableTime(_:id:)``, ``RecorderError/invalidValue(_:_:)``.
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
    try replication.showMade(entity)
    return payload
  }

  /// Records an event that the store called new, in this unit.
  /// - Returns: what makes the event, as it is told to the hub.
  /// - Throws: ``RecorderError/parentDeleted(_:id:eventTypeId:)``, ``RecorderError/unwritableTime(_:id:)``,
  ///   ``RecorderError/invalidValue(_:_:)``.
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

  /// - Throws: ``RecorderError/notHeld(_:id:)``, ``RecorderError/unwritableTime(_:id:)``, or what `change` throws.
  func edit<Entity: StoredEntity>(_: Entity.Type, id: String, _ change: (inout Entity) throws -> Void) throws -> Entity
  {
    try beginWriting()
    guard let held = try Entity.find(id: id, in: store) else { throw RecorderError.notHeld(Entity.entityType, id: id) }
    var changed = held
    try change(&changed)
    _ = try edit(held, to: changed)
    return try Entity.find(id: id, in: store) ?? changed
  }

  /// - Parameters:
  ///   - heir: type that an event type was merged into.
  ///   - undoesImport: whether an import that a user asks for may restore the entity, on any device.
  /// - Returns: whether there was anything to delete.
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

  /// Whether an event was imported and nothing was done with it since: only its making waits, was never sent, and no hub has told of it.
  /// The event is then what its making says.
  /// - Parameter isMeant: says of what makes it, as the hub is told, whether it is the one.
  func isUntouchedImport(eventId id: String, where isMeant: (Data) -> Bool) throws -> Bool {
    guard NaturalIdentifier.isNatural(id) else { return false }
    let key = EntityKey(.event, id)
    let waiting = try store.pendingMutations(ofEntity: id)
    guard waiting.count == 1, let making = waiting.first, making.key == key, making.operation == .create,
      making.wasNeverSent, isMeant(making.payload)
    else { return false }
    return try store.acceptedMutations(ofEntity: id).isEmpty && replica.held(key) == nil && store.holdsEvent(id: id)
  }

  /// Deletes an event that ``isUntouchedImport(eventId:where:)``, asked in this unit, has said to be one.
  func deleteUntouchedImport(eventId id: String) throws {
    try beginWriting()
    // Another device may have imported the same: the hub is told of the making, and then of the deletion.
    try append(
      newMutation(EntityKey(.event, id), .delete, payload: WireJSON.encode([SyncedKind.importUndone: true])))
    try replication.remove(Event.self, id: id, isCancelled: false)
  }

  /// Deletes also what lives at the hub and is not shown now: its event type is deleted here, or only a snapshot shows it again.
  func deleteUnseen<Entity: StoredEntity>(_ type: Entity.Type, id: String) throws {
    if try delete(type, id: id) { return }
    let key = EntityKey(Entity.entityType, id)
    // Where nothing is held, only the hub knows; of what was imported, whoever imported it as well.
    let isImport = NaturalIdentifier.isNatural(id)
    if try replica.held(key).map({ !$0.isDelete }) ?? (isImport || !replication.isNowhereElse(key)) {
      try remove(type, id: id)
    }
  }

  /// Begins another life of what was deleted.
  /// - Parameter parent: the event type to restore it to, in place of its own.
  /// - Returns: whether there was anything to restore: not where it lives.
  func restore<Entity: StoredEntity>(_: Entity.Type, id: String, under parent: String?) throws -> Bool {
    try beginWriting()
    if let row = try Entity.find(id: id, in: store) {
      guard try isLeftOver(row) else { return false }
      try Entity.delete(id: id, in: store)
    }
    let key = EntityKey(Entity.entityType, id)
    guard try replication.canComeBack(key) else { throw RecorderError.notHeld(Entity.entityType, id: id) }
    let overlay = try replica.overlay(of: key)
    if let last = overlay.last, last.operation == .delete, last.wasNeverSent {
      let before = try beforeDeletion(Entity.self, key, overlay)
      // Its making was set aside: without the deletion nothing is left of it.
      if before == nil, try replica.held(key) == nil { throw RecorderError.notHeld(Entity.entityType, id: id) }
      let own = before?.parentEventTypeId
      let wanted = parent ?? own
      if let wanted, try store.findEventType(id: wanted) == nil {
        throw RecorderError.parentDeleted(Entity.entityType, id: id, eventTypeId: wanted)
      }
      // The hub hears of the deletion of its own type before any move.
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

  /// Begins another life of what was deleted, as the entity that is given: what it last said does not come back, nor under the type
  /// that it had.
  /// - Returns: whether there was anything to restore: not where it lives.
  /// - Throws: as ``restore(_:id:under:)``; also ``RecorderError/deletionUnderWay(_:id:)`` where the hub is yet to hear that its type
  ///   was deleted, which would take it along.
  func restore<Entity: StoredEntity>(as entity: Entity) throws -> Bool {
    try beginWriting()
    if let row = try Entity.find(id: entity.id, in: store), try !isLeftOver(row) { return false }
    let key = EntityKey(Entity.entityType, entity.id)
    let overlay = try replica.overlay(of: key)
    if let last = overlay.last, last.operation == .delete, last.wasNeverSent {
      if try overlay.allSatisfy(\.wasNeverSent) && !replica.isKnown(key) {
        // Nobody has heard of it: it is made anew, behind what it refers to.
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

  /// Applies a ready payload to the entity and queues it.
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
      let life =
        operation == .restore ? try replica.life(of: replica.held(key), under: replica.overlay(of: key)) + 1 : 0
      try enqueue(newMutation(key, operation, payload: payload, incarnation: life))
      try replication.showMade(entity)
    case .update:
      let request = try WireJSON.decode(Entity.UpdateRequest.self, from: payload)
      let row = try Entity.find(id: id, in: store)
      var changed = row
      changed?.apply(request)
      try check(Entity.self) { () throws(FieldError) in try Entity.checkLimits(of: request, in: changed) }
      if let row { try replica.keep(row) }
      try enqueue(newMutation(key, .update, payload: payload))
      // The hub may hold what this device does not: then there is nothing to show, and still something to tell.
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

  /// Keeps every other process from writing until the unit ends.
  func beginWriting() throws {
    if hasWriteLock { return }
    try store.beginWriting()
    hasWriteLock = true
  }

  /// Writes down what the edits of this unit leave to be known.
  func finish() throws {
    try store.noteSaved(events: savedEvents, at: clock.now)
    if let memory { try store.setSyncMemory(memory) }
  }
}

extension EditWriter {
  /// Shows what the hub has of an entity under what waits: a row may still say what was taken out of the queue.
  func showAgain(_ key: EntityKey) throws { try replication.showAgain(key) }

  /// Whether only its row is left of an entity: no hub has told of it, and nothing of it waits or was accepted.
  func isNowhereElse(_ key: EntityKey) throws -> Bool { try replication.isNowhereElse(key) }

  private var replication: any Replication {
    get throws {
      if let chosen { return chosen }
      let replication = ReplicationChoice(store: store, clock: clock, chance: chance).forStore(try knowledge())
      chosen = replication
      return replication
    }
  }

  private func knowledge() throws -> SyncMemory {
    if let memory { return memory }
    let read = try store.syncMemory() ?? SyncMemory()
    memory = read
    return read
  }

  /// - Returns: whether any field differs.
  private func edit<Entity: StoredEntity>(_ held: Entity, to changed: Entity) throws -> Bool {
    let changed = changed.parentEventTypeId == held.parentEventTypeId ? changed : try underHeir(changed)
    guard let request = changed.updateRequest(from: held) else { return false }
    try changed.checkTimes()
    try check(Entity.self) { () throws(FieldError) in try Entity.checkLimits(of: request, in: changed) }
    if changed.parentEventTypeId != held.parentEventTypeId { try checkType(of: changed) }
    try replica.keep(held)
    try enqueue(
      newMutation(EntityKey(Entity.entityType, held.id), .update, payload: try WireJSON.encode(request)))
    // What an update cannot say (members that this version does not know) stays as the hub gave it.
    var shown = held
    shown.apply(request)
    try shown.writePending(in: store)
    return true
  }

  private func check<Entity: StoredEntity>(_: Entity.Type, _ body: () throws(FieldError) -> Void) throws(RecorderError)
  {
    do throws(FieldError) { try body() } catch { throw .invalidValue(Entity.entityType, error) }
  }

  /// Whether the row is a create that the hub did not take: to it, the entity does not exist.
  func wasRefused<Entity: StoredEntity>(_ row: Entity) throws -> Bool {
    guard row.syncStatus == .failed else { return false }
    return try store.fetchConflicts().contains {
      $0.entityType == Entity.entityType && $0.entityId == row.id && $0.operation == .create
    }
  }

  /// Whether it is deleted at the hub, and its row is there only to show what the hub did not take.
  func isLeftOver<Entity: StoredEntity>(_ row: Entity) throws -> Bool {
    let key = EntityKey(Entity.entityType, row.id)
    return try row.syncStatus == .failed && replica.held(key)?.isDelete == true && replica.overlay(of: key).isEmpty
  }

  /// Returns the entity, under the type that its own was merged into if that is deleted: another process may have merged them since
  /// the type was chosen.
  private func underHeir<Entity: StoredEntity>(_ entity: Entity) throws -> Entity {
    guard let type = entity.parentEventTypeId, !livingTypes.contains(type), try store.findEventType(id: type) == nil,
      let heir = try replica.heir(ofEventType: type)
    else { return entity }
    return entity.moved(toEventType: heir) ?? entity
  }

  /// That an entity is given no event type that is known to be deleted: it would be shown nowhere. One of which nothing is known may be on
  /// its way.
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
    // Nothing else tells that it was there, and another process may be about to record under it.
    if isCancelled, Entity.entityType == .eventType {
      try store.insertTombstone(Tombstone(entityType: .eventType, entityId: id))
    }
  }

  /// An entity as it was shown before the deletion at the end of what waits.
  private func beforeDeletion<Entity: StoredEntity>(
    _: Entity.Type, _ key: EntityKey, _ overlay: [PendingMutation]
  ) throws -> Entity? {
    let record = try replica.held(key)
    let living: Entity? = record.flatMap { $0.isDelete ? nil : $0.entity(as: Entity.self) }
    return Overlay.shown(living, of: record, under: Array(overlay.dropLast()))
  }

  /// A deletion that nobody has heard of never was; the edits that it took up wait again.
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

  // MARK: The queue

  private func newMutation(
    _ key: EntityKey, _ operation: MutationOperation, payload: Data, incarnation: Int64 = 0
  ) -> PendingMutation {
    let now = clock.now
    return PendingMutation(
      id: chance.identifier(at: now), entityType: key.entityType, entityId: key.entityId, operation: operation,
      payload: payload, createdAt: now, incarnation: incarnation)
  }

  /// Puts a mutation at the end of the queue which changes nothing that waits there.
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
    // A copy of this store may have sent what was never sent from here.
    if case .cancel = effect, try replica.isKnown(mutation.key) { effect = .append }
    switch effect {
    case .append:
      try store.appendPendingMutation(mutation)
    case .merge(let merged):
      try store.insertPendingMutation(merged)
    case .replace(let edits):
      for edit in edits { try store.deletePendingMutation(edit) }
      if try replication.canComeBack(mutation.key) { mutation = try Coalescing.carrying(edits, by: mutation) }
      try store.insertPendingMutation(mutation)
    case .cancel(let create):
      try store.deletePendingMutation(create)
    case .drop:
      break
    }
    return effect
  }

  /// The queue lies by time: a clock set back must put nothing before what was sent, nor a move before the making of what it points
  /// to.
  private func putLast(_ mutation: inout PendingMutation) throws {
    if latest == nil { latest = try store.lastPendingMutation()?.createdAt }
    mutation.createdAt = max(mutation.createdAt, latest ?? mutation.createdAt)
    latest = mutation.createdAt
  }

  /// What of the queue it may meet: its own entity's, and for the end of something that was never sent whatever refers to it.
  private func queue(that mutation: PendingMutation) throws -> [PendingMutation] {
    let own = try store.pendingMutations(ofEntity: mutation.entityId)
    // The making of what has a natural id is told whatever refers to it, and the whole queue may be long: an import that is taken back
    // deletes its types at the end of it.
    guard mutation.operation == .delete, Coalescing.canBeReferredTo(mutation.entityType),
      !NaturalIdentifier.isNatural(mutation.entityId),
      own.contains(where: { $0.key == mutation.key && $0.operation == .create && $0.wasNeverSent })
    else { return own }
    return try store.fetchPendingMutations()
  }

  /// Says when it was made, and what its author knew of what it changes.
  private func mark(_ mutation: inout PendingMutation) throws {
    var knowledge = try knowledge()
    let stamp = stamp ?? knowledge.nextStamp(clock)
    (self.stamp, memory) = (stamp, knowledge)
    try replication.mark(&mutation, at: stamp, knowledge)
  }
}
