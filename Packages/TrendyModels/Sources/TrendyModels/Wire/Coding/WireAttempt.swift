/// A part of a document that may be wrong without the rest being so: what was read, or why it cannot be.
public struct WireAttempt<Value: WireValue & Hashable & Sendable>: Hashable, Sendable {
  /// The part as it came.
  public let json: JSONValue
  /// The error names the member from the beginning of the whole document.
  public let result: Result<Value, JSONError>
}

extension WireAttempt: WireValue {
  public init(_ node: JSONNode) throws {
    json = node.value()
    do {
      result = .success(try Value(node))
    } catch let error as JSONError {
      result = .failure(error)
    }
  }

  public func append(to writer: inout WireWriter) throws { try writer.append(json) }

  /// Through another coder the part is read by itself, and an error names the member from there.
  public init(from decoder: any Decoder) throws {
    let json = try JSONValue(from: decoder)
    self = try WireJSON.decode(Self.self, from: WireJSON.encode(json))
  }

  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
