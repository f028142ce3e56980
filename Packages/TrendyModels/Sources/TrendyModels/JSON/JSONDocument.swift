import TrendyFoundation

/// A text that has been found to be JSON (RFC 8259), and an index of the values in it.
///
/// Finding out and making values are two steps: ``JSONScanner`` refuses what is not strict, once for all readers; what is
/// wanted is then made of the text, and only that.
///
/// @unchecked: both buffers are written by `init` alone.
final class JSONDocument: @unchecked Sendable {
  /// The text, and zeros behind it: a zero ends every scan, so that none asks where the text ends.
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

/// One value, or one member's name, in the order of the text.
struct JSONToken {
  enum Kind: UInt8 {
    case null, yes, no, number, string, name, array, object
  }

  /// Of a string or a name, the byte behind its quotation mark; else the first.
  var offset: UInt32
  /// Bytes of a string, a name or a number; elements of an array, members of an object.
  var length: UInt32
  /// The token behind this value and all that is in it. Of an array or object that is still open, the one around it.
  var next: UInt32
  var kind: Kind
  /// Of a string or a name: nothing escaped.
  var isPlain = true
  /// Of a string or a name: ASCII alone. Of a number: neither fraction nor exponent.
  var isSimple = true

  /// Where the value begins, quotation mark included.
  var firstByte: Int { kind == .string || kind == .name ? Int(offset) - 1 : Int(offset) }
}
