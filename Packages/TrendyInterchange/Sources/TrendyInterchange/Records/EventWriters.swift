public import TrendyFoundation
public import TrendyModels

/// What a writer of events has to know beside them.
public struct ExportContext: Sendable {
  /// By id.
  public var types: [String: EventType]
  /// Keys of the properties that any of the events has, in the order of their columns.
  public var propertyKeys: [String]
  public var zone: ZoneClock
  /// All-day events are written by their dates.
  public var date: @Sendable (Date, Event) -> CivilDate
  /// When the file was asked for.
  public var now: Date

  /// - Parameters:
  ///   - types: by their ids.
  ///   - propertyKeys: the columns of properties, in their order.
  ///   - zone: in which times are written.
  ///   - now: when it is written.
  ///   - date: the date of a moment of an event in the zone where it was recorded.
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

  /// RFC 3339 with the offset of the zone where an event was recorded, or here.
  func text(_ moment: Date, of event: Event) -> String {
    let named = event.timeZone.flatMap { $0 == zone.name ? nil : ZoneClock(named: $0) }
    let milliseconds = (moment.timeIntervalSince1970 * 1000).rounded()
    return RFC3339.string(
      from: moment, secondsFromGMT: (named ?? zone).secondsFromGMT(at: moment),
      fractionDigits: milliseconds.truncatingRemainder(dividingBy: 1000) == 0 ? 0 : 3)
  }
}

/// Writes events one after the other, in whatever order they come.
public protocol EventWriter {
  func beginning() -> String
  mutating func text(of event: Event) throws -> String
  func ending() -> String
}

/// A table that this product reads again: times with their offset, all-day events as dates, durations in seconds.
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

/// An array of events with their types inside, as the original product exports it.
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
