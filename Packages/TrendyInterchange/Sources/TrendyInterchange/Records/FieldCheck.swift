import TrendyFoundation
import TrendyModels

/// Reads the optional fields of a record. Collects the invalid ones, so that the record can be imported without them.
struct FieldCheck {
  /// Problems found so far, each as the reason for a report.
  private(set) var reasons: [String] = []

  /// Returns the converted value of a field. Returns `nil` if the field is missing, null or empty, or invalid.
  mutating func read<Value>(_ name: String, _ value: JSONValue?, _ convert: (JSONValue) -> Value?) -> Value? {
    guard let value, !value.isNull, value != .string("") else { return nil }
    if let converted = convert(value) { return converted }
    let text = value.stringValue ?? (try? WireJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    report(name, text)
    return nil
  }

  mutating func number(_ name: String, in object: JSONValue?) -> Double? { read(name, object?[name]) { $0.number } }

  mutating func report(_ name: String, _ text: some StringProtocol) {
    reasons.append("invalid \(name) '\(text.prefix(40))': ignored")
  }

  /// Passes the problems to `body`.
  func report(at place: @autoclosure () -> String, _ body: InterchangeFormat.Handler) throws {
    for reason in reasons { try body(.bad(reason: reason), place()) }
  }
}
