import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// A web server that is not a hub. It responds to every request with an HTML page and records the requests.
final class HTMLServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let kept = Mutex<[String]>([])

  /// All received requests, each with its head and body.
  var requests: [String] { kept.withLock { $0 } }

  /// Starts the server. The first `failures` requests receive status 500.
  init(failures: Int = 0) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isBound = withUnsafeBytes(of: &address) {
      bind(listener, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard listener >= 0, isBound == 0, listen(listener, 8) == 0 else { throw BenchError("no port is free") }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutableBytes(of: &address) {
      getsockname(listener, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
    }
    port = UInt16(bigEndian: address.sin_port)
    self.listener = listener
    Thread.detachNewThread { [weak self] in
      let page = "<!doctype html><title>Welcome</title>"
      var failures = failures
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        let request = Self.request(from: client)
        self?.kept.withLock { $0.append(request) }
        let status = failures > 0 ? "500 Internal Server Error" : "200 OK"
        failures -= 1
        let answer =
          "HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n"
          + "Connection: close\r\n\r\n\(page)"
        _ = send(client, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
        shutdown(client, Int32(SHUT_WR))
        // Wait until the client has closed the connection, because the client could otherwise receive a reset before it
        // has read the page.
        var buffer = [UInt8](repeating: 0, count: 4096)
        while recv(client, &buffer, buffer.count, 0) > 0 {}
        close(client)
      }
    }
  }

  /// Reads the head of a request and a body of the announced length.
  private static func request(from client: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let line = text[..<end.lowerBound].split(separator: "\r\n").first {
          $0.lowercased().hasPrefix("content-length:")
        }
        let length = line.flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) } ?? 0
        if text[end.upperBound...].utf8.count >= length { return text }
      }
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return text }
      bytes += buffer[..<count]
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}
