public import TrendyModels

/// Writer that serializes a JSON object member by member without building a tree, for exports with millions of
/// documents. Member names must be ASCII that needs no escaping, except in ``object(named:_:)``.
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

  /// Creates a writer and starts the object.
  public init() {
    bytes.reserveCapacity(1024)
    bytes.append(UInt8(ascii: "{"))
  }

  /// Ends the object and returns it.
  public consuming func finish() -> JSONText {
    bytes.append(UInt8(ascii: "}"))
    return JSONText(written: bytes)
  }

  /// Adds a string member with its value escaped, or null for `nil`.
  public mutating func string(_ name: StaticString, _ value: String?) {
    begin(name)
    if let value { JSONText.write(value, to: &bytes) } else { literal("null") }
  }

  /// Adds a Boolean member.
  public mutating func bool(_ name: StaticString, _ value: Bool) {
    begin(name)
    literal(value ? "true" : "false")
  }

  /// Adds a number member. Writes `nil`, NaN and infinity as null.
  public mutating func number(_ name: StaticString, _ value: Double?) {
    begin(name)
    if let value { add(JSONText.number(value)) } else { literal("null") }
  }

  /// Adds a member with a parsed JSON value.
  public mutating func value(_ name: StaticString, _ value: JSONValue) {
    begin(name)
    switch value {
    case .string(let text): JSONText.write(text, to: &bytes)
    case .bool(let isTrue): literal(isTrue ? "true" : "false")
    default: add(.value(value))
    }
  }

  /// Adds an object member. `body` adds the members of the object.
  public mutating func object(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
    begin(name)
    inside(body)
  }

  /// Adds an object member whose name may need escaping. `body` adds the members of the object.
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
