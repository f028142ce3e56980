import TrendyFoundation
import TrendyModels

/// Reads the array of events with nested types, as written by the original product and by `export json`, without loss.
///
/// The file contains no property definitions, so the reader creates one for each property key of a type. The kind comes
/// from the first event that has the key.
struct OriginalEvents {
  private let options: ImportOptions
  private let body: InterchangeFormat.Handler
  private var types: Set<String> = []
  private var keys: Set<[String]> = []

  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    let head = head.withoutLeadingSpace
    guard head.first == UInt8(ascii: "["), let members = JSONOutline(head)?.members else { return false }
    return ["event_type", "id", "timestamp"].allSatisfy { members[$0] != nil }
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    try withoutActuallyEscaping(body) { body in
      var reader = OriginalEvents(options: options, body: body)
      try JSONWalker.walk(input) { _ in
        .each
      } _: { _, value, place in
        try reader.take(value, place)
      } onBroken: { reason, place in
        try body(.bad(reason: reason), place)
      }
    }
  }

  private init(options: ImportOptions, body: @escaping InterchangeFormat.Handler) {
    self.options = options
    self.body = body
  }

  private mutating func take(_ value: JSONValue, _ place: String) throws {
    guard var fields = value.objectValue, let id = fields["id"]?.stringValue, WireIdentifier.isValid(id) else {
      return try body(.bad(reason: "an event needs an id"), place)
    }
    guard let type = fields["event_type"]?.objectValue, let typeID = type["id"]?.stringValue,
      WireIdentifier.isValid(typeID), let name = type["name"]?.stringValue
    else { return try body(.bad(reason: "an event needs an event_type with an id and a name"), place) }
    if types.insert(typeID).inserted {
      var look: [String: JSONValue] = ["name": .string(name)]
      look["color"] = .string(Self.text(type["color"]) ?? "#6B7280")
      look["icon"] = .string(Self.text(type["icon"]) ?? "•")
      try body(.entity(kind: .eventType, id: typeID, fields: look), place)
    }
    for key in (fields["properties"]?.objectValue ?? [:]).keys.sorted() where keys.insert([typeID, key]).inserted {
      let word = fields["properties"]?[key]?["type"]?.stringValue
      guard let kind = word.flatMap(PropertyType.init(rawValue:)) else { continue }
      try body(.property(key: key, kind: kind, typeID: typeID), place)
    }
    for name in ["id", "event_type", "created_at", "updated_at"] { fields.removeValue(forKey: name) }
    fields = fields.filter { $0.value != .null }
    fields["event_type_id"] = .string(typeID)
    // An all-day event is a date in the zone in which the event was recorded, but the original product does not store
    // that zone.
    if fields["is_all_day"] == .bool(true), fields["time_zone"] == nil {
      fields["time_zone"] = options.zone.name.map { .string($0) }
    }
    try body(.entity(kind: .event, id: id, fields: fields), place)
  }

  private static func text(_ value: JSONValue?) -> String? {
    value?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
  }
}
