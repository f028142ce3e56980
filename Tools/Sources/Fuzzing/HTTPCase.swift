import HubTesting
import TrendyHub

/// Parses the bytes of a connection, with zero or more requests, with the hub's HTTP parser.
enum HTTPCase {
  static func run(_ source: inout FuzzSource) throws -> String {
    var bytes = (0..<1 + source.below(3)).flatMap { _ in request(&source) }
    if source.once(in: 2) { bytes = source.mutated(bytes) }
    if source.once(in: 40) { bytes = source.bytes(source.below(200)) }
    let hasGate = source.once(in: 2)
    let whole = ConversationProbe(of: [bytes[...]], hasGate: hasGate)
    // The result must not depend on how the bytes are split into reads.
    let parts = ConversationProbe(of: pieces(of: bytes, &source), hasGate: hasGate)
    let input = "for \(String(decoding: bytes, as: UTF8.self))"
    guard describe(whole.requests) == describe(parts.requests), whole.statuses == parts.statuses else {
      throw Finding("one read gives \(whole), several reads give \(parts), \(input)")
    }
    guard whole.isClosed, parts.isClosed, !whole.wentOn, !parts.wentOn else {
      throw Finding("the connection is still open at the end of input: \(whole), \(parts), \(input)")
    }
    // At most one error response follows the responses to complete requests.
    guard (whole.requests.count...whole.requests.count + 1).contains(whole.statuses.count),
      whole.statuses.dropFirst(whole.requests.count).allSatisfy({ (400...599).contains($0) })
    else { throw Finding("wrong number of responses: \(whole) \(input)") }
    for request in whole.requests {
      let length = request.headers["Content-Length"].flatMap { Int($0) } ?? 0
      guard request.body.count == length else { throw Finding("\(request) has \(request.body.count) bytes \(input)") }
      _ = request.pathSegments
      _ = request.query
    }
    return "\(whole.requests.count) read" + (whole.statuses.last.map { $0 >= 400 ? ", \($0)" : "" } ?? "")
  }

  private static func describe(_ requests: [HTTPRequest]) -> [String] {
    requests.map { "\($0.method) \($0.target) \($0.headers) \(Array($0.body))" }
  }

  private static func pieces(of bytes: [UInt8], _ source: inout FuzzSource) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    let longest = source.pick([1, 3, 60, 400])
    while !rest.isEmpty {
      let piece = rest.prefix(1 + source.below(longest))
      pieces.append(piece)
      rest = rest.dropFirst(piece.count)
    }
    return pieces
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
