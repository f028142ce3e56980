#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A member name of a wire document.
struct WireKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

/// Reads the members of one wire document and remembers which it knew.
struct WireReader {
  private let container: KeyedDecodingContainer<WireKey>
  private var known: Set<String> = []

  init(_ decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: WireKey.self)
  }

  mutating func required<Value: Decodable>(_ name: String) throws -> Value {
    known.insert(name)
    try mustHold(name, expected: WireJSON.name(of: Value.self))
    return try naming(name, Value.self) { try container.decode(Value.self, forKey: WireKey(name)) }
  }

  /// Absent and null both give `nil`.
  mutating func optional<Value: Decodable>(_ name: String) throws -> Value? {
    known.insert(name)
    return try naming(name, Value.self) { try container.decodeIfPresent(Value.self, forKey: WireKey(name)) }
  }

  mutating func optional<Value: Decodable>(_ name: String, default standard: Value) throws -> Value {
    try optional(name) ?? standard
  }

  mutating func date(_ name: String) throws -> Date {
    try mustHold(name, expected: Self.dateForm)
    return try date(required(name), name)
  }

  mutating func optionalDate(_ name: String) throws -> Date? {
    try (optional(name) as String?).map { try date($0, name) }
  }

  mutating func patch<Value: Decodable>(_ name: String) throws -> Patch<Value> {
    guard container.contains(WireKey(name)) else { return .absent }
    return Patch(setting: try optional(name))
  }

  mutating func datePatch(_ name: String) throws -> Patch<Date> {
    guard container.contains(WireKey(name)) else { return .absent }
    return Patch(setting: try optionalDate(name))
  }

  /// The members that were not asked for.
  func unknown() throws -> [String: JSONValue] {
    var fields: [String: JSONValue] = [:]
    for key in container.allKeys where !known.contains(key.stringValue) {
      fields[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
    }
    return fields
  }

  private static let dateForm = "an RFC 3339 date such as 2024-01-01T00:00:00.000Z"

  private func date(_ text: String, _ name: String) throws -> Date {
    guard let date = RFC3339.date(from: text) else {
      throw DecodingError.dataCorruptedError(
        forKey: WireKey(name), in: container,
        debugDescription: "expected \(Self.dateForm), found \"\(text.prefix(40))\"")
    }
    return date
  }

  private func mustHold(_ name: String, expected: @autoclosure () -> String) throws {
    if container.contains(WireKey(name)) { return }
    throw DecodingError.keyNotFound(
      WireKey(name),
      DecodingError.Context(codingPath: container.codingPath, debugDescription: "expected \(expected()), found nothing")
    )
  }

  /// Of a number that its type cannot hold the decoder says neither where nor what: its error is of a kind of its own.
  private func naming<Value, Result>(_ name: String, _ type: Value.Type, _ decode: () throws -> Result) throws -> Result
  {
    do {
      return try decode()
    } catch  where !(error is DecodingError) {
      throw DecodingError.dataCorruptedError(
        forKey: WireKey(name), in: container,
        debugDescription: "expected \(WireJSON.name(of: type)), found a number that does not fit")
    }
  }
}

/// Writes the members of one wire document; unknown ones first, so that a known one is never overwritten.
struct WireWriter {
  private var container: KeyedEncodingContainer<WireKey>

  init(_ encoder: any Encoder, unknown: [String: JSONValue] = [:]) throws {
    container = encoder.container(keyedBy: WireKey.self)
    for (name, value) in unknown.sorted(by: { $0.key < $1.key }) {
      try container.encode(value, forKey: WireKey(name))
    }
  }

  mutating func write(_ name: String, _ value: some Encodable) throws {
    try container.encode(value, forKey: WireKey(name))
  }

  mutating func write(_ name: String, _ date: Date) throws {
    try container.encode(RFC3339.string(from: date), forKey: WireKey(name))
  }

  /// `nil` leaves the member out.
  mutating func writeIfPresent(_ name: String, _ value: (some Encodable)?) throws {
    try container.encodeIfPresent(value, forKey: WireKey(name))
  }

  mutating func writeIfPresent(_ name: String, _ date: Date?) throws {
    try container.encodeIfPresent(date.map { RFC3339.string(from: $0) }, forKey: WireKey(name))
  }

  mutating func write(_ name: String, _ patch: Patch<some Encodable>) throws {
    switch patch {
    case .absent: break
    case .null: try container.encodeNil(forKey: WireKey(name))
    case .value(let value): try container.encode(value, forKey: WireKey(name))
    }
  }

  mutating func write(_ name: String, _ patch: Patch<Date>) throws {
    switch patch {
    case .absent: break
    case .null: try container.encodeNil(forKey: WireKey(name))
    case .value(let date): try container.encode(RFC3339.string(from: date), forKey: WireKey(name))
    }
  }
}
