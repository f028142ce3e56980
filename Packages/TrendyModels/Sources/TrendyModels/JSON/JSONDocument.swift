import TrendyFoundation

/// Text that was validated as JSON (RFC 8259), with an index of the values in it.
///
/// ``JSONScanner`` rejects invalid text once for all readers. Values are created on demand.
///
/// `@unchecked Sendable`: both buffers are written only by `init`.
final class JSONDocument: @unchecked Sendable {
  /// Text followed by ``padding`` zeros. A zero ends every scan, so that scans need no bounds check.
  let bytes: UnsafePointer<UInt8>
  let tokens: UnsafePointer<JSONToken>

  static let padding = 16

  init(_ data: some ContiguousBytes, limits: JSONLimits) throws(JSONError) {
    let (copy, count) = data.withUnsafeBytes { source in
      let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: source.count + Self.padding)
      UnsafeMutableRawPointer(copy).copyMemory(
        from: source.baseAddress ?? UnsafeRawPointer(copy), byteCount: source.count)
      (copy + source.count).initialize(repeating: 0, count: Self.padding)
      return (copy, source.count)
    }
    do throws(JSONError) {
      tokens = UnsafePointer(try JSONScanner.scan(UnsafePointer(copy), count: count, limits: limits))
    } catch {
      copy.deallocate()
      throw error
    }
    bytes = UnsafePointer(copy)
  }

  deinit {
    bytes.deallocate()
    tokens.deallocate()
  }

  var root: JSONNode { JSONNode(document: self, index: 0) }
}

/// Token of a value or a member name. Tokens are stored in document order.
struct JSONToken {
  enum Kind: UInt8 {
    case null, yes, no, number, string, name, array, object
  }

  /// Offset of the first byte, or for a string or a name, the offset after its quotation mark.
  var offset: UInt32
  /// Length in bytes of a string, name or number, or number of elements in an array or members in an object.
  var length: UInt32
  /// Index of the token after this value and its content. While an array or object is still open, index of the
  /// enclosing container.
  var next: UInt32
  var kind: Kind
  /// Whether a string or a name contains no escapes.
  var isPlain = true
  /// Whether a string or a name is ASCII, or a number has neither fraction nor exponent.
  var isSimple = true

  /// Offset of the value, including the quotation mark of a string.
  var firstByte: Int { kind == .string || kind == .name ? Int(offset) - 1 : Int(offset) }
}
