import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendySync

/// A conflict, and what a person calls the thing that it is about.
struct NamedConflict {
  let conflict: OpenConflict
  /// Its own name, or an event's type; its id where it is not there.
  let name: String
  /// When an event happened.
  let date: Date?

  init(_ conflict: OpenConflict, in store: any DataStoreProtocol) throws {
    self.conflict = conflict
    let id = conflict.entityId
    switch conflict.entityType {
    case .event:
      let event = try store.findEvent(id: id)
      name = try event.map { try store.findEventType(id: $0.eventTypeId)?.name ?? "event" } ?? id
      date = event?.timestamp
    case .eventType: (name, date) = (try store.findEventType(id: id)?.name ?? id, nil)
    case .geofence: (name, date) = (try store.findGeofence(id: id)?.name ?? id, nil)
    default: (name, date) = (id, nil)
    }
  }
}
