import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// Proxy that replaces one word in the hub's responses, to check that the demonstration detects the change.
final class TamperingProxy: Sendable {
  let port: UInt16
  private let listener: Int32

  init(hubPort: UInt16, replacing truth: String, with lie: String) throws {
    precondition(truth.utf8.count == lie.utf8.count, "the replacement must have the same length")
    (listener, port) = try Self.listenOnLoopback()
    let listener = listener
    let truth = Array(truth.utf8)
    let lie = Array(lie.utf8)
    Thread.detachNewThread {
      while true {
        let device = accept(listener, nil, nil)
        guard device >= 0 else { return }
        let hub = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(port: hubPort)
        let isConnected = withUnsafeBytes(of: &address) {
          connect(hub, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard isConnected == 0 else {
          close(device)
          close(hub)
          continue
        }
        Thread.detachNewThread { Self.pump(from: device, to: hub) { $0 } }
        Thread.detachNewThread { Self.pump(from: hub, to: device) { $0.replacing(truth, with: lie) } }
      }
    }
  }

  private static func listenOnLoopback() throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(port: 0)
    let isBound = withUnsafeBytes(of: &address) {
      bind(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard descriptor >= 0, isBound == 0, listen(descriptor, 16) == 0 else {
      throw DemoError("no loopback port is free")
    }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutableBytes(of: &address) {
      getsockname(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  private static func pump(from source: Int32, to sink: Int32, _ change: ([UInt8]) -> [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      let bytes = change(Array(buffer[..<count]))
      guard send(sink, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { break }
    }
    shutdown(sink, Int32(SHUT_WR))
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
