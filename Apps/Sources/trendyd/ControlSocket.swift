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

/// Answers the programs of this person on this machine: a line of JSON asks, lines of JSON answer.
final class ControlSocket: Sendable {
  /// Connections at once; a request in bytes.
  private static let limits = (connections: 32, request: 4096)

  private let descriptor: Int32
  private let path: String
  private let board: LiveBoard
  private let reload: @Sendable () -> JSONText
  private let sync: @Sendable () async -> CommandError?
  private let connections = Mutex(0)

  /// Whoever makes it holds the right to sync the store, so a socket file that is there is a dead agent's.
  /// - Parameters:
  ///   - reload: reads the configuration again, and gives the answer.
  ///   - sync: makes a round that begins now; what it returns is why there was none.
  init(
    _ files: RuntimeFiles, board: LiveBoard, reload: @escaping @Sendable () -> JSONText,
    sync: @escaping @Sendable () async -> CommandError?
  ) throws(CommandError) {
    path = files.control.path
    self.board = board
    self.reload = reload
    self.sync = sync
    guard let address = UnixAddress(path: path) else {
      throw CommandError("\(path) is too long for a socket", exit: .configuration)
    }
    descriptor = socket(AF_UNIX, UnixAddress.stream, 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    // Before there is a name that others could open.
    guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
      throw CommandError("\(path) cannot be made: \(String(cString: strerror(errno)))", exit: .cannotCreate)
    }
    unlink(path)
    guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0, chmod(path, 0o600) == 0, listen(descriptor, 16) == 0
    else {
      throw CommandError("\(path) cannot be made: \(String(cString: strerror(errno)))", exit: .cannotCreate)
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

  /// Reads for as long as the other end stays; what it asked for is answered meanwhile.
  private func serve(_ client: Int32) {
    let count = connections.withLock { count in
      count += 1
      return count
    }
    defer {
      connections.withLock { $0 -= 1 }
      releaseDescriptor(client)
    }
    // The file's mode may be changed, and a folder shared; whose program asks, the kernel says.
    guard let user = peerUser(of: client), user == geteuid() || user == 0 else {
      _ = Self.say(Self.refusal("refused", "This agent answers its own user alone"), to: client)
      return
    }
    guard count <= Self.limits.connections else {
      _ = Self.say(Self.refusal("rate_limited", "Too many connections at once"), to: client)
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
        // One after the other, in the order of the asking.
        answers.append(
          Task {
            await last?.value
            if await !answer(line, to: client) { shutdown(client, Int32(SHUT_RDWR)) }
          })
      }
      guard buffer.count <= Self.limits.request, answers.count <= Self.limits.request else {
        _ = Self.say(Self.refusal("usage", "A request is one line, and no connection is for thousands"), to: client)
        break
      }
    }
    for answer in answers { answer.cancel() }
    // None of them may write to a descriptor that is another's by then.
    let gone = DispatchSemaphore(value: 0)
    Task { [answers] in
      for answer in answers { await answer.value }
      gone.signal()
    }
    gone.wait()
  }

  /// - Returns: whether the other end can be told more.
  private func answer(_ line: Data, to client: Int32) async -> Bool {
    // What is no JSON asks for nothing, as what names no request.
    let word = (try? WireJSON.decode(JSONValue.self, from: line))?.objectValue?["request"]?.stringValue
    switch word.flatMap(AgentConnection.Request.init(rawValue:)) {
    case .status: return Self.say(board.notice.text, to: client)
    case .sync:
      if let error = await sync() { return Self.say(Self.refusal(error.exit.code, error.message), to: client) }
      return Self.say(board.notice.text, to: client)
    case .reload: return Self.say(reload().description, to: client)
    case .live:
      for await notice in board.notices where !notice.text.isEmpty {
        guard Self.say(notice.text, to: client), !notice.isLast else { return false }
      }
      return false
    case nil:
      let known = AgentConnection.Request.allCases.map(\.rawValue).joined(separator: ", ")
      return Self.say(Self.refusal("usage", "expected {\"request\":…} with one of \(known)"), to: client)
    }
  }

  private static func refusal(_ code: String, _ message: String) -> String {
    JSONText.object([("error", .object([("code", .string(code)), ("message", .string(message))]))]).description
  }

  /// Never waits: whoever does not read for so long that the system keeps no more is let go.
  private static func say(_ text: String, to client: Int32) -> Bool {
    let bytes = Array((text + "\n").utf8)
    // A reader that has gone is an error of the call: SIGPIPE is ignored.
    return send(client, bytes, bytes.count, Int32(MSG_DONTWAIT)) == bytes.count
  }
}

/// The user of the process at the other end of a local connection, as the kernel noted it when that was made.
private func peerUser(of descriptor: Int32) -> uid_t? {
  #if canImport(Darwin)
    var (user, group) = (uid_t(), gid_t())
    return getpeereid(descriptor, &user, &group) == 0 ? user : nil
  #else
    // A `struct ucred`, which the module of the C library does not show: process, user, group.
    var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    let status = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
    return status == 0 && Int(length) == MemoryLayout.size(ofValue: credentials) ? credentials.1 : nil
  #endif
}
