#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols

extension Recorder {
  /// Everything that waits for a person's decision, the oldest first: what this device keeps, then what the hub keeps.
  public func openConflicts() throws -> [OpenConflict] {
    try read { store in
      let own = try store.fetchConflicts().map { OpenConflict($0) }
      let shared = try store.fetchRecords(kind: .conflict).compactMap { OpenConflict($0) }
        .sorted { ($0.recordedAt ?? .distantPast, $0.id) < ($1.recordedAt ?? .distantPast, $1.id) }
      return try (own + shared).map { try $0.besidePresent(in: store) }
    }
  }

  /// Lets the kept value go: what is shown stays. A new thing that the hub refused goes with it, as it is nowhere else.
  /// - Throws: ``RecorderError/noSuchConflict(_:)``.
  public func dropConflict(id: String) throws {
    try write { try $0.drop($0.conflict(id)) }
  }

  /// Writes the kept value again, as an edit made now; what was deleted is restored for it.
  /// - Throws: ``RecorderError``, for instance where what it belongs to is deleted; then it is kept.
  public func retryConflict(id: String) throws {
    try write { try $0.retry($0.conflict(id)) }
  }
}

extension OpenConflict {
  fileprivate func besidePresent(in store: any DataStoreProtocol) throws -> OpenConflict {
    func present<Entity: StoredEntity>(_ type: Entity.Type) throws -> [String: JSONValue] {
      guard let entity = try Entity.find(id: entityId, in: store) else { return [:] }
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
    return result
  }
}

extension EditWriter {
  func conflict(_ id: String) throws -> OpenConflict {
    try store.takeWriteLock()
    if let own = try store.fetchConflicts().first(where: { $0.id == id }) { return OpenConflict(own) }
    guard let shared = try store.findRecord(kind: .conflict, id: id).flatMap({ OpenConflict($0) }) else {
      throw RecorderError.noSuchConflict(id)
    }
    return shared
  }

  func drop(_ conflict: OpenConflict) throws {
    switch conflict.origin {
    case .hub: _ = try delete(KindRecord<ConflictKind>.self, id: conflict.id)
    case .journal(let operation):
      func dropRow<Entity: StoredEntity>(_ type: Entity.Type) throws {
        // The hub does not have it, and the person does not want it.
        if operation == .create, try Entity.find(id: conflict.entityId, in: store)?.syncStatus == .failed {
          try Entity.delete(id: conflict.entityId, in: store)
        }
      }
      try dropRow(conflict.entityType.stored)
      try forget(conflict)
    }
  }

  func retry(_ conflict: OpenConflict) throws {
    func retry<Entity: StoredEntity>(_ type: Entity.Type) throws {
      switch conflict.origin {
      case .journal(.create):
        let payload = try WireJSON.encode(conflict.kept.merging(["id": .string(conflict.entityId)]) { $1 })
        _ = try record(Entity(WireJSON.decode(Entity.CreateRequest.self, from: payload)))
      case .journal(.delete): _ = try delete(type, id: conflict.entityId)
      case .journal(.restore): _ = try restore(type, id: conflict.entityId, under: nil)
      case .journal(.update), .hub:
        if try Entity.find(id: conflict.entityId, in: store) == nil {
          _ = try restore(type, id: conflict.entityId, under: nil)
        }
        try queue(
          type, operation: .update, id: conflict.entityId, payload: WireJSON.encode(conflict.members))
      }
    }
    try retry(conflict.entityType.stored)
    if conflict.origin == .hub {
      _ = try delete(KindRecord<ConflictKind>.self, id: conflict.id)
    } else {
      try forget(conflict)
    }
  }

  private func forget(_ conflict: OpenConflict) throws {
    for own in try store.fetchConflicts() where own.id == conflict.id { try store.deleteConflict(own) }
  }
}
