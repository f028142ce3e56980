import TrendyFoundation

/// A request as it leaves.
struct HTTPRequest: Sendable {
  enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  var method: Method
  /// Below the API's root, from its slash on, every part percent-encoded.
  var path: String
  var query: [(name: String, value: String)] = []
  var headers: [String: String] = [:]
  var body: Data?

  /// Path and query.
  var target: String {
    guard !query.isEmpty else { return path }
    return path + "?" + query.map { "\($0.name)=\(percentEncoded($0.value))" }.joined(separator: "&")
  }
}

/// The status and header fields of an answer.
struct HTTPHead: Hashable, Sendable {
  var status: Int
  /// Names in lower case.
  var fields: [String: String]

  subscript(_ name: String) -> String? { fields[name] }

  /// The media type alone, in lower case.
  var mediaType: String? {
    guard let text = fields["content-type"]?.split(separator: ";", maxSplits: 1).first else { return nil }
    return String(text.filter { !$0.isWhitespace }).lowercased()
  }

  /// Bytes of the body as they are sent; `nil` where the answer does not say or the bytes are compressed.
  var bodyLength: Int? {
    guard (fields["content-encoding"] ?? "identity") == "identity" else { return nil }
    // A length that no number holds is never reached.
    return fields["content-length"].map { Int($0) ?? Int.max }
  }

  var requestId: String? { fields["x-request-id"] }
}

/// An answer with its whole body.
struct ClientResponse: Hashable, Sendable {
  var head: HTTPHead
  var body: Data
}

/// One piece of an answer as it comes: the head first, then the body in any number of pieces.
enum ResponsePart: Sendable {
  case head(HTTPHead)
  case data(Data)
}

/// Everything but RFC 3986's unreserved characters as `%XX`, so that any text is one part of a path or query.
func percentEncoded(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var encoded: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      encoded.append(byte)
    default:
      encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: encoded, as: UTF8.self)
}
