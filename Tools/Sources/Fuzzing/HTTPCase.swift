import HubTesting
import TrendyHub

/// Bytes of a connection against the hub's parser of requests.
enum HTTPCase {
  static func run(_ source: inout FuzzSource) throws -> String {
    var bytes = request(&source)
    if source.once(in: 2) { bytes = source.mutated(bytes) }
    if source.once(in: 40) { bytes = source.bytes(source.below(200)) }
    let whole = RequestProbe.read(bytes)
    // Whatever pieces it comes in, the head is the same.
    let piece = RequestProbe.read(Array(bytes.prefix(source.below(bytes.count + 1))))
    switch (piece, whole) {
    case (.incomplete, _): break
    case (.refused, .refused): break
    case (.request(let a, let length), .request(let b, let other)) where a == b && length == other: break
    default:
      throw Finding("a part is read as \(piece), the whole as \(whole), of \(String(decoding: bytes, as: UTF8.self))")
    }
    switch whole {
    case .incomplete: return "incomplete"
    case .refused(let status):
      guard (400...599).contains(status) else { throw Finding("refused with \(status)") }
      return "refused \(status)"
    case .request(let head, let length):
      guard length <= bytes.count, head.contentLength >= 0 else { throw Finding("\(head) of \(length) bytes") }
      let request = HTTPRequest(id: "fuzz", method: head.method, target: head.target, headers: head.headers)
      _ = request.pathSegments
      _ = request.query
      return "read"
    }
  }

  private static func request(_ source: inout FuzzSource) -> [UInt8] {
    let body = source.once(in: 3) ? source.bytes(source.below(40)) : []
    let length = source.once(in: 6) ? source.numeral() : "\(body.count)"
    var lines = [
      source.pick(
        source.once(in: 10) ? ["PRI", "get", source.text()] : ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"])
        + " /api/v1/"
        + source.pick(["changes?since=", "events?limit=", "health?x=%", "snapshot?part=event.", "", "a%2Fb/"])
        + source.numeral() + " HTTP/"
        + (source.once(in: 8) ? source.pick(["1.0", "2.0", "1.9", source.numeral()]) : "1.1")
    ]
    lines.append("Host: " + source.pick(["localhost", "127.0.0.1:80", "[::1]", source.text()]))
    lines.append("Content-Length: \(length)")
    for _ in 0..<max(0, source.below(6) - 3) {
      lines.append(
        source.pick(["Authorization", "Connection", "Content-Length", "Transfer-Encoding", "Host", "X", source.text()])
          + source.pick([": ", ":", " :", ":\t"])
          + source.pick(["close", "keep-alive, close", "chunked", "Bearer x", source.text(), source.numeral()]))
    }
    lines.shuffle(from: 1, using: &source)
    let end = source.once(in: 10) ? source.pick(["\n", "\r", "\r\r\n", ""]) : "\r\n"
    return Array((lines.joined(separator: end) + end + end).utf8) + body
  }
}

extension [String] {
  fileprivate mutating func shuffle(from start: Int, using source: inout FuzzSource) {
    self[start...].shuffle(using: &source)
  }
}
