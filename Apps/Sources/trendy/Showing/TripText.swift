import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyTrips

/// A trip as a person reads it, and as scripts do.
struct TripText {
  private let event: Event
  private let local: LocalTime
  private let year: Int

  init(_ event: Event, session: Session) {
    self.event = event
    local = session.local
    year = local.components(of: session.now).year
  }

  /// Metres.
  private var distance: Double? { event.properties["distance"]?.doubleValue }
  private var seconds: Double? { event.endDate.map { $0.timeIntervalSince(event.timestamp) } }
  private var car: String? { event.properties["car"]?.stringValue }

  /// `Tue 18 Nov 2014 09:37 – 10:12  7.45 km  35m  0199f3c2-7a40`.
  var line: String {
    let category = event.properties["category"]?.stringValue
    let end = event.endDate.map { " – \(local.time($0))" } ?? ""
    let parts = [
      local.dayAndTime(event.timestamp, year: year) + end, kilometres, seconds.map(DurationPhrase.words), car, category,
    ]
    return (parts.compactMap(\.self) + [ShortID.of(event.id)]).joined(separator: "  ")
  }

  var lines: [String] {
    var rows = [("id", event.id), ("start", local.rfc3339(event.timestamp))]
    if let end = event.endDate { rows.append(("end", local.rfc3339(end))) }
    if let kilometres { rows.append(("distance", kilometres)) }
    if let seconds { rows.append(("duration", DurationPhrase.words(seconds))) }
    if let speed = speed("average_speed") { rows.append(("average", speed)) }
    if let speed = speed("top_speed") { rows.append(("top speed", speed)) }
    if let car { rows.append(("car", car)) }
    if let category = event.properties["category"]?.stringValue {
      let why = event.properties["rule"]?.stringValue.map { "rule '\($0)'" } ?? "by hand"
      rows.append(("for", "\(category) (\(why))"))
    }
    if let latitude = event.locationLatitude, let longitude = event.locationLongitude {
      rows.append(("from", "\(latitude), \(longitude)"))
    }
    if let notes = event.notes { rows.append(("note", notes)) }
    return rows.map { "\($0)\(String(repeating: " ", count: 10 - $0.count))\($1)" }
  }

  var plain: [String] {
    [
      event.id, local.rfc3339(event.timestamp), event.endDate.map { local.rfc3339($0) } ?? "",
      JSONText.number(distance).description, JSONText.number(seconds).description,
    ]
  }

  var json: JSONText {
    .object([
      ("id", .string(event.id)), ("start", .string(local.rfc3339(event.timestamp))),
      ("end", .string(event.endDate.map { local.rfc3339($0) })), ("distance_m", .number(distance)),
      ("duration_s", .number(seconds)),
      ("average_speed_mps", .number(event.properties["average_speed"]?.doubleValue)),
      ("top_speed_mps", .number(event.properties["top_speed"]?.doubleValue)), ("car", .string(car)),
      ("vehicle_id", .string(event.properties["vehicle"]?.stringValue)),
      ("category", .string(event.properties["category"]?.stringValue)),
      ("rule", .string(event.properties["rule"]?.stringValue)),
      ("business_distance_m", .number(TripEvent(event)?.businessDistance)),
      ("start_latitude", .number(event.locationLatitude)), ("start_longitude", .number(event.locationLongitude)),
      ("route", .string(event.properties["route"]?.stringValue)), ("notes", .string(event.notes)),
      ("sync_status", .string(event.syncStatus.rawValue)),
    ])
  }

  private var kilometres: String? {
    distance.map { metres in
      guard let hundredths = Int(exactly: (metres / 10).rounded()), hundredths >= 0 else { return "\(metres) m" }
      let rest = hundredths % 100
      return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) km"
    }
  }

  private func speed(_ key: String) -> String? {
    event.properties[key]?.doubleValue.map { "\(JSONText.number(($0 * 3.6).rounded())) km/h" }
  }
}
