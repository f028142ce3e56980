public import TrendyFoundation
public import TrendyModels
import TrendyProtocols

/// Something that was deleted and can be restored.
public struct DeletedEntity: Hashable, Sendable, Identifiable {
  public let id: String
  public let kind: MutationEntityType
  /// When the hub took the deletion; `nil` where it has not heard of it.
  public let deletedAt: Date?
  /// What it last said, by its members' names on the wire.
  public let fields: [String: JSONValue]
  /// The same of an event.
  public let event: Event?

  public init(
    id: String, kind: MutationEntityType, deletedAt: Date?, fields: [String: JSONValue], event: Event? = nil
  ) {
    self.id = id
    self.kind = kind
    self.deletedAt = deletedAt
    self.fields = fields
    self.event = event
  }
}

extension Recorder {
  /// What was deleted, here or on another device, and can be given another life with ``restore(_:id:)``: the latest deletion first.
  /// The hub tells of a deletion for 90 days.
  public func deleted(_ kind: MutationEntityType) throws -> [DeletedEntity] {
    try read { store in
      let replica = Replica(store: store)
      func entities<Entity: StoredEntity>(_: Entity.Type) throws -> [DeletedEntity] {
        try store.fetchHeldEntries(kind: kind).compactMap { held in
          guard let entity = held.completeEntity(as: Entity.self), try Entity.find(id: held.entityId, in: store) == nil
          else {
            return nil
          }
          let overlay = try replica.overlay(of: EntityKey(kind, held.entityId))
          // What is under way is not to be called back; see ``restore(_:id:)``.
          let isUnheard = overlay.last.map { $0.operation == .delete && $0.wasNeverSent } ?? false
          guard isUnheard || (held.isDelete && overlay.isEmpty) else { return nil }
          return DeletedEntity(
            id: held.entityId, kind: kind, deletedAt: isUnheard ? nil : held.deletedAt,
            fields: held.data?.rawData ?? [:], event: entity as? Event)
        }
      }
      return try entities(kind.stored).sorted {
        ($0.deletedAt ?? .distantFuture, $0.id) > ($1.deletedAt ?? .distantFuture, $1.id)
      }
    }
  }
}
