/// Head of a request, parsed strictly (RFC 9112).
///
/// Requests that two parsers could interpret differently are rejected.
struct HTTPHead: Hashable, Sendable {
  var method: String
  /// Request target in origin form, as sent.
  var target: String
  var headers: HTTPHeaders
  /// Length of the body, or 0 if there is none.
  var contentLength: Int
  /// Whether the client allows further requests on the connection.
  var isKept = true
  var isVersion10 = false
}

extension HTTPHead {
  enum Reading: Hashable {
    /// The empty line that ends the head has not arrived yet.
    case incomplete
    /// The head, with its length in bytes including the empty line.
    case complete(HTTPHead, length: Int)
    case refused(Problem)
  }

  /// Parses the head at the start of `bytes`. The body may follow it.
  static func read(_ bytes: some RandomAccessCollection<UInt8>, limits: HTTPLimits) -> Reading {
    do {
      guard let (lines, length) = try split(Array(bytes.prefix(limits.headBytes + 1)), limits: limits) else {
        return .incomplete
      }
      return .complete(try parse(lines, limits: limits), length: length)
    } catch {
      return .refused(error)
    }
  }

  /// Returns the lines before the empty line and the offset after it, or `nil` if the empty line has not arrived.
  private static func split(
    _ bytes: [UInt8], limits: HTTPLimits
  ) throws(Problem) -> (lines: [ArraySlice<UInt8>], length: Int)? {
    if let first = bytes.first, !isToken(first) {
      throw .malformedRequest(
        first == 0x16
          ? "this port accepts plain HTTP, but received a TLS handshake: use http://, or connect through a TLS proxy"
          : "expected a request line such as GET /api/v1/health HTTP/1.1")
    }
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
      guard index > start, bytes[index - 1] == UInt8(ascii: "\r") else {
        throw .malformedRequest("a header line ends with LF instead of CR LF")
      }
      let line = bytes[start..<index - 1]
      guard !line.contains(UInt8(ascii: "\r")) else {
        throw .malformedRequest("a header line contains a carriage return")
      }
      // Fail early if the head contains no line ends, instead of waiting for the deadline.
      if lines.isEmpty, line.count > limits.targetBytes + 64 { throw .targetTooLong(limits) }
      if line.isEmpty { return (lines, index + 1) }
      lines.append(line)
      if lines.count > limits.headerFields + 1 {
        throw .headTooLarge("more than \(limits.headerFields) header fields")
      }
      start = index + 1
    }
    if lines.isEmpty, bytes.count > limits.targetBytes + 64 { throw .targetTooLong(limits) }
    if bytes.count > limits.headBytes { throw .headTooLarge("more than \(limits.headBytes) bytes") }
    return nil
  }

  private static func parse(_ lines: [ArraySlice<UInt8>], limits: HTTPLimits) throws(Problem) -> HTTPHead {
    guard let requestLine = lines.first else {
      throw .malformedRequest("expected a request line such as GET /api/v1/health HTTP/1.1")
    }
    let (method, target, isVersion10) = try parseRequestLine(requestLine, limits: limits)
    var headers = HTTPHeaders()
    for line in lines.dropFirst() {
      let (name, value) = try parseField(line)
      headers.append(name: name, value: value)
    }
    let hosts = headers.values(of: "Host")
    guard hosts.count == 1 else {
      throw .malformedRequest("expected one Host field, found \(hosts.count)")
    }
    return HTTPHead(
      method: method, target: target, headers: headers,
      contentLength: try contentLength(headers, isVersion10: isVersion10, limits: limits),
      isKept: !isVersion10 && !asksToClose(headers), isVersion10: isVersion10)
  }

  private static func parseRequestLine(
    _ line: ArraySlice<UInt8>, limits: HTTPLimits
  ) throws(Problem) -> (method: String, target: String, isVersion10: Bool) {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].count <= 32, parts[0].allSatisfy(isToken) else {
      throw .malformedRequest("expected a request line such as GET /api/v1/health HTTP/1.1")
    }
    let version = String(decoding: parts[2], as: UTF8.self)
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      if version.hasPrefix("HTTP/"), version.utf8.count == 8 {
        throw Problem(
          "http_version", status: 505, title: "HTTP version not supported",
          detail: "\(version) was requested, but this port supports HTTP/1.1")
      }
      throw .malformedRequest("expected a request line such as GET /api/v1/health HTTP/1.1")
    }
    guard parts[1].count <= limits.targetBytes else { throw .targetTooLong(limits) }
    guard parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .malformedRequest("the request target must be a path that starts with / and contains only printable ASCII")
    }
    return (
      String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self), version == "HTTP/1.0"
    )
  }

  private static func parseField(_ line: ArraySlice<UInt8>) throws(Problem) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw .malformedRequest("a header field has no colon")
    }
    let name = line[line.startIndex..<colon]
    // Line folding and spaces before the colon fail this check as well.
    guard !name.isEmpty, name.allSatisfy(isToken) else {
      throw .malformedRequest("a header field name contains a space or another invalid character")
    }
    var value = line[line.index(after: colon)...]
    while let first = value.first, isBlank(first) { value.removeFirst() }
    while let last = value.last, isBlank(last) { value.removeLast() }
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
      let text = String(validating: value, as: UTF8.self)
    else {
      throw .malformedRequest(
        "the header field \(String(decoding: name, as: UTF8.self)) contains a control character or invalid UTF-8")
    }
    return (String(decoding: name, as: UTF8.self), text)
  }

  private static func contentLength(
    _ headers: HTTPHeaders, isVersion10: Bool, limits: HTTPLimits
  ) throws(Problem) -> Int {
    let lengths = headers.values(of: "Content-Length")
    let codings = headers.values(of: "Transfer-Encoding")
    guard lengths.count <= 1 else {
      throw .malformedRequest("expected one Content-Length, found \(lengths.count)")
    }
    guard codings.isEmpty else {
      if !lengths.isEmpty || isVersion10 {
        throw .malformedRequest(
          "Transfer-Encoding is not allowed with Content-Length or in HTTP/1.0")
      }
      // Requiring a length leaves only one way to find the end of a request. It costs the client nothing, because
      // bodies are read completely before the handler runs.
      throw Problem(
        "length_required", status: 411, title: "Length required",
        detail: "send the body with a Content-Length instead of Transfer-Encoding: \(codings[0].prefix(40))")
    }
    guard let text = lengths.first else { return 0 }
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw .malformedRequest("expected a whole number in Content-Length")
    }
    // A number that overflows an integer denotes a body that is too large.
    guard let length = Int(text), length <= limits.bodyBytes else { throw .bodyTooLarge(limit: limits.bodyBytes) }
    return length
  }

  private static func asksToClose(_ headers: HTTPHeaders) -> Bool {
    headers.values(of: "Connection").contains { value in
      value.split(separator: ",").contains { $0.lowercased().filter { $0 != " " && $0 != "\t" } == "close" }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Returns whether a byte may occur in a `token` (RFC 9110, 5.6.2).
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension Problem {
  static func malformedRequest(_ detail: String) -> Problem {
    Problem("malformed_request", status: 400, title: "Malformed request", detail: detail)
  }

  static func targetTooLong(_ limits: HTTPLimits) -> Problem {
    Problem(
      "target_too_long", status: 414, title: "Address too long",
      detail: "path and query may have at most \(limits.targetBytes) bytes")
  }

  static func bodyTooLarge(limit: Int) -> Problem {
    Problem(
      "too_large", status: 413, title: "Content too large",
      detail: "the body may have at most \(limit) bytes: send smaller batches")
  }

  static func headTooLarge(_ detail: String) -> Problem {
    Problem(
      "head_too_large", status: 431, title: "Header section too large", detail: "the header section has \(detail)")
  }
}
