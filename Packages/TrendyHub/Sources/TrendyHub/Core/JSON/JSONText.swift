import Foundation
import TrendyModels

/// JSON as the hub takes it from others: ``WireJSON`` with the hub's limits and the hub's words.
enum JSONText {
  /// Maximum number of arrays and objects within each other.
  ///
  /// It is above the nesting of any value that a device may record, with the objects around it: the parser rejects a whole push, a
  /// field's limit only one mutation. Texts have no limit here for the same reason.
  static let maximumDepth = 32

  /// - Parameters:
  ///   - data: The text.
  ///   - maximumDepth: More for what the hub wrote itself, as it wraps what it was given.
  static func parse(_ data: Data, maximumDepth: Int = maximumDepth) throws(Problem) -> JSONValue {
    try read(JSONValue.self, from: data, maximumDepth: maximumDepth)
  }

  /// The same of a document of the wire.
  static func read<Document: WireValue>(
    _ type: Document.Type, from data: Data, maximumDepth: Int = maximumDepth
  ) throws(Problem) -> Document {
    do {
      return try WireJSON.decode(type, from: data, limits: JSONLimits(depth: maximumDepth))
    } catch APIError.decodingError(let what) {
      throw .invalid(what)
    } catch {
      throw .invalid("\(error)")
    }
  }

  /// Members sorted by name, so that equal values give equal bytes.
  static func write(_ value: JSONValue) -> Data { write(document: value) }

  /// The same of a wire type.
  static func write(document value: some WireValue) -> Data {
    do {
      return try WireJSON.encode(value)
    } catch {
      preconditionFailure("the hub made a document with a number that no reader would let in: \(error)")
    }
  }
}

extension Problem {
  static func invalid(_ detail: String) -> Problem {
    Problem("invalid", status: 400, title: "Invalid document", detail: detail)
  }
}
