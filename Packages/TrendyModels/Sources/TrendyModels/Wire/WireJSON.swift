#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The product's JSON coder. Wire types code their own names and dates, so a plain `JSONEncoder()` writes the same document.
public enum WireJSON: Sendable {
  /// Members sorted by name, so that the same value always gives the same bytes.
  /// - Throws: ``APIError/decodingError(_:)`` for a number JSON has no text for (infinity, not a number).
  public static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(value)
    } catch {
      throw APIError.decodingError("cannot be written as JSON: \(WireJSON.describe(error))")
    }
  }

  /// - Throws: ``APIError/decodingError(_:)`` that names the field and what was expected there.
  public static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw APIError.decodingError(describe(error))
    }
  }

  /// `changes[3].data.timestamp: expected …`.
  private static func describe(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      "\(path(context.codingPath + [key])): expected a value, found none"
    case DecodingError.typeMismatch(let type, let context):
      "\(path(context.codingPath)): expected \(name(of: type)); \(context.debugDescription)"
    case DecodingError.valueNotFound(let type, let context):
      "\(path(context.codingPath)): expected \(name(of: type)), found null"
    case DecodingError.dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "the document is not valid JSON: \(context.underlyingError.map { "\($0)" } ?? context.debugDescription)"
        : "\(path(context.codingPath)): \(context.debugDescription)"
    case EncodingError.invalidValue(let value, let context):
      "\(path(context.codingPath)): \(value) has no JSON form"
    case let error as APIError:
      error.description
    default:
      "\(error)"
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

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is Int.Type, is Int64.Type: "a whole number"
    case is Double.Type: "a number"
    case is any Collection.Type where "\(type)".hasPrefix("Dictionary"): "an object"
    case is any Collection.Type: "an array"
    default: "\(type)".hasPrefix("Dictionary") ? "an object" : "\(type)".hasPrefix("Array") ? "an array" : "\(type)"
    }
  }
}
