public import TrendyFoundation
public import TrendyModels
import TrendyProtocols

/// Deleted entity that can be restored.
public struct DeletedEntity: Hashable, Sendable, Identifiable {
  public let id: String
  public let kind: MutationEntityType
  /// Time at which the hub applied the deletion, or `nil` if the deletion has not been sent yet.
  public let deletedAt: Date?
  /// Values before the deletion, keyed by the wire name of the field.
  public let fields: [String: JSONValue]
  /// The deleted event, or `nil` for entities of other kinds.
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
  /// Returns the entities that ``restore(_:id:)`` can restore, latest deletion first.
  ///
  /// Includes deletions from all devices. The hub lists a deletion for 90 days.
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
          // While the hub has not answered a sent deletion, the entity cannot be restored; see ``restore(_:id:)``.
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
