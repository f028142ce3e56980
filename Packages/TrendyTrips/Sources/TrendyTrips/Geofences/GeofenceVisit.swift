public import TrendyFoundation
public import TrendyModels

/// Converts crossings to visits: events that begin with an entry and end with an exit.
public enum GeofenceVisit: Sendable {
  /// Key of the date property that contains the time of the entry.
  public static let enteredAtKey = "Entered At"
  /// Key of the date property that contains the time of the exit.
  public static let exitedAtKey = "Exited At"
  /// Key of the property that contains the duration of the visit in seconds.
  public static let durationKey = "Duration"

  /// Returns the default id of a visit. The id is derived from place and time, so processing the same fixes again
  /// creates the same visits.
  public static func id(geofenceId: String, enteredAt: Date) -> String {
    NaturalKey.id(for: "visit", geofenceId, NaturalKey.part(enteredAt))
  }

  /// Returns the visit that an entry begins, or `nil` if no event type is set for entries to this place.
  public static func opened(_ geofence: Geofence, at date: Date, id: String? = nil) -> Event? {
    guard let eventTypeId = geofence.eventTypeEntryId else { return nil }
    return Event(
      id: id ?? Self.id(geofenceId: geofence.id, enteredAt: date), eventTypeId: eventTypeId, timestamp: date,
      sourceType: .geofence, geofenceId: geofence.id, locationLatitude: geofence.latitude,
      locationLongitude: geofence.longitude, locationName: geofence.name,
      properties: [enteredAtKey: PropertyValue(type: .date, value: .string(RFC3339.string(from: date)))])
  }

  /// Ends a visit. An exit before the entry counts as simultaneous with it. Preserves the user's edits of the event.
  public static func closed(_ visit: Event, at date: Date) -> Event {
    var visit = visit
    // Use the property, which contains the detected entry, because the user may have moved the event.
    let entered = visit.properties[enteredAtKey]?.dateValue ?? visit.timestamp
    let exited = max(date, entered)
    visit.endDate = max(exited, visit.timestamp)
    visit.properties[exitedAtKey] = PropertyValue(type: .date, value: .string(RFC3339.string(from: exited)))
    visit.properties[durationKey] = PropertyValue(
      type: .duration, value: .double((exited.timeIntervalSince(entered) * 1000).rounded() / 1000))
    return visit
  }

  /// Returns an event for an exit, or `nil` if no event type is set for exits from this place.
  public static func left(_ geofence: Geofence, at date: Date, id: String? = nil) -> Event? {
    guard let eventTypeId = geofence.eventTypeExitId else { return nil }
    return Event(
      id: id ?? NaturalKey.id(for: "exit", geofence.id, NaturalKey.part(date)), eventTypeId: eventTypeId,
      timestamp: date, sourceType: .geofence, geofenceId: geofence.id, locationLatitude: geofence.latitude,
      locationLongitude: geofence.longitude, locationName: geofence.name,
      properties: [exitedAtKey: PropertyValue(type: .date, value: .string(RFC3339.string(from: date)))])
  }
}
