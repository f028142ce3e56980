import TrendyFoundation

/// Reader of a wire document's members, from parsed JSON or a `Decoder`. Records which members were read.
public struct WireReader {
  // Exactly one of `coder` and `text` is set.
  private let coder: KeyedDecodingContainer<WireKey>?
  private var text: JSONMembers?
  /// Names of the members read from `coder`; ``JSONMembers`` records those read from `text`.
  private var known: Set<String> = []
  /// Kind of the document being read, which determines the fields that it may contain.
  var form = DocumentForm.create

  init(_ decoder: any Decoder) throws {
    coder = try decoder.container(keyedBy: WireKey.self)
  }

  init(_ node: JSONNode) throws {
    coder = nil
    text = try JSONMembers(node)
  }

  /// Reads a member that must be present.
  public mutating func required<Value: WireValue>(_ name: StaticString) throws -> Value {
    guard let coder else {
      guard let node = text?.find(name) else { throw missing(name, WireJSON.name(of: Value.self)) }
      return try Value(node)
    }
    known.insert(name.description)
    guard coder.contains(WireKey(name)) else { throw missing(name, WireJSON.name(of: Value.self)) }
    return try naming(name, Value.self) {
      guard Value.self == Date.self else { return try coder.decode(Value.self, forKey: WireKey(name)) }
      return try date(coder.decode(String.self, forKey: WireKey(name)), name) as! Value
    }
  }

  /// Reads an integer that must be in a range. An error contains the member's name.
  public mutating func required(_ name: StaticString, in range: ClosedRange<Int64>) throws -> Int64 {
    try check(required(name), name, range)
  }

  /// Reads an integer as ``required(_:in:)`` does, or returns `nil` if the member is absent or null.
  public mutating func optional(_ name: StaticString, in range: ClosedRange<Int64>) throws -> Int64? {
    try optional(name).map { try check($0, name, range) }
  }

  /// Reads an id and validates it with ``WireIdentifier``.
  public mutating func identifier(_ name: StaticString) throws -> String {
    let value: String = try required(name)
    guard !WireIdentifier.isValid(value) else { return value }
    throw refusal(of: name, "expected \(WireIdentifier.rule)")
  }

  /// Reads a member, or returns `nil` if it is absent or null.
  public mutating func optional<Value: WireValue>(_ name: StaticString) throws -> Value? {
    guard let coder else {
      guard let node = text?.find(name), !node.isNull else { return nil }
      return try Value(node)
    }
    known.insert(name.description)
    return try naming(name, Value.self) {
      guard Value.self == Date.self else { return try coder.decodeIfPresent(Value.self, forKey: WireKey(name)) }
      return try coder.decodeIfPresent(String.self, forKey: WireKey(name)).map { try date($0, name) as! Value }
    }
  }

  /// Reads a member, or returns the default if it is absent or null.
  public mutating func optional<Value: WireValue>(_ name: StaticString, default standard: Value) throws -> Value {
    try optional(name) ?? standard
  }

  /// Reads a field of an update, distinguishing absent and null.
  public mutating func patch<Value: WireValue>(_ name: StaticString) throws -> Patch<Value> {
    guard let coder else {
      guard let node = text?.find(name) else { return .absent }
      return node.isNull ? .null : .value(try Value(node))
    }
    return coder.contains(WireKey(name)) ? Patch(setting: try optional(name)) : .absent
  }

  /// Returns all members that have not been read.
  public func unknown() throws -> [String: JSONValue] {
    var fields: [String: JSONValue] = [:]
    for (name, node) in text?.others() ?? [] { fields[name] = node.value() }
    for key in coder?.allKeys ?? [] where !known.contains(key.stringValue) {
      fields[key.stringValue] = try coder?.decode(JSONValue.self, forKey: key)
    }
    return fields
  }
}

@available(*, unavailable) extension WireReader: Sendable {}

extension ClosedRange<Int64> {
  var inWords: String { "a whole number from \(lowerBound) to \(upperBound)" }
}

extension WireReader {
  /// Parses an RFC 3339 string, because Foundation's own coding of `Date` is a number.
  private func date(_ text: String, _ name: StaticString) throws -> Date {
    guard let date = RFC3339.date(from: text) else {
      throw corrupted(name, "expected \(WireJSON.name(of: Date.self)), found \"\(text.prefix(40))\"")
    }
    return date
  }

  private mutating func check(_ value: Int64, _ name: StaticString, _ range: ClosedRange<Int64>) throws -> Int64 {
    guard !range.contains(value) else { return value }
    throw refusal(of: name, "expected \(range.inWords), found \(value)")
  }

  private mutating func refusal(of name: StaticString, _ reason: String) -> any Error {
    guard let node = text?.find(name) else { return corrupted(name, reason) }
    return JSONError(path: node.path, byte: node.token.firstByte, reason: reason)
  }

  private func missing(_ name: StaticString, _ expected: String) -> any Error {
    if let text { return text.node.missing(name.description, expected) }
    return DecodingError.keyNotFound(
      WireKey(name),
      DecodingError.Context(
        codingPath: coder?.codingPath ?? [], debugDescription: "expected \(expected), found nothing"))
  }

  private func corrupted(_ name: StaticString, _ reason: String) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(codingPath: (coder?.codingPath ?? []) + [WireKey(name)], debugDescription: reason))
  }

  /// Adds the member's name to an error. For a number out of range, Foundation's decoder throws an error without a path
  /// or reason.
  private func naming<Value, Result>(
    _ name: StaticString, _ type: Value.Type, _ decode: () throws -> Result
  ) throws -> Result {
    do {
      return try decode()
    } catch  where !(error is DecodingError) {
      throw corrupted(name, "expected \(WireJSON.name(of: type)), found a number out of range")
    }
  }
}
