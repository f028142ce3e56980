public import TrendyFoundation
public import TrendyModels

/// Settings and lookup tables that event writers need.
public struct ExportContext: Sendable {
  /// Event types by id.
  public var types: [String: EventType]
  /// Property keys of all events, in column order.
  public var propertyKeys: [String]
  /// Time zone for events without a time zone.
  public var zone: ZoneClock
  /// Returns the local date of a time in the event's zone. All-day events are written as dates.
  public var date: @Sendable (Date, Event) -> CivilDate
  /// Time of the export.
  public var now: Date

  /// Creates a context. The arguments correspond to the properties.
  public init(
    types: [String: EventType], propertyKeys: [String], zone: ZoneClock, now: Date,
    date: @escaping @Sendable (Date, Event) -> CivilDate
  ) {
    self.types = types
    self.propertyKeys = propertyKeys
    self.zone = zone
    self.now = now
    self.date = date
  }

  func typeName(of event: Event) -> String { types[event.eventTypeId]?.name ?? event.eventTypeId }

  /// Formats a time as an RFC 3339 timestamp in the event's zone, or in the context's zone if the event has none.
  func text(_ moment: Date, of event: Event) -> String {
    let named = event.timeZone.flatMap { $0 == zone.name ? nil : ZoneClock(named: $0) }
    let milliseconds = (moment.timeIntervalSince1970 * 1000).rounded()
    return RFC3339.string(
      from: moment, secondsFromGMT: (named ?? zone).secondsFromGMT(at: moment),
      fractionDigits: milliseconds.truncatingRemainder(dividingBy: 1000) == 0 ? 0 : 3)
  }
}

/// Serializes events one at a time, in any order.
public protocol EventWriter {
  /// Returns the text before the first event.
  func beginning() -> String
  /// Returns the text of one event.
  mutating func text(of event: Event) throws -> String
  /// Returns the text after the last event.
  func ending() -> String
}

/// Writes a CSV table that this product can import: times with offset, all-day events as dates, durations in seconds.
struct EventTableWriter: EventWriter {
  let context: ExportContext

  func beginning() -> String {
    TableText.line(
      [
        "id", "type", "start", "end", "all_day", "note", "source", "external_id", "title", "place", "latitude",
        "longitude",
        "time_zone",
      ] + context.propertyKeys.map { "Property: \($0)" })
  }

  func text(of event: Event) -> String {
    func moment(_ date: Date) -> String {
      event.isAllDay ? "\(context.date(date, event))" : context.text(date, of: event)
    }
    let properties = event.properties
    let cells = [
      event.id, context.typeName(of: event), moment(event.timestamp), event.endDate.map(moment) ?? "",
      event.isAllDay ? "true" : "false", event.notes ?? "", event.sourceType.rawValue, event.externalId ?? "",
      event.originalTitle ?? "", event.locationName ?? "", event.locationLatitude.map { "\($0)" } ?? "",
      event.locationLongitude.map { "\($0)" } ?? "", event.timeZone ?? "",
    ]
    return TableText.line(cells + context.propertyKeys.map { properties[$0].map(Self.text) ?? "" })
  }

  func ending() -> String { "" }

  private static func text(_ property: PropertyValue) -> String {
    switch property.value {
    case .string(let text): text
    case .bool(let value): value ? "true" : "false"
    case .int(let value): "\(value)"
    case .double(let value): value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    case .null: ""
    case .array, .object: (try? WireJSON.encode(property.value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }
}

/// Writes a JSON array of events with nested event types, as in exports from the original product.
struct EventArrayWriter: EventWriter {
  let context: ExportContext
  private var isFirst = true

  init(context: ExportContext) { self.context = context }

  func beginning() -> String { "[" }

  mutating func text(of event: Event) throws -> String {
    var members = try WireJSON.members(of: event.createRequest)
    members.removeValue(forKey: "event_type_id")
    members["id"] = .string(event.id)
    let type = context.types[event.eventTypeId]
    members["event_type"] = .object([
      "id": .string(event.eventTypeId), "name": .string(context.typeName(of: event)),
      "color": .string(type?.colorHex ?? ""), "icon": .string(type?.iconName ?? ""),
    ])
    let text = String(
      decoding: try WireJSON.encode(JSONValue.object(members.filter { $0.value != .null })), as: UTF8.self)
    defer { isFirst = false }
    return (isFirst ? "\n" : ",\n") + text
  }

  func ending() -> String { "\n]\n" }
}
