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

/// Tells other hubs on the database what changed, and hears it from them, with LISTEN and NOTIFY on a connection of its own.
///
/// What comes in a short while is told once, and never within a transaction of a person: that would let all commits of the
/// database take turns. A hint may be lost, and is only a reason to look sooner.
///
/// @unchecked: `connection` is used by the one thread; everything else is under the lock.
final class PostgresHints: @unchecked Sendable {
  private struct State {
    var pending: Set<HubHint> = []
    var isStopped = false
    var isHearing = false
  }

  /// Milliseconds for which hints are gathered.
  private static let gatherMillis: Int32 = 20
  /// Milliseconds of silence after which the server is asked whether it is there.
  private static let silenceMillis: Int32 = 10_000
  /// Milliseconds until a connection is tried again.
  private static let retryMillis: Int32 = 1000
  /// Bytes of one notification; the server takes 7999.
  private static let mostBytes = 7000

  private let channel: String
  private let connect: @Sendable () throws -> PostgresConnection
  private let hear: @Sendable (HubHint) -> Void
  private let state = Mutex(State())
  /// A byte is written where the thread has something to do.
  private let wake: (reading: Int32, writing: Int32)

  /// - Parameters:
  ///   - channel: letters, digits and `_`.
  ///   - connect: makes the connection, again where it was lost.
  ///   - hear: called on a thread of its own with what other hubs told.
  init(
    channel: String, connect: @escaping @Sendable () throws -> PostgresConnection,
    hear: @escaping @Sendable (HubHint) -> Void
  ) throws(HubStorageError) {
    self.channel = channel
    self.connect = connect
    self.hear = hear
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .exhausted("no descriptor is left for a pipe") }
    wake = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    Thread.detachNewThread { self.work() }
  }

  /// The thread holds this until it has ended: nobody writes to the pipe any more. Closed by the thread, it could be what a wake-up
  /// under way was written to: without a reader, which ends the process by a signal, or as another file with its number.
  deinit {
    close(wake.reading)
    close(wake.writing)
  }

  /// Whether the server tells this hub what others write, as far as is known.
  var isHearing: Bool { state.withLock { $0.isHearing } }

  func tell(_ hint: HubHint) {
    let isFirst = state.withLock { state in
      state.pending.insert(hint)
      return state.pending.count == 1
    }
    if isFirst { wakeUp() }
  }

  /// The thread ends soon after.
  func stop() {
    state.withLock { $0.isStopped = true }
    wakeUp()
  }

  private func wakeUp() {
    // Where the pipe is full, the thread is about to wake.
    var byte: UInt8 = 0
    _ = write(wake.writing, &byte, 1)
  }

  private func work() {
    Thread.current.name = "trendy-hints"
    while !state.withLock({ $0.isStopped }) {
      // What is wrong with the database is said by whoever reads and writes.
      if let connection = try? connect() { try? listen(on: connection) }
      state.withLock { $0.isHearing = false }
      guard !state.withLock({ $0.isStopped }) else { return }
      _ = poll(nil, 0, Self.retryMillis)
    }
  }

  /// Returns when it is stopped, throws when the connection is lost.
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
        // More of them come at once.
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
      if let last = texts.last, last.utf8.count + text.utf8.count < Self.mostBytes {
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
    case .head(let person): "h\(person)"
    case .notice(let device): "n\(device)"
    }
  }

  /// `nil` for what another version tells.
  fileprivate init?(text: Substring) {
    let rest = String(text.dropFirst())
    switch text.first {
    case "h": self = .head(person: rest)
    case "n": self = .notice(device: rest)
    default: return nil
    }
  }
}
