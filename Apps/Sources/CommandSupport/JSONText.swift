public import TrendyModels

/// A JSON document whose members keep the order they are written in, for people to read and scripts to parse.
public struct JSONText: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  private init(_ text: String) { description = text }

  public static let null = JSONText("null")

  public static func string(_ value: String) -> JSONText { JSONText(quoted(value)) }

  public static func string(_ value: String?) -> JSONText { value.map { .string($0) } ?? .null }

  public static func number(_ value: Int) -> JSONText { JSONText("\(value)") }

  public static func number(_ value: Int64) -> JSONText { JSONText("\(value)") }

  /// Not a number and infinity become null, as JSON has no text for them.
  public static func number(_ value: Double?) -> JSONText {
    guard let value, value.isFinite else { return .null }
    return JSONText(Int64(exactly: value).map { "\($0)" } ?? "\(value)")
  }

  public static func bool(_ value: Bool) -> JSONText { JSONText(value ? "true" : "false") }

  public static func array(_ values: [JSONText]) -> JSONText {
    JSONText("[" + values.map(\.description).joined(separator: ",") + "]")
  }

  public static func object(_ members: [(String, JSONText)]) -> JSONText {
    var text = "{"
    for (name, value) in members {
      if text.utf8.count > 1 { text += "," }
      text += quoted(name)
      text += ":"
      text += value.description
    }
    text += "}"
    return JSONText(text)
  }

  public static func value(_ value: JSONValue) -> JSONText {
    switch value {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .number(value)
    case .double(let value): .number(value)
    case .string(let value): .string(value)
    case .array(let values): .array(values.map { .value($0) })
    case .object(let members): .object(members.sorted { $0.key < $1.key }.map { ($0.key, .value($0.value)) })
    }
  }

  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain { return "\"\(text)\"" }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case let control where control.value < 0x20:
        let digits = String(control.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
