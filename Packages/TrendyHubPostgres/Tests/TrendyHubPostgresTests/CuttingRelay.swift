import Foundation
import PostgresTesting
import Synchronization

/// Relay between hubs and a cluster that cuts one connection at the message with a given number.
///
/// @unchecked: `state` is protected by a lock, and everything else is set only once.
final class CuttingRelay: @unchecked Sendable {
  enum Cut: CaseIterable, Sendable {
    /// The server never receives the message.
    case before
    /// The server executes the message, but its response is lost.
    case after
  }

  /// Directory of the socket, for use as `host` in an address.
  let folder: URL
  private let target: String
  private let listener: Int32
  private let state = Mutex(State())

  private struct State {
    var messages = 0
    var cut: (number: Int, kind: Cut)?
  }

  init(to cluster: PostgresCluster) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "relay-\(UInt32.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    target = cluster.folder.appending(path: ".s.PGSQL.5432").path
    listener = Self.socket()
    let isListening = Self.withAddress(folder.appending(path: ".s.PGSQL.5432").path) { bind(listener, $0, $1) } == 0
    guard isListening, listen(listener, 64) == 0 else { throw ClusterFailure(description: "the relay cannot listen") }
    Thread.detachNewThread { [self] in accept() }
  }

  func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    try? FileManager.default.removeItem(at: folder)
  }

  /// Cuts the connection at the message with this number, counting from 1.
  func cut(at number: Int, _ kind: Cut) { state.withLock { $0 = State(cut: (number, kind)) } }

  var hasCut: Bool { state.withLock { $0.cut == nil } }

  private func onMessage() -> Cut? {
    state.withLock { state in
      state.messages += 1
      guard let cut = state.cut, state.messages == cut.number else { return nil }
      state.cut = nil
      return cut.kind
    }
  }

  private func accept() {
    while case let client = Glibc.accept(listener, nil, nil), client >= 0 {
      let server = Self.socket()
      guard Self.withAddress(target, { connect(server, $0, $1) }) == 0 else {
        close(client)
        close(server)
        continue
      }
      Thread.detachNewThread { [self] in relay(client, server) }
    }
    close(listener)
  }

  /// Relays messages in both directions. A message is the data from one read on the client's socket: one round trip,
  /// because of pipelining.
  private func relay(_ client: Int32, _ server: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var isMute = false
    defer {
      close(client)
      close(server)
    }
    while true {
      var descriptors = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&descriptors, 2, -1) > 0 else { return }
      if descriptors[0].revents != 0 {
        let count = read(client, &buffer, buffer.count)
        guard count > 0 else { return }
        let cut = onMessage()
        if cut == .before { return }
        guard Self.pass(buffer, count, to: server) else { return }
        if cut == .after { isMute = true }
      }
      if descriptors[1].revents != 0 {
        let count = read(server, &buffer, buffer.count)
        // The server has responded, so it has executed the message.
        guard count > 0, !isMute, Self.pass(buffer, count, to: client) else { return }
      }
    }
  }

  /// Sends bytes without raising SIGPIPE if the receiver has closed the connection.
  private static func pass(_ bytes: [UInt8], _ count: Int, to descriptor: Int32) -> Bool {
    send(descriptor, bytes, count, Int32(MSG_NOSIGNAL)) == count
  }

  private static func socket() -> Int32 { Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
