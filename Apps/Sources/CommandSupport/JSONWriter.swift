public import TrendyModels

/// Writes a JSON object member by member without building a tree, for millions of documents.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.string("id", event.id)
/// writer.object("event_type") { $0.string("name", name) }
/// let text = writer.finish()
/// ```
public struct JSONWriter: ~Copyable, Sendable {
  private var bytes: [UInt8] = []
  private var isEmpty = true

  /// Starts an object.
  public init() {
    bytes.reserveCapacity(1024)
    bytes.append(UInt8(ascii: "{"))
  }

  /// Ends the object.
  public consuming func finish() -> JSONText {
    bytes.append(UInt8(ascii: "}"))
    return JSONText(written: bytes)
  }

  /// Adds a string, which is escaped.
  /// - Parameters:
  ///   - name: plain ASCII that needs no escaping.
  ///   - value: `nil` for null.
  public mutating func string(_ name: StaticString, _ value: String?) {
    begin(name)
    if let value { JSONText.write(value, to: &bytes) } else { literal("null") }
  }

  /// Adds a Boolean.
  /// - Parameters:
  ///   - name: plain ASCII that needs no escaping.
  ///   - value: written unchanged.
  public mutating func bool(_ name: StaticString, _ value: Bool) {
    begin(name)
    literal(value ? "true" : "false")
  }

  /// Adds a number.
  /// - Parameters:
  ///   - name: plain ASCII that needs no escaping.
  ///   - value: null for `nil`, NaN and infinity.
  public mutating func number(_ name: StaticString, _ value: Double?) {
    begin(name)
    if let value { add(JSONText.number(value)) } else { literal("null") }
  }

  /// Adds a JSON value.
  /// - Parameters:
  ///   - name: plain ASCII that needs no escaping.
  ///   - value: any JSON value.
  public mutating func value(_ name: StaticString, _ value: JSONValue) {
    begin(name)
    switch value {
    case .string(let text): JSONText.write(text, to: &bytes)
    case .bool(let isTrue): literal(isTrue ? "true" : "false")
    default: add(.value(value))
    }
  }

  /// Adds an object.
  /// - Parameters:
  ///   - name: plain ASCII that needs no escaping.
  ///   - body: writes its members.
  public mutating func object(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
    begin(name)
    inside(body)
  }

  /// Adds an object with a name that is escaped.
  /// - Parameters:
  ///   - name: any text.
  ///   - body: writes its members.
  public mutating func object(named name: String, _ body: (inout JSONWriter) -> Void) {
    separate()
    JSONText.write(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    inside(body)
  }

  private mutating func inside(_ body: (inout JSONWriter) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    isEmpty = true
    body(&self)
    bytes.append(UInt8(ascii: "}"))
    isEmpty = false
  }

  private mutating func begin(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    literal(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func separate() {
    if !isEmpty { bytes.append(UInt8(ascii: ",")) }
    isEmpty = false
  }

  private mutating func literal(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private mutating func add(_ value: JSONText) { value.write(to: &bytes) }
}
