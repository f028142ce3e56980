public import TrendyModels

/// JSON value whose objects preserve member order.
public struct JSONText: Sendable {
  /// Representation of the value, serialized only when its text is requested.
  private enum Node: Sendable {
    /// `null`, `true`, `false` or a number, as text.
    case literal(String)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])
    /// Value already serialized by a ``JSONWriter``.
    case written([UInt8])
  }

  private let node: Node

  private init(_ node: Node) { self.node = node }

  /// Creates a value from serialized JSON, which is not validated.
  init(written bytes: [UInt8]) { node = .written(bytes) }

  /// The value `null`.
  public static let null = JSONText(.literal("null"))

  /// Creates a string. Escaping happens during serialization.
  public static func string(_ value: String) -> JSONText { JSONText(.string(value)) }

  /// Creates a string, or null for `nil`.
  public static func string(_ value: String?) -> JSONText { value.map { .string($0) } ?? .null }

  /// Creates a number from an integer.
  public static func number(_ value: Int) -> JSONText { JSONText(.literal("\(value)")) }

  /// Creates a number from a 64-bit integer.
  public static func number(_ value: Int64) -> JSONText { JSONText(.literal("\(value)")) }

  /// Creates a number, without a fraction if it is integral, or null for `nil`, NaN and infinity.
  public static func number(_ value: Double?) -> JSONText {
    guard let value, value.isFinite else { return .null }
    return JSONText(.literal(Int64(exactly: value).map { "\($0)" } ?? "\(value)"))
  }

  /// Creates a Boolean.
  public static func bool(_ value: Bool) -> JSONText { JSONText(.literal(value ? "true" : "false")) }

  /// Creates an array.
  public static func array(_ values: [JSONText]) -> JSONText { JSONText(.array(values)) }

  /// Creates an object. The order of its members is preserved.
  public static func object(_ members: [(String, JSONText)]) -> JSONText { JSONText(.object(members)) }

  /// Converts a parsed value. Object members are sorted by name, because ``JSONValue`` does not preserve their order.
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
}

extension JSONText: CustomStringConvertible {
  public var description: String {
    if case .written(let bytes) = node { return String(decoding: bytes, as: UTF8.self) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1024)
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  func write(to bytes: inout [UInt8]) {
    switch node {
    case .written(let text): bytes += text
    case .literal(let text): bytes += text.utf8
    case .string(let text): Self.write(text, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (place, value) in values.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (place, (name, value)) in members.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      // Fast path for strings that need no escaping.
      var isPlain = true
      for byte in utf8 { isPlain = isPlain && !needsEscape(byte) }
      if isPlain {
        bytes.append(contentsOf: utf8)
      } else {
        for byte in utf8 { writeEscaped(byte, to: &bytes) }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func writeEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
    guard needsEscape(byte) else { return bytes.append(byte) }
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
    case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
    default: bytes += "\(byte < 0x10 ? "u000" : "u00")\(String(byte, radix: 16))".utf8
    }
  }
}

extension JSONText: Equatable {
  public static func == (left: JSONText, right: JSONText) -> Bool { left.description == right.description }
}
