import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels

/// Events as a person reads them, and as scripts do.
struct EventText {
  let local: LocalTime
  let now: Date
  let typeNames: [String: String]

  init(session: Session, types: [EventType]) {
    local = session.local
    now = session.now
    typeNames = Dictionary(types.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  func typeName(_ event: Event) -> String { typeNames[event.eventTypeId] ?? "(unknown type)" }

  /// `coffee  Fri 20 Nov 08:30 +01:00  count 2  size large  "oat"   0199f3c2-7a40`.
  func line(_ event: Event) -> String {
    ([typeName(event), "\(when(event)) \(local.offset(event.timestamp))"] + details(event) + [ShortID.of(event.id)])
      .joined(separator: "  ")
  }

  /// A line below the heading of its day.
  func lineOfDay(_ event: Event) -> String {
    let time = event.isAllDay ? "all day" : local.time(event.timestamp)
    return (["  \(time)", typeName(event)] + details(event) + [ShortID.of(event.id)]).joined(separator: "  ")
  }

  func plain(_ event: Event) -> [String] {
    [
      event.id, local.rfc3339(event.timestamp), event.endDate.map { local.rfc3339($0) } ?? "", typeName(event),
      properties(event).joined(separator: " "), event.notes ?? "",
    ]
  }

  func json(_ event: Event) -> JSONText {
    var members: [(String, JSONText)] = [
      ("id", .string(event.id)),
      ("event_type", .object([("id", .string(event.eventTypeId)), ("name", .string(typeNames[event.eventTypeId]))])),
      ("timestamp", .string(local.rfc3339(event.timestamp))),
      ("end_date", .string(event.endDate.map { local.rfc3339($0) })),
      ("time_zone", .string(event.timeZone)),
      ("is_all_day", .bool(event.isAllDay)),
    ]
    let properties = event.properties.sorted { $0.key < $1.key }.map { key, value in
      (key, JSONText.object([("type", .string(value.type.rawValue)), ("value", .value(value.value))]))
    }
    members += [
      ("properties", .object(properties)), ("notes", .string(event.notes)),
      ("source_type", .string(event.createRequest.sourceType)), ("external_id", .string(event.externalId)),
      ("original_title", .string(event.originalTitle)), ("geofence_id", .string(event.geofenceId)),
      ("location_latitude", .number(event.locationLatitude)),
      ("location_longitude", .number(event.locationLongitude)), ("location_name", .string(event.locationName)),
      ("sync_status", .string(event.syncStatus.rawValue)),
    ]
    return .object(members)
  }

  private func when(_ event: Event) -> String {
    let year = local.components(of: now).year
    if event.isAllDay { return local.day(event.timestamp, year: year) }
    return local.dayAndTime(event.timestamp, year: year)
  }

  private func details(_ event: Event) -> [String] {
    var parts: [String] = []
    if let end = event.endDate, !event.isAllDay {
      parts.append(DurationPhrase.words(end.timeIntervalSince(event.timestamp)))
    }
    parts += properties(event)
    if let place = event.locationName { parts.append("at \(place)") }
    if let notes = event.notes { parts.append("\"\(notes)\"") }
    return parts
  }

  private func properties(_ event: Event) -> [String] {
    // A route is a line of hundreds of characters for programs to draw.
    event.properties.sorted { $0.key < $1.key }.filter { $0.key != "route" }.map {
      "\($0.key) \(Property.text($0.value))"
    }
  }
}

extension EventText {
  /// What else there is to know of it, a row each.
  func detailLines(_ event: Event) -> [String] {
    var rows: [(String, String)] = [("id", event.id), ("when", local.rfc3339(event.timestamp))]
    if let end = event.endDate { rows.append(("until", local.rfc3339(end))) }
    if let zone = event.timeZone { rows.append(("recorded in", zone)) }
    if let latitude = event.locationLatitude, let longitude = event.locationLongitude {
      rows.append(("where", "\(latitude), \(longitude)"))
    }
    for (key, value) in event.properties.sorted(by: { $0.key < $1.key }) { rows.append((key, Property.text(value))) }
    rows.append(("source", event.createRequest.sourceType))
    rows.append(("sync", event.syncStatus.rawValue))
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)" }
  }
}
