import Foundation

extension HTTPConnection {
  /// Responds with a problem that the server itself detected and ends the connection.
  mutating func refuse(_ problem: Problem, head: HTTPHead? = nil, _ surroundings: Surroundings) -> [Effect] {
    let path = head.map { String($0.target.prefix { $0 != "?" }) }
    isKept = false
    let entry = AccessLogEntry(
      requestId: requestId, method: head?.method ?? "", path: path ?? "", status: problem.status,
      remoteAddress: address)
    return [.log(entry)]
      + answer(problem.response(instance: path, requestId: requestId), to: head, surroundings)
  }

  mutating func answer(_ response: HTTPResponse, to head: HTTPHead?, _ surroundings: Surroundings) -> [Effect] {
    let isHead = head?.method == "HEAD"
    let hasBody = !isHead && response.status != 204 && response.status != 304
    isChunked = false
    var text = "HTTP/1.1 \(response.status) \(HTTPStatus.phrase(response.status))\r\nDate: \(surroundings.date)\r\n"
    for field in response.headers.fields { text += "\(field.name): \(field.value)\r\n" }
    var bytes: [UInt8]
    switch response.body {
    case .data(let body):
      stage = .writing
      if response.status != 204, response.status != 304 { text += "Content-Length: \(body.count)\r\n" }
      bytes = Array((text + ending).utf8)
      if hasBody { bytes += body }
    case .stream(let stream):
      isChunked = head?.isVersion10 == false
      isKept = isKept && isChunked
      if isChunked { text += "Transfer-Encoding: chunked\r\n" }
      stage = hasBody ? .streaming(stream) : .writing
      bytes = Array((text + ending).utf8)
    }
    return [.arm(surroundings.limits.sendIdleDeadline), .send(bytes)]
  }

  private var ending: String { isKept ? "\r\n" : "Connection: close\r\n\r\n" }

  mutating func onSent(_ surroundings: Surroundings) -> [Effect] {
    switch stage {
    case .streaming(let stream): return [.arm(nil), .makePiece(stream)]
    case .writing:
      guard isKept else {
        stage = .lingering
        input = []
        return [.linger, .arm(.seconds(2))]
      }
      stage = .head
      requestId = surroundings.nextRequestId()
      seen = 0
      // The input may already contain the next request.
      return [.arm(surroundings.limits.idleDeadline)] + readOn(surroundings)
    case .head, .admitting, .body, .handling, .lingering, .closed: return []
    }
  }

  mutating func onMade(_ data: Data, _ surroundings: Surroundings) -> [Effect] {
    guard case .streaming(let stream) = stage else { return [] }
    if data.isEmpty { return [.makePiece(stream)] }
    var bytes: [UInt8] = []
    if isChunked {
      bytes += Array("\(String(data.count, radix: 16))\r\n".utf8)
      bytes += data
      bytes += [0x0D, 0x0A]
    } else {
      bytes += data
    }
    return [.arm(surroundings.limits.sendIdleDeadline), .send(bytes)]
  }

  mutating func onEnded(isWhole: Bool, _ surroundings: Surroundings) -> [Effect] {
    guard case .streaming = stage else { return [] }
    // End a truncated body without a final chunk, so the client cannot mistake it for a complete one.
    guard isWhole else { return end() }
    stage = .writing
    return [.arm(surroundings.limits.sendIdleDeadline), .send(isChunked ? Array("0\r\n\r\n".utf8) : [])]
  }
}

/// Reason phrases from RFC 9110.
enum HTTPStatus {
  static func phrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    case 507: "Insufficient Storage"
    default: "Status"
    }
  }
}
