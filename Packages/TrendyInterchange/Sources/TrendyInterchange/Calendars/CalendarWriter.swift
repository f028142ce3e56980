import TrendyFoundation
import TrendyModels

/// Writes events as a calendar (RFC 5545): times in UTC, all-day events as dates, an id that stays.
struct CalendarWriter: EventWriter {
  let context: ExportContext

  func beginning() -> String {
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//trendy//trendy//EN\r\nCALSCALE:GREGORIAN\r\n"
  }

  func text(of event: Event) -> String {
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
    lines.append("END:VEVENT")
    return lines.map { CalendarLines.folded($0) }.joined()
  }

  func ending() -> String { "END:VCALENDAR\r\n" }

  private static func day(_ date: CivilDate) -> String { date.description.replacing("-", with: "") }

  private static func utc(_ date: Date) -> String {
    RFC3339.string(from: date).prefix(19).replacing("-", with: "").replacing(":", with: "") + "Z"
  }
}
