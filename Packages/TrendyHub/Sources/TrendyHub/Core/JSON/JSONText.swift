import Foundation
import TrendyModels

/// JSON of requests and stored values: `WireJSON` with the hub's limits, reporting errors as problems.
enum JSONText {
  /// Maximum nesting of arrays and objects.
  ///
  /// The limit is greater than the nesting of any value that a device can record, because exceeding it rejects the
  /// whole document, whereas exceeding a field limit rejects only one mutation. For the same reason, string lengths are
  /// not limited here.
  static let maximumDepth = 32

  /// Parses JSON. Text that the hub wrote needs a greater depth, because the hub nests received values.
  static func parse(_ data: Data, maximumDepth: Int = maximumDepth) throws(Problem) -> JSONValue {
    try read(JSONValue.self, from: data, maximumDepth: maximumDepth)
  }

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

  /// Serializes with members sorted by name, so that equal values have equal bytes.
  static func write(_ value: JSONValue) -> Data { write(document: value) }

  static func write(document value: some WireValue) -> Data {
    do {
      return try WireJSON.encode(value)
    } catch {
      preconditionFailure("the hub created a document that cannot be encoded: \(error)")
    }
  }
}

extension Problem {
  static func invalid(_ detail: String) -> Problem {
    Problem("invalid", status: 400, title: "Invalid document", detail: detail)
  }
}
