import TrendyFoundation
import TrendyModels

/// Writes iCalendar (RFC 5545) with times in UTC, all-day events as dates, and event ids as UIDs.
struct CalendarWriter: EventWriter {
  let context: ExportContext

  /// PRODID of the calendars written by this product. Their UIDs are event ids.
  static let product = "-//trendy//trendy//EN"

  func beginning() -> String {
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:\(Self.product)\r\nCALSCALE:GREGORIAN\r\n"
  }

  func text(of event: Event) throws -> String {
    var lines = ["BEGIN:VEVENT", "UID:\(event.id)", "DTSTAMP:\(Self.utc(context.now))"]
    if event.isAllDay {
      let first = context.date(event.timestamp, event)
      let last = event.endDate.map { context.date($0, event) } ?? first
      lines.append("DTSTART;VALUE=DATE:\(Self.day(first))")
      lines.append("DTEND;VALUE=DATE:\(Self.day(max(first, last).advanced(by: 1)))")
    } else {
      lines.append("DTSTART:\(Self.utc(event.timestamp))")
      if let end = event.endDate { lines.append("DTEND:\(Self.utc(end))") }
    }
    let type = context.typeName(of: event)
    lines.append("SUMMARY:\(CalendarLines.escaped(event.originalTitle ?? type))")
    lines.append("CATEGORIES:\(CalendarLines.escaped(type))")
    if let notes = event.notes { lines.append("DESCRIPTION:\(CalendarLines.escaped(notes))") }
    if let name = event.locationName { lines.append("LOCATION:\(CalendarLines.escaped(name))") }
    if let latitude = event.locationLatitude, let longitude = event.locationLongitude {
      lines.append("GEO:\(latitude);\(longitude)")
    }
    // Write values that have no iCalendar equivalent, so that an import of the file restores the event exactly.
    lines.append("X-TRENDY-SOURCE:\(event.sourceType.rawValue)")
    // Write the exact times, because the standard properties are limited to whole seconds and their dates have no zone.
    lines.append("X-TRENDY-START:\(RFC3339.string(from: event.timestamp))")
    if let end = event.endDate { lines.append("X-TRENDY-END:\(RFC3339.string(from: end))") }
    if let title = event.originalTitle { lines.append("X-TRENDY-TITLE:\(CalendarLines.escaped(title))") }
    if let id = event.externalId { lines.append("X-TRENDY-EXTERNAL-ID:\(CalendarLines.escaped(id))") }
    if let zone = event.timeZone { lines.append("X-TRENDY-TIME-ZONE:\(CalendarLines.escaped(zone))") }
    if !event.properties.isEmpty {
      let members = event.properties.mapValues {
        JSONValue.object(["type": .string($0.type.rawValue), "value": $0.value])
      }
      let properties = String(decoding: try WireJSON.encode(JSONValue.object(members)), as: UTF8.self)
      lines.append("X-TRENDY-PROPERTIES:\(CalendarLines.escaped(properties))")
    }
    lines.append("END:VEVENT")
    return lines.map { CalendarLines.folded($0) }.joined()
  }

  func ending() -> String { "END:VCALENDAR\r\n" }

  private static func day(_ date: CivilDate) -> String { date.description.replacing("-", with: "") }

  private static func utc(_ date: Date) -> String {
    RFC3339.string(from: date).prefix(19).replacing("-", with: "").replacing(":", with: "") + "Z"
  }
}
