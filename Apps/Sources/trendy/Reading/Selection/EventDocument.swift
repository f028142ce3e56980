import CommandSupport
import TrendyFoundation
import TrendyModels

/// One line of NDJSON that describes an event, in the format of `trendy list --ndjson`.
///
/// Example: `{"event_type":"coffee","timestamp":"2026-11-20T08:30:00+01:00","properties":{"count":2,"size":"large"}}`
///
/// - `event_type` is required. It is the name of the type, or an object with the member `name`.
/// - `timestamp` defaults to the current time. All-day events may have `date` and `last_date` (`2026-11-20`) instead.
/// - A property is a plain value, or an object with the members `type` and `value`.
struct EventDocument {
  private static let known: Set<String> = [
    "schema", "id", "event_type", "timestamp", "end_date", "time_zone", "is_all_day", "properties", "notes",
    "source_type", "external_id", "original_title", "geofence_id", "location_latitude", "location_longitude",
    "location_name", "sync_status", "is_running", "date", "last_date",
  ]

  private let members: [String: JSONValue]

  /// Parses a line. ``event(among:_:makeID:)`` validates the values later.
  /// - Throws: ``CommandError`` with exit 65 if the line is not a JSON object or has unknown members.
  init(_ line: String) throws(CommandError) {
    let value: JSONValue
    do {
      value = try WireJSON.decode(JSONValue.self, from: Data(line.utf8))
    } catch {
      throw CommandError("Invalid JSON: \(error)", exit: .badData)
    }
    guard var members = value.objectValue else { throw CommandError("Not a JSON object", exit: .badData) }
    // `trendy show --json` nests the event in a document.
    if let event = members["event"]?.objectValue { members = event }
    self.members = members.filter { $0.value != .null }
    if let unknown = members.keys.filter({ !Self.known.contains($0) }).min() {
      let near = Suggestion.nearest(to: unknown, among: Array(Self.known))
      throw CommandError(
        "Unknown member '\(unknown)'",
        hint: near.map { "Did you mean '\($0)'?" } ?? "Members: event_type, timestamp, end_date, properties, notes.",
        exit: .badData)
    }
  }

  func event(
    among known: Vocabulary, _ session: Session, makeID: () -> String
  ) throws(CommandError) -> (Event, EventType) {
    guard let name = text("event_type") ?? members["event_type"]?.objectValue?["name"]?.stringValue else {
      throw CommandError("Missing member event_type", exit: .badData)
    }
    let type = try Lookup.eventType(name, among: known.types) { "trendy type add \($0)" }
    let (latitude, longitude) = try position()
    var event = Event(
      id: text("id") ?? makeID(), eventTypeId: type.id, timestamp: try date("timestamp") ?? session.now,
      endDate: try date("end_date"), isAllDay: members["is_all_day"]?.boolValue ?? false, notes: text("notes"),
      sourceType: try source(), externalId: text("external_id"), originalTitle: text("original_title"),
      geofenceId: text("geofence_id"), locationLatitude: latitude, locationLongitude: longitude,
      locationName: text("location_name"), timeZone: text("time_zone") ?? session.local.zoneName)
    if event.isAllDay {
      if members["timestamp"] == nil, let first = try midnight("date", session) { event.timestamp = first }
      if members["end_date"] == nil, let last = try midnight("last_date", session) { event.endDate = last }
    }
    guard WireIdentifier.isValid(event.id) else {
      throw CommandError(
        "Invalid id '\(event.id)'", hint: "Use 1 to 128 bytes, or omit the id to get a new one.", exit: .badData)
    }
    if let end = event.endDate, end < event.timestamp {
      throw CommandError("The end is before the start", exit: .badData)
    }
    let definitions = known.definitions(of: type)
    for (key, value) in members["properties"]?.objectValue ?? [:] {
      let (key, value) = try property(key, value, definitions, session)
      event.properties[key] = value
    }
    event.fillLength(from: definitions)
    event.fillDefaults(from: definitions)
    return (event, type)
  }

  private func text(_ name: String) -> String? { members[name]?.stringValue }

  private func date(_ name: String) throws(CommandError) -> Date? {
    guard let value = members[name] else { return nil }
    guard let date = value.stringValue.flatMap({ RFC3339.date(from: $0) }), TimePhrase.writable.contains(date) else {
      throw CommandError("Invalid time in '\(name)'", hint: "Use RFC 3339: 2026-11-20T08:30:00+01:00", exit: .badData)
    }
    return date
  }

  /// Returns local midnight on a member's date, or `nil` if the member is missing.
  private func midnight(_ name: String, _ session: Session) throws(CommandError) -> Date? {
    guard let value = members[name] else { return nil }
    guard let date = value.stringValue.flatMap({ CivilDate($0) }) else {
      throw CommandError("Invalid date in '\(name)'", hint: "Use YYYY-MM-DD: 2026-11-20", exit: .badData)
    }
    return session.local.midnight(of: date)
  }

  private func source() throws(CommandError) -> EventSourceType {
    guard let word = text("source_type") else { return .manual }
    guard let source = EventSourceType(rawValue: word) else {
      let known = EventSourceType.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandError("Unknown source_type '\(word)'", hint: "Use \(known).", exit: .badData)
    }
    return source
  }

  private func position() throws(CommandError) -> (latitude: Double?, longitude: Double?) {
    let (latitude, longitude) = (members["location_latitude"]?.doubleValue, members["location_longitude"]?.doubleValue)
    guard let latitude, let longitude else { return (nil, nil) }
    guard Coordinate(latitude: latitude, longitude: longitude).isValid else {
      throw CommandError("Invalid position \(latitude), \(longitude)", exit: .badData)
    }
    return (latitude, longitude)
  }

  private func property(
    _ key: String, _ value: JSONValue, _ definitions: [PropertyDefinition], _ session: Session
  ) throws(CommandError) -> (String, PropertyValue) {
    if let members = value.objectValue, let word = members["type"]?.stringValue,
      let type = PropertyType(rawValue: word),
      let value = members["value"]
    {
      return (key, PropertyValue(type: type, value: value))
    }
    guard let definition = definitions.first(where: { $0.key.lowercased() == key.lowercased() }) else {
      let near = Suggestion.nearest(to: key, among: definitions.map(\.key))
      throw CommandError(
        "Property '\(key)' not found",
        hint: near.map { "Did you mean '\($0)'?" } ?? "List properties: trendy type show TYPE",
        exit: .badData)
    }
    // A duration given as a JSON number is in seconds.
    if definition.propertyType == .duration, let seconds = value.doubleValue {
      return (definition.key, .duration(seconds))
    }
    return (definition.key, try Property.value(Property.text(value), of: definition, session: session))
  }
}
