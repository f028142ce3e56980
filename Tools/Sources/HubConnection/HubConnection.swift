import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Blocking keep-alive HTTP connection to a hub on this machine.
package final class HubConnection {
  package struct Failed: Error, CustomStringConvertible {
    package var description: String
  }

  private let socket: Int32
  private let fields: String
  /// Bytes of a streaming response that have been received but not yet read.
  private var tail: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// Connects to a hub.
  /// - Parameter source: local address to connect from.
  package init(port: UInt16, token: String?, from source: String? = nil) throws {
    fields = "Host: 127.0.0.1\r\n" + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "")
    #if canImport(Glibc)
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket = systemSocket()
    #endif
    if let source, Self.call(bind, socket, source, 0) != 0 { throw Failed(description: "bind: \(errno)") }
    guard Self.call(connect, socket, "127.0.0.1", port) == 0 else { throw Failed(description: "connect: \(errno)") }
  }

  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32, _ text: String, _ port: UInt16
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(text)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  deinit { close(socket) }

  /// Sends a request and returns the body of the complete response.
  @discardableResult
  package func ask(_ method: String, _ path: String, _ body: String? = nil) throws -> ArraySlice<UInt8> {
    try send(method, path, body)
    var answer: [UInt8] = []
    var whole: (head: Int, length: Int)?
    while whole.map({ answer.count < $0.length }) ?? true {
      answer += try more()
      if whole == nil { whole = try length(of: answer) }
    }
    return answer[(whole?.head ?? 0)...]
  }

  /// Sends a request with a streaming response, such as server-sent events, and reads its head. The connection cannot
  /// be used for other requests afterwards.
  package func open(_ path: String) throws {
    try send("GET", path, nil)
    var answer: [UInt8] = []
    while answer.count < 12 { answer += try more() }
    tail = answer
    let head = String(decoding: answer.prefix(2048), as: UTF8.self)
    guard head.hasPrefix("HTTP/1.1 200") else { throw Failed(description: head) }
  }

  /// Opens a streaming response like ``open(_:)`` and reads until the response contains `text`.
  package func open(_ path: String, until text: String) throws {
    try open(path)
    try read(until: text)
  }

  package func read(until text: String) throws {
    while !String(decoding: tail, as: UTF8.self).contains(text) { tail += try more() }
    tail = []
  }

  private func send(_ method: String, _ path: String, _ body: String?) throws {
    var text = "\(method) /api/v1\(path) HTTP/1.1\r\n\(fields)"
    if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
    var bytes = Array((text + "\r\n" + (body ?? "")).utf8)
    while !bytes.isEmpty {
      let count = write(socket, bytes, bytes.count)
      guard count > 0 else { throw Failed(description: "write: \(errno)") }
      bytes.removeFirst(count)
    }
  }

  private func more() throws -> ArraySlice<UInt8> {
    let count = systemRead(socket, &buffer, 65_536)
    guard count > 0 else { throw Failed(description: "read: \(count) \(errno)") }
    return buffer[..<count]
  }

  /// Returns the length of the head and of the whole response, or `nil` if the head is incomplete.
  private func length(of answer: [UInt8]) throws -> (head: Int, length: Int)? {
    let head = String(decoding: answer.prefix(2048), as: UTF8.self)
    guard let end = head.range(of: "\r\n\r\n") else { return nil }
    guard head.hasPrefix("HTTP/1.1 20") else { throw Failed(description: head) }
    let bytes = head[..<end.upperBound].utf8.count
    if head.hasPrefix("HTTP/1.1 204") { return (bytes, bytes) }
    let field = head.range(of: "Content-Length: ").map { head[$0.upperBound...].prefix { $0.isNumber } }
    guard let field, let length = Int(field) else { throw Failed(description: head) }
    return (bytes, bytes + length)
  }
}

// `HubConnection.read` shadows the C function.
private func systemRead(_ socket: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int { read(socket, &buffer, count) }

#if !canImport(Glibc)
  // `HubConnection.socket` shadows the C function.
  private func systemSocket() -> Int32 { socket(AF_INET, SOCK_STREAM, 0) }
#endif
