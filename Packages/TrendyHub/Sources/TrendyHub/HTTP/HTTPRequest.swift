public import Foundation

/// A complete request, including its body.
public struct HTTPRequest: Sendable {
  /// Id of the request, as in the `X-Request-Id` header, problem documents and the access log.
  public var id: String
  /// Method as sent. All supported methods are upper case.
  public var method: String
  /// Path and query as sent, percent-encoded. Begins with `/`.
  public var target: String
  public var headers: HTTPHeaders
  public var body: Data
  /// IP address of the client, or an empty string for a request from within the process.
  public var remoteAddress: String
  /// Sender identified by the gate, or `nil` if the gate did not run.
  package var sender: HTTPAdmission.Sender?

  public init(
    id: String, method: String, target: String, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data(),
    remoteAddress: String = ""
  ) {
    self.id = id
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.remoteAddress = remoteAddress
  }
}

extension HTTPRequest {
  /// Target without its query, percent-encoded.
  public var path: Substring { target.prefix { $0 != "?" } }

  /// Percent-decoded segments of the path. An encoded `/` does not separate segments.
  public var pathSegments: [String]? {
    var segments: [String] = []
    for segment in path.split(separator: "/", omittingEmptySubsequences: true) {
      guard let decoded = Self.percentDecoded(segment, plusIsSpace: false) else { return nil }
      segments.append(decoded)
    }
    return segments
  }

  /// Query parameters, or `nil` if an escape is invalid. If a name occurs more than once, its last value is used.
  public var query: [String: String]? {
    guard let mark = target.firstIndex(of: "?") else { return [:] }
    var parameters: [String: String] = [:]
    for pair in target[target.index(after: mark)...].split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.percentDecoded(parts[0], plusIsSpace: true),
        let value = Self.percentDecoded(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
      else { return nil }
      parameters[name] = value
    }
    return parameters
  }

  private static func percentDecoded(_ text: Substring, plusIsSpace: Bool) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var iterator = text.utf8.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(hexadecimal), let low = iterator.next().flatMap(hexadecimal) else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension HTTPRequest {
  /// Returns whether the client already has the representation with this tag, by weak comparison (RFC 9110, 8.8.3.2).
  func knows(_ tag: String) -> Bool {
    let tag = tag.trimmingPrefix("W/")
    return headers.values(of: "If-None-Match").joined(separator: ",").split(separator: ",").contains { text in
      let known = text.trimmingPrefix { $0 == " " }.trimmingPrefix("W/").prefix { $0 != " " }
      return known == tag || known == "*"
    }
  }

  /// Whether the client accepts a response compressed with gzip (RFC 9110, 12.5.3).
  var acceptsGzip: Bool {
    var isAny = false
    for text in headers.values(of: "Accept-Encoding").joined(separator: ",").lowercased().split(separator: ",") {
      let parts = text.split(separator: ";").map { $0.filter { $0 != " " } }
      let isRefused = parts.dropFirst().contains { $0.hasPrefix("q=0") && !$0.contains { ("1"..."9").contains($0) } }
      if parts.first == "gzip" || parts.first == "x-gzip" { return !isRefused }
      if parts.first == "*", !isRefused { isAny = true }
    }
    return isAny
  }
}
