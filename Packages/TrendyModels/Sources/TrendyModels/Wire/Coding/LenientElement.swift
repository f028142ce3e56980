/// Element of a document whose decoding error does not fail the whole document.
public struct LenientElement<Value: WireValue & Hashable & Sendable>: Hashable, Sendable {
  /// The element before decoding.
  public let json: JSONValue
  /// The decoded element, or an error whose path begins at the root of the document.
  public let result: Result<Value, JSONError>
}

extension LenientElement: WireValue {
  public init(_ node: JSONNode) throws {
    json = node.value()
    do {
      result = .success(try Value(node))
    } catch let error as JSONError {
      result = .failure(error)
    }
  }

  public func append(to writer: inout WireWriter) throws { try writer.append(json) }

  /// Decodes the element with another coder, in which case the path of an error begins at the element.
  public init(from decoder: any Decoder) throws {
    let json = try JSONValue(from: decoder)
    self = try WireJSON.decode(Self.self, from: WireJSON.encode(json))
  }

  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
