import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// TCP connection to this machine that sends arbitrary bytes and reads the response.
///
/// Blocking calls run on separate threads, because the handlers share the thread pool of the tests.
///
/// @unchecked: `socket` is set only by `init` and may be used on any thread. `rest` is used only while reading, and a
/// test reads one response at a time.
final class RawClient: @unchecked Sendable {
  struct Answer: Sendable {
    var status: Int
    var headers: [String: String]
    var body: Data

    var json: [String: Any]? { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] }
    var problemType: String? { json?["type"] as? String }
  }

  struct Failed: Error, CustomStringConvertible {
    var description: String
  }

  struct Closed: Error {}

  private let socket: Int32
  /// Bytes received after the last response that was read.
  private var rest = Data()

  private static func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try work() }) }.start()
    }
  }

  init(port: UInt16) throws {
    #if canImport(Glibc)
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    signal(SIGPIPE, SIG_IGN)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    // If the server never responds, fail the test instead of blocking it.
    var patience = timeval(tv_sec: 50, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let descriptor = socket
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      let code = errno
      close(socket)
      throw Failed(description: "connect to \(port): \(code)")
    }
  }

  deinit { close(socket) }

  func send(_ text: String) { sendNow(Data(text.utf8)) }

  func send(_ data: Data) async throws { try await Self.onThread { self.sendNow(data) } }

  private func sendNow(_ data: Data) {
    data.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = write(socket, bytes.baseAddress! + sent, bytes.count - sent)
        // The server may already have responded and closed the connection. The test reads that response next.
        guard count > 0 else { return }
        sent += count
      }
    }
  }

  func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

  func readAll() async throws -> Data { try await Self.onThread { try self.readAllNow() } }

  private func readAllNow() throws -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count == 0 { return data }
      guard count > 0 else {
        throw Failed(description: "recv: \(errno) after \(String(decoding: data.prefix(200), as: UTF8.self))")
      }
      data.append(contentsOf: buffer[0..<count])
    }
  }

  /// Reads the available bytes, waiting for at least one.
  func readSome() async throws -> Data { try await Self.onThread { try self.readSomeNow() } }

  private func readSomeNow() throws -> Data {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count >= 0 else { throw Failed(description: "recv: \(errno)") }
    guard count > 0 else { throw Closed() }
    return Data(buffer[0..<count])
  }

  /// Reads one response and keeps the bytes after it for the next call.
  func readAnswer() async throws -> Answer { try await Self.onThread { try self.readAnswerNow() } }

  private func readAnswerNow() throws -> Answer {
    while true {
      if let length = Self.lengthOfAnswer(rest) {
        defer { rest = Data(rest.dropFirst(length)) }
        return try Self.parse(Data(rest.prefix(length)))
      }
      let count = rest.count
      do {
        rest += try readSomeNow()
      } catch let closed as Closed {
        // The remaining bytes must be a response that ends with the connection.
        defer { rest = Data() }
        if count > 0 { return try Self.parse(rest) }
        throw closed
      }
    }
  }

  /// Returns the length of the first response, or `nil` if it is incomplete or ends with the connection.
  private static func lengthOfAnswer(_ data: Data) -> Int? {
    guard let end = data.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: data[..<end.lowerBound], as: UTF8.self).lowercased()
    if head.contains("transfer-encoding: chunked") {
      return data.firstRange(of: Data("\r\n0\r\n\r\n".utf8)).map {
        data.distance(from: data.startIndex, to: $0.upperBound)
      }
    }
    if head.hasPrefix("http/1.1 204") || head.hasPrefix("http/1.1 304") {
      return data.distance(from: data.startIndex, to: end.upperBound)
    }
    guard let field = head.components(separatedBy: "\r\n").first(where: { $0.hasPrefix("content-length: ") }),
      let length = Int(field.dropFirst("content-length: ".count))
    else { return nil }
    let whole = data.distance(from: data.startIndex, to: end.upperBound) + length
    return data.count >= whole ? whole : nil
  }

  static func parse(_ data: Data) throws -> Answer {
    guard let end = data.firstRange(of: Data("\r\n\r\n".utf8)) else {
      throw Failed(description: "no head in \(data.count) bytes: \(String(decoding: data.prefix(200), as: UTF8.self))")
    }
    let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      headers[parts[0].lowercased()] = parts.count > 1 ? parts[1] : ""
    }
    guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw Failed(description: "no status in \(lines[0])")
    }
    var body = Data(data[end.upperBound...])
    if headers["transfer-encoding"] == "chunked" { body = try unchunk(body) }
    return Answer(status: status, headers: headers, body: body)
  }

  private static func unchunk(_ data: Data) throws -> Data {
    var rest = data[...]
    var body = Data()
    while true {
      guard let end = rest.firstRange(of: Data("\r\n".utf8)),
        let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16)
      else { throw Failed(description: "a chunked body is cut off after \(body.count) bytes") }
      if size == 0 { return body }
      rest = rest[end.upperBound...]
      guard rest.count >= size + 2 else { throw Failed(description: "a chunk is cut off") }
      body.append(rest.prefix(size))
      rest = rest.dropFirst(size + 2)
    }
  }

  static func request(
    _ method: String, _ target: String, port: UInt16, headers: [(String, String)] = [], body: Data? = nil
  ) async throws -> Answer {
    let client = try RawClient(port: port)
    var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if let body { text += "Content-Length: \(body.count)\r\n" }
    // A HEAD response states the length of a body that is not sent, so let the connection's end delimit it.
    if method == "HEAD" { text += "Connection: close\r\n" }
    try await client.send(Data((text + "\r\n").utf8) + (body ?? Data()))
    return try await client.readAnswer()
  }
}
