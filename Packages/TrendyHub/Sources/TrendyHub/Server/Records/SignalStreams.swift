import Foundation
import Synchronization
import TrendyProtocols

/// Change streams, which send a record's head to devices as server-sent events (WHATWG HTML, 9.2).
///
/// A stream has at most one pending event. While the reader is slow, newer events replace the pending one, so nothing
/// queues up. No task runs while no stream is open.
final class SignalStreams: Sendable {
  /// Maximum numbers of open streams, for a device and for a user.
  static let limits = (device: 4, user: 64)
  /// Maximum number of streams checked against the storage at once. Other streams wait for their turn.
  static let looksAtOnce = 256
  /// Time without events after which a comment is sent, because proxies and clients close idle connections.
  static let keepAliveInterval: Duration = .seconds(25)
  /// Interval between checks of the storage for writes and token revocations by other processes.
  static let pollInterval: Duration = .seconds(1)
  /// While hints are arriving, only one in this many checks reads heads.
  static let looksWithHints = 10
  /// Delay in milliseconds before clients reconnect after the hub has stopped. Sent in the `retry` field.
  static let retryMillis = 2000

  private enum End {
    case stopping
    case revoked
    case abandoned
  }

  private enum Saying {
    case piece(Data)
    case end

    var data: Data? {
      switch self {
      case .piece(let data): data
      case .end: nil
      }
    }
  }

  private struct Stream {
    let device: HubDevice
    var head: Int64?
    var saidHead: Int64?
    /// Whether a companion notice or a link change has yet to be announced.
    var hasNotice = false
    var hasSaidRetry = false
    /// Uptime of the last event or comment.
    var lastSaid: Duration
    var end: End?
    var reader: CheckedContinuation<Data?, Never>?

    mutating func take(now: Duration) -> Saying? {
      var text = ""
      switch end {
      case .revoked, .abandoned: return .end
      case .stopping where hasSaidRetry: return .end
      case .stopping, nil: break
      }
      if let head, head != saidHead {
        text = "event: head\ndata: {\"cursor\":\(head)}\n\n"
        saidHead = head
      }
      if hasNotice {
        text += "event: companion\ndata: {}\n\n"
        hasNotice = false
      }
      if end == .stopping {
        text += "retry: \(retryMillis)\n\n"
        hasSaidRetry = true
      }
      if text.isEmpty, now - lastSaid >= keepAliveInterval { text = ":\n\n" }
      guard !text.isEmpty else { return nil }
      lastSaid = now
      return .piece(Data(text.utf8))
    }
  }

  private struct State {
    var streams: [UInt64: Stream] = [:]
    var idsByPerson: [String: Set<UInt64>] = [:]
    var idsByDevice: [String: Set<UInt64>] = [:]
    /// Uptimes at which streams must send a comment.
    var silences = DeadlineQueue()
    /// Streams still to be checked in the current pass, in reverse order.
    var round: [UInt64] = []
    var nextId: UInt64 = 0
    var isStopped = false
    var watcher: Task<Void, Never>?

    mutating func add(_ stream: Stream) -> UInt64 {
      nextId += 1
      streams[nextId] = stream
      idsByPerson[stream.device.user, default: []].insert(nextId)
      idsByDevice[stream.device.id, default: []].insert(nextId)
      silences.add(stream.lastSaid + keepAliveInterval, of: nextId)
      return nextId
    }

    mutating func remove(_ id: UInt64) {
      guard let stream = streams.removeValue(forKey: id) else { return }
      Self.remove(id, from: &idsByPerson, stream.device.user)
      Self.remove(id, from: &idsByDevice, stream.device.id)
      silences.forget(id)
    }

    private static func remove(_ id: UInt64, from index: inout [String: Set<UInt64>], _ key: String) {
      index[key]?.remove(id)
      if index[key]?.isEmpty == true { index[key] = nil }
    }
  }

  private let store: HubStore
  private let clock: any TimeSource
  private let hints: HintDispatcher
  private let limit: Int
  private let tasks: (any TaskExecutor)?
  private let state = Mutex(State())
  private let isAlone = Atomic(false)

  init(
    store: HubStore, clock: any TimeSource, hints: HintDispatcher = HintDispatcher(), limit: Int = 256,
    tasks: (any TaskExecutor)? = nil
  ) {
    self.tasks = tasks
    self.store = store
    self.clock = clock
    self.hints = hints
    self.limit = limit
  }

  /// Stops polling heads, because no other process can write to users' records.
  func onAlone() { isAlone.store(true, ordering: .relaxed) }

  func isOpen(for user: String) -> Bool { state.withLock { $0.idsByPerson[user] != nil } }

  var count: Int { state.withLock { $0.streams.count } }

  /// Opens a stream that receives every later head, and closes when it is released.
  ///
  /// - Throws: A ``Problem`` with status 429 or 503 if there are too many streams or the hub is stopping.
  func open(for device: HubDevice) throws(Problem) -> SignalStream {
    let now = clock.uptime
    let id = try state.withLock { state throws(Problem) in
      guard !state.isStopped else { throw .busy("this hub is shutting down") }
      guard state.idsByDevice[device.id, default: []].count < Self.limits.device else {
        throw .tooManyStreams("\"\(device.name)\" has \(Self.limits.device) streams open")
      }
      guard state.idsByPerson[device.user, default: []].count < Self.limits.user else {
        throw .tooManyStreams("your devices have \(Self.limits.user) streams open")
      }
      guard state.streams.count < limit else {
        throw Problem(
          "unavailable", status: 503, title: "Service unavailable",
          detail: "\(limit) streams are open: poll for changes instead",
          retryAfter: Self.keepAliveInterval)
      }
      let id = state.add(Stream(device: device, lastSaid: now))
      // The task retains this object until the last stream is closed.
      if state.watcher == nil { state.watcher = Task(executorPreference: tasks) { await self.watch() } }
      return id
    }
    return SignalStream(id: id, streams: self)
  }

  /// Announces a new head after a durable write.
  ///
  /// Calls may arrive out of order, but a stream's head never decreases.
  func onHead(_ head: Int64, of user: String) {
    tell({ $0.idsByPerson[user] }) { stream in
      stream.head = max(stream.head ?? head, head)
    }
  }

  /// Announces a new companion notice or a changed link to a device.
  func onNotice(for device: String) {
    tell({ $0.idsByDevice[device] }) { stream in
      stream.hasNotice = true
    }
  }

  /// Closes the streams of a device whose token was revoked.
  func onRevoked(_ device: String) {
    tell({ $0.idsByDevice[device] }) { stream in
      if stream.end == nil { stream.end = .revoked }
    }
  }

  /// Closes all streams and rejects new ones.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.watcher?.cancel()
    }
    tell({ Set($0.streams.keys) }) { stream in
      if stream.end == nil { stream.end = .stopping }
    }
  }

  fileprivate func next(_ id: UInt64) async -> Data? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let now = clock.uptime
        let saying: Saying? = state.withLock { state in
          guard var stream = state.streams[id] else { return .end }
          precondition(stream.reader == nil, "stream \(id) has two readers")
          let saying = stream.take(now: now)
          if saying == nil { stream.reader = reader }
          state.streams[id] = stream
          return saying
        }
        if let saying { reader.resume(returning: saying.data) }
      }
    } onCancel: {
      let reader = state.withLock { state in
        state.streams[id]?.end = .abandoned
        return state.streams[id]?.reader.take()
      }
      reader?.resume(returning: nil)
    }
  }

  fileprivate func close(_ id: UInt64) {
    state.withLock { state in
      state.remove(id)
      guard state.streams.isEmpty else { return }
      state.watcher?.cancel()
      state.watcher = nil
    }
  }
}

extension SignalStreams {
  /// Changes some streams, then resumes the readers that have an event.
  private func tell(_ choice: (State) -> Set<UInt64>?, _ change: (inout Stream) -> Void) {
    let now = clock.uptime
    let readers = state.withLock { state in
      var readers: [(CheckedContinuation<Data?, Never>, Saying)] = []
      for id in (choice(state) ?? []).sorted() {
        guard var stream = state.streams[id] else { continue }
        change(&stream)
        if stream.reader != nil, let saying = stream.take(now: now), let reader = stream.reader.take() {
          readers.append((reader, saying))
        }
        state.streams[id] = stream
      }
      return readers
    }
    for (reader, saying) in readers { reader.resume(returning: saying.data) }
  }

  private func watch() async {
    // The sleep is cancelled when the last stream is closed or the hub stops.
    var unreadLooks = 0
    while (try? await clock.sleep(for: Self.pollInterval)) != nil, !Task.isCancelled {
      unreadLooks = hints.isHearing && unreadLooks < Self.looksWithHints ? unreadLooks + 1 : 0
      await look(readsHeads: unreadLooks == 0 && !isAlone.load(ordering: .relaxed))
      endSilences()
    }
  }

  /// Checks the next streams for changes by other processes.
  private func look(readsHeads: Bool) async {
    let devices = state.withLock { state in
      if state.round.isEmpty { state.round = state.streams.keys.sorted(by: >) }
      let ids = state.round.suffix(Self.looksAtOnce)
      state.round.removeLast(ids.count)
      return Set(ids.compactMap { state.streams[$0]?.device })
    }
    for user in Set(devices.map(\.user)).sorted() where readsHeads {
      // If this fails, a later check reads the head again. Requests report the error in the meantime.
      if let head = try? await store.read(user: user, { try $0.state().head }) { onHead(head, of: user) }
    }
    // If this fails, a later check reads the tokens again.
    let revoked = try? await store.perform(.reading, for: "directory") { [storage = store.storage] in
      try storage.readDirectory { directory in
        try devices.filter { device in
          guard let current = try directory.device(tokenHash: device.tokenHash) else { return true }
          return current.revokedAt != nil
        }
      }
    }
    for device in (revoked ?? []).sorted(by: { $0.id < $1.id }) { onRevoked(device.id) }
  }

  /// Sends a comment to streams that have been idle for too long.
  private func endSilences() {
    let now = clock.uptime
    let due = state.withLock { state in
      var due: Set<UInt64> = []
      while let id = state.silences.take(now: now) {
        guard let stream = state.streams[id] else { continue }
        let time = stream.lastSaid + Self.keepAliveInterval
        if time <= now { due.insert(id) }
        state.silences.add(time <= now ? now + Self.keepAliveInterval : time, of: id)
      }
      return due
    }
    tell({ _ in due }) { _ in }
  }
}

extension Problem {
  fileprivate static func tooManyStreams(_ detail: String) -> Problem {
    Problem(
      "rate_limited", status: 429, title: "Too many streams",
      detail: "\(detail): close one, or poll for changes", retryAfter: SignalStreams.keepAliveInterval)
  }
}

/// An open stream. It is closed when its last reference is released.
final class SignalStream: Sendable {
  private let id: UInt64
  private let streams: SignalStreams

  fileprivate init(id: UInt64, streams: SignalStreams) {
    self.id = id
    self.streams = streams
  }

  deinit { streams.close(id) }

  /// Returns the next text, or `nil` at the end or when the task is cancelled. Calls must not overlap.
  func next() async -> Data? { await streams.next(id) }
}
