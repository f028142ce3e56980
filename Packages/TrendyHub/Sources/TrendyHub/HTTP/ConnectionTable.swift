import Foundation
import Synchronization

/// Every open connection of one server, by its socket: shared by the gate's thread and the library's.
///
/// A socket stands here from its acceptance until the moment before it is closed. What is sent to a socket from another
/// thread is sent under this lock, so it can never reach a connection that got the same number afterwards.
final class ConnectionTable: Sendable {
  struct Connection {
    let address: String
    let requestId: String
    /// Set when the gate hands the connection on.
    var head: HTTPHead?
    /// In uptime; `nil` once the body is complete, or while the gate still waits for the head.
    var bodyDeadline: Duration?
    /// Answered by ``expire``; whatever the library still reads of it is dropped.
    var isExpired = false
    var exchange: Exchange?
    /// Its answer is over when the other end closes its sending side.
    var isWatched = false
  }

  private struct State {
    var connections: [Int32: Connection] = [:]
    var countByAddress: [String: Int] = [:]
    var isClosing = false
  }

  private let state = Mutex(State())

  enum Admission {
    case admitted
    case tooManyInAll
    case tooManyFromAddress
  }

  func admit(_ socket: Int32, address: String, requestId: String, limits: HTTPLimits) -> Admission {
    state.withLock { state in
      guard state.connections.count < limits.connections else { return .tooManyInAll }
      guard state.countByAddress[address, default: 0] < limits.connectionsPerAddress else { return .tooManyFromAddress }
      state.connections[socket] = Connection(address: address, requestId: requestId)
      state.countByAddress[address, default: 0] += 1
      return .admitted
    }
  }

  /// Called before the socket is closed, whoever closes it.
  func remove(_ socket: Int32) {
    state.withLock { state in
      guard let connection = state.connections.removeValue(forKey: socket) else { return }
      let left = state.countByAddress[connection.address, default: 1] - 1
      state.countByAddress[connection.address] = left == 0 ? nil : left
    }
  }

  func handOn(_ socket: Int32, head: HTTPHead, bodyDeadline: Duration?) {
    state.withLock { state in
      state.connections[socket]?.head = head
      state.connections[socket]?.bodyDeadline = bodyDeadline
    }
  }

  func connection(_ socket: Int32) -> Connection? {
    state.withLock { $0.connections[socket] }
  }

  func setExchange(_ exchange: Exchange, for socket: Int32) {
    state.withLock { $0.connections[socket]?.exchange = exchange }
  }

  func watch(_ socket: Int32) {
    state.withLock { $0.connections[socket]?.isWatched = true }
  }

  var watched: [Int32] {
    state.withLock { state in state.connections.filter(\.value.isWatched).map(\.key) }
  }

  /// Of these sockets, the exchanges whose other end has gone; they are watched no longer.
  func departed(among sockets: [Int32]) -> [Exchange] {
    guard !sockets.isEmpty else { return [] }
    return state.withLock { state in
      sockets.compactMap { socket in
        // Looked at again, under the lock: since the poll the number may have come to another connection.
        guard state.connections[socket]?.isWatched == true, Sockets.isHalfClosed(socket) else { return nil }
        state.connections[socket]?.isWatched = false
        return state.connections[socket]?.exchange
      }
    }
  }

  /// The body is complete. `false` when its deadline came first and the connection has its answer already.
  func bodyIsComplete(_ socket: Int32) -> Bool {
    state.withLock { state in
      guard let connection = state.connections[socket], !connection.isExpired else { return false }
      state.connections[socket]?.bodyDeadline = nil
      return true
    }
  }

  var isClosing: Bool { state.withLock { $0.isClosing } }
  var isEmpty: Bool { state.withLock { $0.connections.isEmpty } }

  /// The earliest body deadline.
  var nextDeadline: Duration? {
    state.withLock { $0.connections.values.compactMap { $0.isExpired ? nil : $0.bodyDeadline }.min() }
  }

  /// Answers every connection whose body did not come in time.
  func expire(now: Duration, with answer: (Connection) -> Data) {
    state.withLock { state in
      for (socket, connection) in state.connections {
        guard let deadline = connection.bodyDeadline, deadline <= now, !connection.isExpired else { continue }
        state.connections[socket]?.isExpired = true
        Sockets.send(answer(connection), to: socket)
        Sockets.shutdownBoth(socket)
      }
    }
  }

  /// From now on nothing new begins; what runs is returned, to be aborted.
  func close() -> [Exchange] {
    state.withLock { state in
      state.isClosing = true
      return state.connections.values.compactMap(\.exchange)
    }
  }
}
