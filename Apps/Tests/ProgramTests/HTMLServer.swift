import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Something that listens and is no hub: it answers every request with a page.
final class HTMLServer: Sendable {
  let port: UInt16
  private let listener: Int32

  init() throws {
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
    Thread.detachNewThread {
      let page = "<!doctype html><title>Welcome</title>"
      let answer =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\nConnection: close\r\n\r\n\(page)"
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = recv(client, &buffer, buffer.count, 0)
        _ = send(client, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
        shutdown(client, Int32(SHUT_WR))
        // Until the client has gone, so that it never meets a reset before it has read the page.
        while recv(client, &buffer, buffer.count, 0) > 0 {}
        close(client)
      }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}
