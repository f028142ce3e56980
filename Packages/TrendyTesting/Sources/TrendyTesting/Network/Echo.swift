import TrendyFoundation
import TrendyModels

/// Responses from a hub that accepts every write.
enum Echo {
  static func created<Stored: StoredDocument>(_ request: some EntityDocument<Stored.Fields>, at now: Date) -> Stored {
    Stored(request, userId: "user-1", at: now)
  }

  static func batch(_ requests: [CreateEventRequest], at now: Date) -> BatchCreateEventsResponse {
    BatchCreateEventsResponse(
      created: requests.map { created($0, at: now) }, total: requests.count, success: requests.count, failed: 0)
  }

  /// Returns an entity after an update.
  ///
  /// - Parameter placeholder: entity to update if no known entity has its id. Needed because an update contains only
  ///   the changed fields.
  static func updated<Entity: SyncedEntity>(
    _ placeholder: Entity, _ request: Entity.UpdateRequest, among known: [Entity.Wire], at now: Date
  ) -> Entity.Wire
  where Entity.Wire: StoredDocument, Entity.CreateRequest: EntityDocument<Entity.Wire.Fields> {
    var entity = known.first { $0.id == placeholder.id }.map { Entity($0) } ?? placeholder
    entity.apply(request)
    return created(entity.createRequest, at: now)
  }
}
