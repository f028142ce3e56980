import TrendyFoundation

struct HTTPRequest: Sendable {
  enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  var method: Method
  /// Path below the API root, with a leading slash and percent-encoded segments.
  var path: String
  var query: [(name: String, value: String)] = []
  var headers: [String: String] = [:]
  var body: Data?

  var target: String {
    guard !query.isEmpty else { return path }
    return path + "?" + query.map { "\($0.name)=\(percentEncoded($0.value))" }.joined(separator: "&")
  }
}

struct HTTPHead: Hashable, Sendable {
  var status: Int
  /// Header fields keyed by lower-case name.
  var fields: [String: String]

  subscript(_ name: String) -> String? { fields[name] }

  /// Lower-case media type without parameters.
  var mediaType: String? {
    guard let text = fields["content-type"]?.split(separator: ";", maxSplits: 1).first else { return nil }
    return String(text.filter { !$0.isWhitespace }).lowercased()
  }

  /// Size of the body in bytes as transmitted, or `nil` if unknown or if the body is compressed.
  var bodyLength: Int? {
    guard (fields["content-encoding"] ?? "identity") == "identity" else { return nil }
    // A length that overflows `Int` exceeds any body that can be received.
    return fields["content-length"].map { Int($0) ?? Int.max }
  }

  var requestId: String? { fields["x-request-id"] }
}

struct ClientResponse: Hashable, Sendable {
  var head: HTTPHead
  var body: Data
}

/// Part of a response: first the head, then any number of body chunks.
enum ResponsePart: Sendable {
  case head(HTTPHead)
  case data(Data)
}

/// Percent-encodes all characters except unreserved characters (RFC 3986), for use as one path segment or query value.
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
