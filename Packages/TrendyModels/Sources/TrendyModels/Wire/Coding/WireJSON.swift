public import TrendyFoundation

/// JSON coder for wire types. Wire types encode their own names and dates, so a plain `JSONEncoder()` writes the same
/// document.
///
/// Decoding is stricter than Foundation's: see ``JSONLimits`` and `docs/decisions/0002-parse-json-and-xml-in-swift.md`.
public enum WireJSON: Sendable {
  /// Encodes a value with members sorted by name, so that equal values produce equal bytes.
  ///
  /// - Throws: ``APIError/decodingError(_:)`` for a number that JSON cannot represent (infinity or NaN).
  public static func encode(_ value: some WireValue) throws -> Data {
    do {
      var writer = WireWriter()
      try value.append(to: &writer)
      return writer.data
    } catch {
      throw APIError.decodingError("cannot encode as JSON: \(describe(error))")
    }
  }

  /// Returns the members of a value's JSON object as decoding would return them: 5.0 is an integer.
  ///
  /// - Throws: ``APIError/decodingError(_:)`` if the value is not an object or contains infinity or NaN.
  public static func members(of value: some WireValue) throws -> [String: JSONValue] {
    var writer = WireWriter(makesValue: true)
    do {
      try value.append(to: &writer)
    } catch {
      throw APIError.decodingError("cannot encode as JSON: \(describe(error))")
    }
    guard let members = writer.value.objectValue else {
      throw APIError.decodingError("expected an object, found \(writer.value.kindInWords)")
    }
    return members
  }

  /// Returns the members of a value's JSON object. Types other than ``WireValue`` use the slower Foundation coder.
  public static func members(of value: some Encodable) throws -> [String: JSONValue] {
    if let value = value as? any WireValue { return try members(of: value) }
    return try decode([String: JSONValue].self, from: encode(value), limits: JSONLimits(depth: .max))
  }

  /// Encodes any type. Types other than ``WireValue`` use the slower Foundation coder.
  public static func encode(_ value: some Encodable) throws -> Data {
    if let value = value as? any WireValue { return try encode(value) }
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(value)
    } catch {
      throw APIError.decodingError("cannot encode as JSON: \(describe(error))")
    }
  }

  /// Decodes a wire type.
  ///
  /// - Throws: ``APIError/decodingError(_:)`` with the path of the member, the expected value and the byte offset.
  public static func decode<Value: WireValue>(
    _ type: Value.Type, from data: Data, limits: JSONLimits = JSONLimits()
  ) throws -> Value {
    do {
      return try Value(try JSONDocument(data, limits: limits).root)
    } catch let error as JSONError {
      throw APIError.decodingError(describe(error, in: data))
    }
  }

  /// Decodes any type. Types other than ``WireValue`` use the slower Foundation coder.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, limits: JSONLimits = JSONLimits()
  ) throws -> Value {
    if let type = type as? any WireValue.Type { return try decode(type, from: data, limits: limits) as! Value }
    do {
      // Foundation accepts invalid documents, so the strict parser validates the document first.
      _ = try JSONDocument(data, limits: limits)
      return try JSONDecoder().decode(type, from: data)
    } catch let error as JSONError {
      throw APIError.decodingError(describe(error, in: data))
    } catch {
      throw APIError.decodingError(describe(error))
    }
  }

  /// Describes a parsing error. If a response is not JSON, such as an HTML error page from a proxy, quotes its
  /// beginning instead of a byte offset.
  private static func describe(_ error: JSONError, in data: Data) -> String {
    let blanks = data.prefix { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }.count
    guard error.path.isEmpty, error.byte == blanks, error.reason.hasSuffix("expected a value") else {
      return error.description
    }
    return data.count == blanks
      ? "expected a JSON document, found nothing"
      : "expected a JSON document, found \"\(String(decoding: data.prefix(40), as: UTF8.self))"
        + (data.count > 40 ? "…\"" : "\"")
  }

  /// Formats a decoding error, for example `changes[3].data.timestamp: expected …`.
  private static func describe(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      "\(path(context.codingPath + [key])): \(context.debugDescription)"
    case DecodingError.typeMismatch(let type, let context):
      "\(path(context.codingPath)): expected \(name(of: type)), found \(found(context))"
    case DecodingError.valueNotFound(let type, let context):
      "\(path(context.codingPath)): expected \(name(of: type)), found null"
    case DecodingError.dataCorrupted(let context):
      "\(path(context.codingPath)): \(context.debugDescription)"
    case let error as Unwritable:
      "\(error.path.isEmpty ? "the document" : error.path): \(error.value) cannot be represented in JSON"
    case EncodingError.invalidValue(let value, let context):
      "\(path(context.codingPath)): \(value) cannot be represented in JSON"
    default:
      "\(error)"
    }
  }

  /// Returns the found value from a message such as "Expected to decode Bool but found number instead."
  private static func found(_ context: DecodingError.Context) -> String {
    guard let start = context.debugDescription.firstRange(of: "but found ")?.upperBound,
      let end = context.debugDescription.firstRange(of: " instead")?.lowerBound, start < end
    else { return "another type" }
    let kind = context.debugDescription[start..<end]
    return switch kind {
    case "bool": "a Boolean"
    case "number": "a number"
    case "a dictionary": "an object"
    default: String(kind)
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    var text = ""
    for key in keys {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return text.isEmpty ? "the document" : text
  }

  /// Returns the JSON name of the value that `type` is decoded from, for error messages.
  static func name(of type: Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is Int.Type, is Int64.Type: "a whole number"
    case is Double.Type: "a number"
    case is Date.Type: "an RFC 3339 date such as 2024-01-01T00:00:00.000Z"
    case is JSONValue.Type: "a value"
    case is any ExpressibleByArrayLiteral.Type: "an array"
    default: "an object"
    }
  }
}
