import TrendyFoundation
import TrendyModels

/// Converts the visits and trips that Google detected to events. Shared by the readers of all Google formats.
enum GoogleStory {
  /// Device name under which the track log stores the fixes in paths.
  static let source = "Google Timeline"

  struct Stay {
    var placeId: String?
    var coordinate: Coordinate?
    var name: String?
    var address: String?
    /// Meaning of the place, such as `TYPE_HOME`, `INFERRED_HOME` or `Work`.
    var meaning: String?
  }

  struct Way {
    var activity = GoogleActivity(nil)
    var start: Coordinate?
    var end: Coordinate?
    /// Length in metres.
    var distance: Double?
    /// Positions between start and end, in order.
    var path: [Coordinate] = []
  }

  struct Span {
    var start: Date
    var end: Date
    /// IANA name of the time zone, if known.
    var zone: String?

    /// Returns the span of an element and reports missing or invalid times. Returns `nil` if the element has no valid
    /// start.
    static func read(
      _ start: Date?, _ end: Date?, zone: String? = nil, at place: String, _ body: InterchangeFormat.Handler
    ) throws -> Span? {
      guard let start else {
        try body(.bad(reason: "missing or invalid time"), place)
        return nil
      }
      if let end, end >= start { return Span(start: start, end: end, zone: zone) }
      try body(.bad(reason: "missing or invalid end, or end before the start: imported without an end"), place)
      return Span(start: start, end: start, zone: zone)
    }
  }

  static func event(_ stay: Stay, _ span: Span) -> ExternalEvent {
    var event = event("Visit", ["visit"], stay.placeId ?? position(stay.coordinate), span)
    let meaning = stay.meaning?.lowercased() ?? ""
    event.hints = [meaning, "visit"].filter { !$0.isEmpty }
    let known = meaning.hasSuffix("home") ? "Home" : meaning.hasSuffix("work") ? "Work" : nil
    event.locationName = text(stay.name) ?? known ?? text(stay.address)
    event.coordinate = stay.coordinate
    if let address = text(stay.address), address != event.locationName { event.properties["address"] = .text(address) }
    event.properties["Duration"] = .duration(span.end.timeIntervalSince(span.start))
    return event
  }

  static func event(_ way: Way, _ span: Span) -> ExternalEvent {
    var event = event(way.activity.typeName, ["move"], position(way.start), span)
    event.hints = [way.activity.words.isEmpty ? "movement" : way.activity.words, way.activity.vehicle]
    let points = [way.start].compactMap(\.self) + way.path + [way.end].compactMap(\.self)
    event.coordinate = points.first
    event.route = points
    let seconds = span.end.timeIntervalSince(span.start)
    event.properties["duration"] = .duration(seconds)
    if let distance = way.distance, distance >= 0, distance < 1e9 {
      event.properties["distance"] = .number((distance * 10).rounded() / 10)
      if way.activity.isVehicle, seconds > 0 {
        event.properties["average_speed"] = .number((distance / seconds * 10).rounded() / 10)
      }
    }
    if way.activity.isVehicle {
      event.source = .trip
      event.properties[ExternalEvent.modeKey] = .text(way.activity.vehicle)
    }
    return event
  }

  private static func event(_ type: String, _ kind: [String], _ place: String, _ span: Span) -> ExternalEvent {
    let second = Int64(span.start.timeIntervalSince1970.rounded(.down))
    var event = ExternalEvent(typeName: type, key: ["google"] + kind + ["\(second)", place], timestamp: span.start)
    event.isKeyUnique = true
    event.endDate = span.end
    event.timeZone = span.zone
    // Compare times and positions, because the formats round them differently and two exports of one event therefore
    // have different keys.
    event.sameness = .time(metres: 150)
    return event
  }

  private static func text(_ text: String?) -> String? {
    let text = FieldText.trim(text ?? "").replacing("\n", with: ", ")
    return text.isEmpty ? nil : text
  }

  /// Formats a coordinate rounded to about a metre.
  private static func position(_ coordinate: Coordinate?) -> String {
    coordinate.map { "\(($0.latitude * 1e5).rounded() / 1e5) \(($0.longitude * 1e5).rounded() / 1e5)" } ?? ""
  }
}
