import Testing

@testable import TrendyHub

@Suite("HTTPHead", .timeLimit(.minutes(10)))
struct HTTPHeadTests {
  private func read(_ text: String, limits: HTTPLimits = HTTPLimits()) -> HTTPHead.Reading {
    HTTPHead.read(Array(text.utf8), limits: limits)
  }

  private func status(_ text: String, limits: HTTPLimits = HTTPLimits()) -> Int? {
    if case .refused(let problem) = read(text, limits: limits) { problem.status } else { nil }
  }

  @Test func `a head is complete at its empty line and not a byte earlier`() {
    let text = "POST /a?b=c HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n"
    for length in 0..<text.utf8.count {
      #expect(HTTPHead.read(Array(text.utf8.prefix(length)), limits: HTTPLimits()) == .incomplete)
    }
    let head = HTTPHead(
      method: "POST", target: "/a?b=c", headers: HTTPHeaders([("Host", "h"), ("Content-Length", "5")]), contentLength: 5
    )
    #expect(read(text) == .complete(head, length: text.utf8.count))
    #expect(read(text + "hello") == .complete(head, length: text.utf8.count))
  }

  @Test(
    "an ambiguous head is rejected",
    arguments: [
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{1}b\r\n\r\n",
      "GET / HTTP/1.1\nHost: a\n\n",
      "GET / HTTP/1.1\r\nHost: a\r\nX: 1\rY: 2\r\n\r\n",
      "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / \r\nHost: a\r\n\r\n",
      "GET /\r\nHost: a\r\n\r\n",
      "GET http://h/ HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n",
      "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
      " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "\u{16}\u{3}\u{1}",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x10\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
  func malformed(text: String) {
    #expect(status(text) == 400)
  }

  @Test func `each limit has its own status`() {
    var limits = HTTPLimits()
    limits.headBytes = 400
    limits.targetBytes = 50
    limits.headerFields = 3
    limits.bodyBytes = 1000
    func target(_ length: Int) -> String {
      "GET /\(String(repeating: "a", count: length - 1)) HTTP/1.1\r\nHost: a\r\n\r\n"
    }
    #expect(status(target(50), limits: limits) == nil)
    #expect(status(target(51), limits: limits) == 414)
    #expect(status("GET /" + String(repeating: "a", count: 200), limits: limits) == 414)

    func body(_ length: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n" }
    #expect(status(body("1000"), limits: limits) == nil)
    #expect(status(body("1001"), limits: limits) == 413)
    #expect(status(body("99999999999999999999999999"), limits: limits) == 413)

    func fields(_ count: Int) -> String {
      "GET / HTTP/1.1\r\n" + (1..<count).map { "X\($0): y\r\n" }.joined() + "Host: a\r\n\r\n"
    }
    #expect(status(fields(3), limits: limits) == nil)
    #expect(status(fields(4), limits: limits) == 431)
    let long = "GET / HTTP/1.1\r\nHost: a\r\nX: "
    #expect(status(long + String(repeating: "a", count: 400 - long.utf8.count), limits: limits) == nil)
    #expect(status(long + String(repeating: "a", count: 401 - long.utf8.count), limits: limits) == 431)

    #expect(status("GET / HTTP/2.0\r\nHost: a\r\n\r\n") == 505)
    #expect(status("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n") == 411)
  }

  @Test func `path segments and query parameters are decoded separately`() {
    let request = HTTPRequest(id: "r", method: "GET", target: "/events/a%2Fb%20c?since=1+2&x=%C3%A9&flag")
    #expect(request.pathSegments == ["events", "a/b c"])
    #expect(request.query == ["since": "1 2", "x": "é", "flag": ""])
    #expect(HTTPRequest(id: "r", method: "GET", target: "/a%2").pathSegments == nil)
    #expect(HTTPRequest(id: "r", method: "GET", target: "/a%00").pathSegments == nil)
    #expect(HTTPRequest(id: "r", method: "GET", target: "/%FF").pathSegments == nil)
    #expect(HTTPRequest(id: "r", method: "GET", target: "/a?b=%zz").query == nil)
  }
}
