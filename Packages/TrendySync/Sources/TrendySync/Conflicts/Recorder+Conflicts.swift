import TrendyFoundation
import TrendyModels
import TrendyProtocols

extension Recorder {
  /// Returns all unresolved conflicts: first those stored on this device, then those stored at the hub, each group
  /// oldest first.
  public func openConflicts() throws -> [OpenConflict] {
    try read { store in
      let device = try store.syncIdentity()?.device
      let own = try store.fetchConflicts().map { OpenConflict($0) }
      let shared = try store.fetchRecords(kind: .conflict).compactMap { OpenConflict($0, device: device) }
        .sorted { ($0.recordedAt ?? .distantPast, $0.id) < ($1.recordedAt ?? .distantPast, $1.id) }
      return try (own + shared).map { try $0.besidePresent(in: store, device: device) }
    }
  }

  /// Discards the kept value and leaves the visible value unchanged.
  ///
  /// If the hub refused the entity's create, so that the entity exists only on this device, it is deleted as well.
  /// - Throws: ``RecorderError/noSuchConflict(_:)``.
  public func dropConflict(id: String) throws {
    try inOneSave { try $0.dropConflict(id: id) }
  }

  /// Writes the kept value again as a new edit. Restores the entity first if it was deleted.
  /// - Throws: ``RecorderError``, for example if the entity's parent has been deleted. The conflict then stays
  ///   unresolved.
  public func retryConflict(id: String) throws {
    try inOneSave { try $0.retryConflict(id: id) }
  }

  /// Makes either this device's value or the other device's value visible.
  /// - Parameters:
  ///   - id: Id of the conflict.
  ///   - keepingMine: Whether this device's value wins.
  /// - Throws: ``RecorderError/notOurs(_:)`` if other devices wrote both values.
  public func resolveConflict(id: String, keepingMine: Bool) throws {
    try inOneSave { try $0.resolveConflict(id: id, keepingMine: keepingMine) }
  }

  /// Restores the deleted entity of a conflict and applies the kept value to it.
  /// - Throws: ``RecorderError/notDeleted(_:id:)`` if the entity is not deleted.
  public func restoreForConflict(id: String) throws {
    try inOneSave { try $0.restoreForConflict(id: id) }
  }
}

extension OpenConflict {
  fileprivate func besidePresent(in store: any DataStoreProtocol, device: String?) throws -> OpenConflict {
    let key = EntityKey(entityType, entityId)
    let replica = Replica(store: store)
    func present<Entity: StoredEntity>(_ type: Entity.Type) throws -> [String: JSONValue] {
      guard let entity = try replica.standing(type, id: entityId) else { return [:] }
      let payload = try WireJSON.encode(entity.createRequest)
      let mutation = PendingMutation(
        id: id, entityType: entityType, entityId: entityId, operation: .create, payload: payload,
        createdAt: .distantPast)
      let all = try FieldChange.changes(of: mutation).mapValues(\.value)
      let members = try WireJSON.decode([String: JSONValue].self, from: payload)
      return Dictionary(uniqueKeysWithValues: kept.keys.map { ($0, all[$0] ?? members[$0] ?? .null) })
    }
    var result = self
    result.present = try present(entityType.stored)
    guard !result.present.isEmpty else { return result }
    for (name, mark) in try replica.held(key).map({ held in kept.keys.map { ($0, held.marks.mark(of: $0)) } }) ?? [] {
      guard let mark else { continue }
      result.presentBy[name] = Writer(
        device: mark.author, isThisDevice: device != nil && mark.author == device,
        date: Date(timeIntervalSince1970: Double(mark.stamp) / 1000))
    }
    for mutation in try replica.overlay(of: key) {
      for (name, change) in try FieldChange.changes(of: mutation) where kept[name] != nil {
        result.presentBy[name] = Writer(
          device: device, isThisDevice: true, date: Date(timeIntervalSince1970: Double(change.stamp) / 1000))
      }
    }
    return result
  }
}

extension EditWriter {
  func conflict(_ id: String) throws -> OpenConflict {
    try store.beginWriting()
    if let own = try store.fetchConflicts().first(where: { $0.id == id }) { return OpenConflict(own) }
    let device = try store.syncIdentity()?.device
    guard let shared = try store.findRecord(kind: .conflict, id: id).flatMap({ OpenConflict($0, device: device) })
    else {
      throw RecorderError.noSuchConflict(id)
    }
    return shared
  }

  func drop(_ conflict: OpenConflict) throws {
    switch conflict.origin {
    case .hub: _ = try delete(KindRecord<ConflictKind>.self, id: conflict.id)
    case .journal(let operation):
      func dropRow<Entity: StoredEntity>(_ type: Entity.Type) throws {
        // Delete a row that the hub does not have, because the user is discarding it.
        guard let row = try Entity.find(id: conflict.entityId, in: store) else { return }
        let isMadeHere = operation == .create
        if try isMadeHere && (row.syncStatus == .failed || isLocalOnly(EntityKey(Entity.entityType, row.id))) {
          try Entity.delete(id: row.id, in: store)
        }
      }
      try dropRow(conflict.entityType.stored)
      try forget(conflict)
      try refreshVisibleState(EntityKey(conflict.entityType, conflict.entityId))
    }
  }

  func retry(_ conflict: OpenConflict) throws {
    func retry<Entity: StoredEntity>(_ type: Entity.Type) throws {
      switch conflict.origin {
      case .journal(.delete): try deleteUnseen(type, id: conflict.entityId)
      case .journal(.create):
        let row = try Entity.find(id: conflict.entityId, in: store)
        if let row, try !wasRefused(row) {
          var said = conflict
          // Remove null values from a create, where they mean that the field has no value. In an update they would
          // clear the field.
          said.kept = said.kept.filter { !$0.value.isNull }
          return try write(said, to: type)
        }
        let payload = try WireJSON.encode(conflict.kept.merging(["id": .string(conflict.entityId)]) { $1 })
        let entity = Entity(try WireJSON.decode(Entity.CreateRequest.self, from: payload))
        if let parent = entity.parentEventTypeId, try store.findEventType(id: parent) == nil {
          throw RecorderError.parentDeleted(Entity.entityType, id: entity.id, eventTypeId: parent)
        }
        _ = try record(entity, isAsked: true)
      case .journal(.restore), .journal(.update), .hub:
        let parent = SyncedKind.named(conflict.entityType.rawValue)?.parent
        _ = try restore(type, id: conflict.entityId, under: parent.flatMap { conflict.kept[$0.name]?.stringValue })
        try write(conflict, to: type)
      }
    }
    try retry(conflict.entityType.stored)
    if conflict.origin == .hub {
      _ = try delete(KindRecord<ConflictKind>.self, id: conflict.id)
    } else {
      try forget(conflict)
    }
  }

  private func write<Entity: StoredEntity>(_ conflict: OpenConflict, to type: Entity.Type) throws {
    // Write nothing if the entity was restored without changes, because there are no kept values.
    if conflict.kept.isEmpty { return }
    // The event type in the kept values may have been deleted after another device moved the entity to a different
    // type.
    if let parent = SyncedKind.named(conflict.entityType.rawValue)?.parent.flatMap({
      conflict.kept[$0.name]?.stringValue
    }),
      try store.findEventType(id: parent) == nil
    {
      throw RecorderError.parentDeleted(Entity.entityType, id: conflict.entityId, eventTypeId: parent)
    }
    try queue(type, operation: .update, id: conflict.entityId, payload: WireJSON.encode(conflict.members))
  }

  private func forget(_ conflict: OpenConflict) throws {
    for own in try store.fetchConflicts() where own.id == conflict.id { try store.deleteConflict(own) }
  }
}
