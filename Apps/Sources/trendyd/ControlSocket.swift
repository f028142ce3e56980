import AgentLink
import CommandSupport
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Foundation
import Synchronization
import TrendyModels

/// Unix socket for requests from local programs of the same user. Requests and responses are JSON, one object per line.
final class ControlSocket: Sendable {
  /// Maximum number of simultaneous connections, and of bytes per request.
  private static let limits = (connections: 32, request: 4096)

  private let descriptor: Int32
  private let path: String
  private let board: LiveStatusBroadcaster
  private let reload: @Sendable () -> JSONText
  private let sync: @Sendable () async -> CommandError?
  private let connections = Mutex(0)

  /// Creates the socket, replacing an existing socket file.
  ///
  /// The caller must ensure that no other process is using the path, for example by holding the sync lock. An existing
  /// file must then have been left behind by a killed process. `sync` returns the error of the sync, if any.
  init(
    _ files: RuntimeFiles, board: LiveStatusBroadcaster, reload: @escaping @Sendable () -> JSONText,
    sync: @escaping @Sendable () async -> CommandError?
  ) throws(CommandError) {
    path = files.control.path
    self.board = board
    self.reload = reload
    self.sync = sync
    guard let address = UnixAddress(path: path) else {
      throw CommandError(
        "The path \(path) is too long for a socket", hint: "Choose a shorter path for the store.", exit: .configuration)
    }
    descriptor = socket(AF_UNIX, UnixAddress.stream, 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    // Set before the socket is bound, because other users could connect as soon as it has a path.
    guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
      throw CommandError(cannot: "create", path, code: errno)
    }
    unlink(path)
    guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0, chmod(path, 0o600) == 0, listen(descriptor, 16) == 0
    else {
      throw CommandError(cannot: "create", path, code: errno)
    }
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(descriptor, nil, nil)
        if client < 0, errno == EINTR || errno == ECONNABORTED { continue }
        guard client >= 0 else { break }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        Thread.detachNewThread { self.serve(client) }
      }
      releaseDescriptor(descriptor)
    }
  }

  func close() {
    unlink(path)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Reads requests until the peer disconnects, responding in tasks.
  private func serve(_ client: Int32) {
    let count = connections.withLock { count in
      count += 1
      return count
    }
    defer {
      connections.withLock { $0 -= 1 }
      releaseDescriptor(client)
    }
    // Check the peer's user, as reported by the kernel, because file permissions are not reliable on all file systems.
    guard let user = peerUser(of: client), user == geteuid() || user == 0 else {
      _ = Self.reply(Self.refusal("refused", "This agent accepts only requests from the user that runs it"), to: client)
      return
    }
    guard count <= Self.limits.connections else {
      _ = Self.reply(Self.refusal("rate_limited", "Too many connections"), to: client)
      return
    }
    var buffer: [UInt8] = []
    var answers: [Task<Void, Never>] = []
    var piece = [UInt8](repeating: 0, count: Self.limits.request)
    while true {
      let count = recv(client, &piece, piece.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      buffer += piece.prefix(count)
      while let end = buffer.firstIndex(of: 0xA) {
        let line = Data(buffer[..<end])
        buffer.removeSubrange(...end)
        let last = answers.last
        // Requests on one connection are processed in order.
        answers.append(
          Task {
            await last?.value
            if await !answer(line, to: client) { shutdown(client, Int32(SHUT_RDWR)) }
          })
      }
      guard buffer.count <= Self.limits.request, answers.count <= Self.limits.request else {
        _ = Self.reply(
          Self.refusal("usage", "The request is too long, or there are too many requests on this connection"),
          to: client)
        break
      }
    }
    for answer in answers { answer.cancel() }
    // Wait for all tasks before closing the descriptor. Otherwise a task could write to another connection that has
    // reused the descriptor.
    let gone = DispatchSemaphore(value: 0)
    Task { [answers] in
      for answer in answers { await answer.value }
      gone.signal()
    }
    gone.wait()
  }

  /// Responds to one request. Returns whether the peer is still connected.
  private func answer(_ line: Data, to client: Int32) async -> Bool {
    // Invalid JSON gets the same response as an unknown request.
    let word = (try? WireJSON.decode(JSONValue.self, from: line))?.objectValue?["request"]?.stringValue
    switch word.flatMap(AgentConnection.Request.init(rawValue:)) {
    case .status: return Self.reply(board.notice.text, to: client)
    case .sync:
      if let error = await sync() { return Self.reply(Self.refusal(error.exit.code, error.message), to: client) }
      return Self.reply(board.notice.text, to: client)
    case .reload: return Self.reply(reload().description, to: client)
    case .live:
      for await notice in board.notices where !notice.text.isEmpty {
        guard Self.reply(notice.text, to: client), !notice.isLast else { return false }
      }
      return false
    case nil:
      let known = AgentConnection.Request.allCases.map(\.rawValue).joined(separator: ", ")
      return Self.reply(Self.refusal("usage", "expected {\"request\":…} with one of \(known)"), to: client)
    }
  }

  private static func refusal(_ code: String, _ message: String) -> String {
    JSONText.object([("error", .object([("code", .string(code)), ("message", .string(message))]))]).description
  }

  /// Sends a line without blocking. Returns `false` if the peer has disconnected or its buffer is full.
  private static func reply(_ text: String, to client: Int32) -> Bool {
    let bytes = Array((text + "\n").utf8)
    // SIGPIPE is ignored, so a closed connection causes an error here.
    return send(client, bytes, bytes.count, Int32(MSG_DONTWAIT)) == bytes.count
  }
}

/// Returns the user that the peer process had when it connected, as recorded by the kernel, or `nil` on error.
private func peerUser(of descriptor: Int32) -> uid_t? {
  #if canImport(Darwin)
    var (user, group) = (uid_t(), gid_t())
    return getpeereid(descriptor, &user, &group) == 0 ? user : nil
  #else
    // Fields of `struct ucred` (process, user, group), which the C library module does not export.
    var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    let status = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
    return status == 0 && Int(length) == MemoryLayout.size(ofValue: credentials) ? credentials.1 : nil
  #endif
}
