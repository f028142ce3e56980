import CPostgres
import Synchronization
import TrendyHub

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Foundation

/// Exchanges hints about changes between the hubs on a database, using LISTEN and NOTIFY on a separate connection.
///
/// Hints that arise within a short interval are sent together, outside users' transactions, because a notification
/// within a transaction would serialize all commits in the database. A lost hint only delays another hub's check for
/// changes.
///
/// @unchecked: `connection` is used by a single thread, and all other state is protected by a lock.
final class PostgresHints: @unchecked Sendable {
  private struct State {
    var pending: Set<HubHint> = []
    var isStopped = false
    var isHearing = false
  }

  /// Milliseconds for which hints are collected before they are sent.
  private static let gatherMillis: Int32 = 20
  /// Milliseconds without data before the connection is tested.
  private static let silenceMillis: Int32 = 10_000
  /// Milliseconds to wait before connecting again.
  private static let retryMillis: Int32 = 1000
  /// Maximum length of a notification in bytes. The server accepts up to 7999.
  private static let maxBytes = 7000

  private let channel: String
  private let connect: @Sendable () throws -> PostgresConnection
  private let hear: @Sendable (HubHint) -> Void
  private let state = Mutex(State())
  private let wake: (reading: Int32, writing: Int32)

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - channel: Name of the channel: letters, digits and `_`.
  ///   - connect: Creates a connection. Called again after a connection was lost.
  ///   - hear: Called on the thread with each hint from another hub.
  init(
    channel: String, connect: @escaping @Sendable () throws -> PostgresConnection,
    hear: @escaping @Sendable (HubHint) -> Void
  ) throws(HubStorageError) {
    self.channel = channel
    self.connect = connect
    self.hear = hear
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .exhausted("out of file descriptors: cannot create a pipe") }
    wake = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    Thread.detachNewThread { self.work() }
  }

  /// Closes the pipe. The thread retains this object while it is running, so nothing can write to the pipe any more.
  ///
  /// If the thread closed the pipe, a concurrent wake-up could write to a pipe without a reader, which raises a signal,
  /// or to another file that reuses the descriptor.
  deinit {
    close(wake.reading)
    close(wake.writing)
  }

  /// Whether hints from other hubs are arriving, as far as known.
  var isHearing: Bool { state.withLock { $0.isHearing } }

  func tell(_ hint: HubHint) {
    let isFirst = state.withLock { state in
      state.pending.insert(hint)
      return state.pending.count == 1
    }
    if isFirst { wakeUp() }
  }

  /// Stops the thread, which exits soon afterwards.
  func stop() {
    state.withLock { $0.isStopped = true }
    wakeUp()
  }

  private func wakeUp() {
    // If the pipe is full, the thread is about to wake.
    var byte: UInt8 = 0
    _ = write(wake.writing, &byte, 1)
  }

  private func work() {
    Thread.current.name = "trendy-hints"
    while !state.withLock({ $0.isStopped }) {
      // Reads and writes report database errors, so ignore them here.
      if let connection = try? connect() { try? listen(on: connection) }
      state.withLock { $0.isHearing = false }
      guard !state.withLock({ $0.isStopped }) else { return }
      _ = poll(nil, 0, Self.retryMillis)
    }
  }

  /// Exchanges hints until the listener is stopped. Throws when the connection is lost.
  private func listen(on connection: PostgresConnection) throws {
    let sql = "LISTEN \(channel)"
    _ = try connection.run(PostgresCall(PostgresStatement(sql, sql)))
    state.withLock { $0.isHearing = true }
    while true {
      let isReady = try connection.waitForInput(or: wake.reading, atMost: Self.silenceMillis)
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(wake.reading, &bytes, bytes.count) == bytes.count {}
      if state.withLock({ $0.isStopped }) { return }
      if isReady {
        // More hints usually follow immediately.
        _ = poll(nil, 0, Self.gatherMillis)
        try tellPending(on: connection)
      } else {
        _ = try connection.run(PostgresCall(PostgresStatement("hint_alive", "SELECT 1")))
      }
      for text in connection.takeNotifications() {
        for hint in text.split(separator: "\n").compactMap({ HubHint(text: $0) }) { hear(hint) }
      }
    }
  }

  private func tellPending(on connection: PostgresConnection) throws {
    let pending = state.withLock { state in
      defer { state.pending = [] }
      return state.pending.map(\.text).sorted()
    }
    var texts: [String] = []
    for text in pending {
      if let last = texts.last, last.utf8.count + text.utf8.count < Self.maxBytes {
        texts[texts.count - 1] = last + "\n" + text
      } else {
        texts.append(text)
      }
    }
    guard !texts.isEmpty else { return }
    let notify = PostgresStatement("notify", "SELECT pg_notify($1, $2)")
    _ = try connection.run(texts.map { PostgresCall(notify, .text(channel), .text($0)) })
  }
}

extension HubHint {
  fileprivate var text: String {
    switch self {
    case .head(let user): "h\(user)"
    case .notice(let device): "n\(device)"
    }
  }

  /// Parses a hint, or returns `nil` if an incompatible version sent it.
  fileprivate init?(text: Substring) {
    let rest = String(text.dropFirst())
    switch text.first {
    case "h": self = .head(user: rest)
    case "n": self = .notice(device: rest)
    default: return nil
    }
  }
}
