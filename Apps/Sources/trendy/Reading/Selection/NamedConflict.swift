import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendySync

/// Conflict with the name of the affected entity.
struct NamedConflict {
  let conflict: OpenConflict
  /// Name of the entity or, for an event, of its type. A short id if the entity no longer exists.
  let name: String
  /// Start of an event, or `nil` for other entities.
  let date: Date?

  init(_ conflict: OpenConflict, in store: any DataStoreProtocol) throws {
    self.conflict = conflict
    let id = conflict.entityId
    let shortID = ShortID.of(id)
    switch conflict.entityType {
    case .event:
      let event = try store.findEvent(id: id)
      name = try event.map { try store.findEventType(id: $0.eventTypeId)?.name ?? "event" } ?? shortID
      date = event?.timestamp
    case .eventType: (name, date) = (try store.findEventType(id: id)?.name ?? shortID, nil)
    case .geofence: (name, date) = (try store.findGeofence(id: id)?.name ?? shortID, nil)
    default: (name, date) = (shortID, nil)
    }
  }
}
