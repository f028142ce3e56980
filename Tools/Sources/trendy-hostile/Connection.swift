import Foundation

/// Raw TCP connection to the hub from a given local address.
final class Connection {
  private let descriptor: Int32

  /// Connects to the hub. Returns `nil` if the hub does not accept the connection.
  init?(from address: String, port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    guard Self.call(bind, descriptor, address, 0), Self.call(connect, descriptor, "127.0.0.1", port) else { return nil }
  }

  deinit { close(descriptor) }

  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32, _ address: String,
    _ port: UInt16
  ) -> Bool {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    inet_pton(AF_INET, address, &name.sin_addr)
    return withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Returns whether the complete text was sent.
  @discardableResult
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Reads until the connection is closed and returns the HTTP status, or 0 if there is no response.
  func status() -> Int {
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      if answer.count < 16 { answer += buffer[..<count].prefix(16) }
    }
    let words = String(decoding: answer, as: UTF8.self).split(separator: " ")
    return words.count > 1 ? Int(words[1]) ?? 0 : 0
  }

  static func ask(
    _ method: String, _ path: String, _ body: String = "", token: String, from address: String, port: UInt16
  ) -> Int {
    guard let connection = Connection(from: address, port: port) else { return 0 }
    let authorization = token.isEmpty ? "" : "Authorization: Bearer \(token)\r\n"
    connection.send(
      "\(method) /api/v1\(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(authorization)"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return connection.status()
  }
}
