package import TrendyModels

/// Kind and id of an entity.
package struct EntityKey: Hashable, Sendable {
  package var entityType: MutationEntityType
  package var entityId: String

  package init(_ entityType: MutationEntityType, _ entityId: String) {
    self.entityType = entityType
    self.entityId = entityId
  }
}

extension PendingMutation {
  var key: EntityKey { EntityKey(entityType, entityId) }
}

extension Tombstone {
  var key: EntityKey { EntityKey(entityType, entityId) }
}
