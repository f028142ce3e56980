public import TrendyFoundation
public import TrendyModels

/// Turns crossings into events: a visit that is opened on entry and closed on exit.
public enum GeofenceVisit: Sendable {
  /// The key of the property that holds when the visit began, a date.
  public static let enteredAtKey = "Entered At"
  /// The key of the property that holds when it ended, a date.
  public static let exitedAtKey = "Exited At"
  /// The key of the property that holds how long it was, a duration in seconds.
  public static let durationKey = "Duration"

  /// The id of a visit unless another is given: it follows from place and moment, so that stored fixes give the same
  /// visits again.
  public static func id(geofenceId: String, enteredAt: Date) -> String {
    NaturalKey.id(for: "visit", geofenceId, NaturalKey.part(enteredAt))
  }

  /// The open visit that an entry on `date` begins; `nil` where the place records no entries.
  public static func opened(_ geofence: Geofence, at date: Date, id: String? = nil) -> Event? {
    guard let eventTypeId = geofence.eventTypeEntryId else { return nil }
    return Event(
      id: id ?? Self.id(geofenceId: geofence.id, enteredAt: date), eventTypeId: eventTypeId, timestamp: date,
      sourceType: .geofence, geofenceId: geofence.id, locationLatitude: geofence.latitude,
      locationLongitude: geofence.longitude, locationName: geofence.name,
      properties: [enteredAtKey: PropertyValue(type: .date, value: .string(RFC3339.string(from: date)))])
  }

  /// The same visit with its end on `date`, which before the visit began counts as its beginning; what a person changed in
  /// the event meanwhile stays.
  public static func closed(_ visit: Event, at date: Date) -> Event {
    var visit = visit
    // What a person moved the event to is a note of theirs; the crossing itself is in the property.
    let entered = visit.properties[enteredAtKey]?.dateValue ?? visit.timestamp
    let exited = max(date, entered)
    visit.endDate = max(exited, visit.timestamp)
    visit.properties[exitedAtKey] = PropertyValue(type: .date, value: .string(RFC3339.string(from: exited)))
    visit.properties[durationKey] = PropertyValue(
      type: .duration, value: .double((exited.timeIntervalSince(entered) * 1000).rounded() / 1000))
    return visit
  }

  /// The moment that an exit records by itself; `nil` where the place records no exits.
  public static func left(_ geofence: Geofence, at date: Date, id: String? = nil) -> Event? {
    guard let eventTypeId = geofence.eventTypeExitId else { return nil }
    return Event(
      id: id ?? NaturalKey.id(for: "exit", geofence.id, NaturalKey.part(date)), eventTypeId: eventTypeId,
      timestamp: date, sourceType: .geofence, geofenceId: geofence.id, locationLatitude: geofence.latitude,
      locationLongitude: geofence.longitude, locationName: geofence.name,
      properties: [exitedAtKey: PropertyValue(type: .date, value: .string(RFC3339.string(from: date)))])
  }
}
