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
    } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty && !isJSON(data) {
      throw APIError.decodingError(
        data.isEmpty
          ? "expected a JSON document, found nothing"
          : "expected a JSON document, found \"\(String(decoding: data.prefix(40), as: UTF8.self))\""
            + (data.count > 40 ? " and so on" : ""))
    } catch {
      throw APIError.decodingError(describe(error))
    }
  }

  /// The decoder says the same of text that is no JSON and of a number that does not fit.
  private static func isJSON(_ data: Data) -> Bool {
    struct Anything: Decodable {
      init(from decoder: any Decoder) {}
    }
    // Failing is the answer asked for.
    return (try? JSONDecoder().decode(Anything.self, from: data)) != nil
  }

  /// `changes[3].data.timestamp: expected …`.
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
    case EncodingError.invalidValue(let value, let context):
      "\(path(context.codingPath)): \(value) has no JSON form"
    default:
      "\(error)"
    }
  }

  /// The decoder's "Expected to decode Bool but found number instead." cut down to what was found.
  private static func found(_ context: DecodingError.Context) -> String {
    guard let start = context.debugDescription.firstRange(of: "but found ")?.upperBound,
      let end = context.debugDescription.firstRange(of: " instead")?.lowerBound, start < end
    else { return "something else" }
    let kind = context.debugDescription[start..<end]
    return switch kind {
    case "bool": "true or false"
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

  /// What a person would call the JSON that `type` is read from.
  static func name(of type: Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is Int.Type, is Int64.Type: "a whole number"
    case is Double.Type: "a number"
    case is JSONValue.Type: "a value"
    case is any ExpressibleByArrayLiteral.Type: "an array"
    default: "an object"
    }
  }
}
