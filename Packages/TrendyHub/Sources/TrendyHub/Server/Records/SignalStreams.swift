import Foundation
import Synchronization
import TrendyProtocols

/// The open streams that tell devices where their person's head is, as `text/event-stream` (WHATWG HTML, 9.2).
///
/// A stream never has more than one thing to say: what happens while its reader is slow takes the place of what it would have
/// been told, so nothing queues. Nothing runs and nothing is read while no stream is open.
final class SignalStreams: Sendable {
  /// Streams open at once of one device, and of one person.
  static let limits = (device: 4, person: 64)
  /// Streams whose person and token one look asks the storage about: with more of them, each waits for its turn.
  static let looksAtOnce = 256
  /// After this long without a word a comment is sent: proxies and readers take a silent connection for a dead one.
  static let keepAliveInterval: Duration = .seconds(25)
  /// How often the storage is asked for what another process wrote: a head that moved, a token that was revoked.
  static let pollInterval: Duration = .seconds(1)
  /// Where other processes tell what they write, heads are read once in so many of these looks.
  static let looksWithHints = 10
  /// What a reader is told to wait, in milliseconds, before it asks a hub again that stops.
  static let retryMillis = 2000

  private enum End {
    case stopping
    case revoked
    /// Its reader has gone.
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
    /// Something is there for the device as a companion.
    var hasNotice = false
    var hasSaidRetry = false
    /// In uptime.
    var lastSaid: Duration
    var end: End?
    var reader: CheckedContinuation<Data?, Never>?

    /// What there is to say, once; `nil` when there is nothing yet.
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
    /// When a stream is to be looked at for having been silent.
    var silences = DeadlineQueue()
    /// Those that are still looked at in this round, for what other processes did; the last is the next.
    var round: [UInt64] = []
    var nextId: UInt64 = 0
    var isStopped = false
    var watcher: Task<Void, Never>?

    mutating func add(_ stream: Stream) -> UInt64 {
      nextId += 1
      streams[nextId] = stream
      idsByPerson[stream.device.person, default: []].insert(nextId)
      idsByDevice[stream.device.id, default: []].insert(nextId)
      silences.add(stream.lastSaid + keepAliveInterval, of: nextId)
      return nextId
    }

    mutating func remove(_ id: UInt64) {
      guard let stream = streams.removeValue(forKey: id) else { return }
      Self.remove(id, from: &idsByPerson, stream.device.person)
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
  private let hints: HubHintLine
  /// Streams open at once of all.
  private let limit: Int
  private let tasks: (any TaskExecutor)?
  private let state = Mutex(State())
  /// Whether no other process can write what persons' records hold.
  private let isAlone = Atomic(false)

  init(
    store: HubStore, clock: any TimeSource, hints: HubHintLine = HubHintLine(), limit: Int = 256,
    tasks: (any TaskExecutor)? = nil
  ) {
    self.tasks = tasks
    self.store = store
    self.clock = clock
    self.hints = hints
    self.limit = limit
  }

  /// Says that no other process writes persons' records from now on: heads are not asked for any more.
  func onAlone() { isAlone.store(true, ordering: .relaxed) }

  func isOpen(for person: String) -> Bool { state.withLock { $0.idsByPerson[person] != nil } }

  /// How many are open.
  var count: Int { state.withLock { $0.streams.count } }

  /// Opens a stream; it is told of every head from now on, and closed when it is let go.
  /// - Throws: a ``Problem`` with status 429 or 503 when there are too many, or the hub stops.
  func open(for device: HubDevice) throws(Problem) -> SignalStream {
    let now = clock.uptime
    let id = try state.withLock { state throws(Problem) in
      guard !state.isStopped else { throw .busy("this hub is shutting down") }
      guard state.idsByDevice[device.id, default: []].count < Self.limits.device else {
        throw .tooManyStreams("\"\(device.name)\" has \(Self.limits.device) streams open")
      }
      guard state.idsByPerson[device.person, default: []].count < Self.limits.person else {
        throw .tooManyStreams("your devices have \(Self.limits.person) streams open")
      }
      guard state.streams.count < limit else {
        throw Problem(
          "unavailable", status: 503, title: "Service unavailable",
          detail: "\(limit) streams are open: ask for changes now and then instead",
          retryAfter: Self.keepAliveInterval)
      }
      let id = state.add(Stream(device: device, lastSaid: now))
      // It holds this object until the last stream is closed.
      if state.watcher == nil { state.watcher = Task(executorPreference: tasks) { await self.watch() } }
      return id
    }
    return SignalStream(id: id, streams: self)
  }

  /// A write of this person is durable, and left the head there. Calls may overtake each other: a head never goes back.
  func onHead(_ head: Int64, of person: String) {
    tell({ $0.idsByPerson[person] }) { stream in
      stream.head = max(stream.head ?? head, head)
    }
  }

  /// Something is there, or has changed, for a device as a companion.
  func onNotice(for device: String) {
    tell({ $0.idsByDevice[device] }) { stream in
      stream.hasNotice = true
    }
  }

  /// The device's token was revoked: its streams end.
  func onRevoked(_ device: String) {
    tell({ $0.idsByDevice[device] }) { stream in
      if stream.end == nil { stream.end = .revoked }
    }
  }

  /// Every stream ends, and none is opened any more.
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
          precondition(stream.reader == nil, "stream \(id) is read by two at once")
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
  /// Changes some streams, then lets those speak that have something to say.
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
    // Sleeping fails when the last stream was closed, or the hub stops: then there is nothing to watch for.
    var unreadLooks = 0
    while (try? await clock.sleep(for: Self.pollInterval)) != nil, !Task.isCancelled {
      unreadLooks = hints.isHearing && unreadLooks < Self.looksWithHints ? unreadLooks + 1 : 0
      await look(readsHeads: unreadLooks == 0 && !isAlone.load(ordering: .relaxed))
      endSilences()
    }
  }

  /// Looks once for what other processes did to those whose turn it is.
  private func look(readsHeads: Bool) async {
    let devices = state.withLock { state in
      if state.round.isEmpty { state.round = state.streams.keys.sorted(by: >) }
      let ids = state.round.suffix(Self.looksAtOnce)
      state.round.removeLast(ids.count)
      return Set(ids.compactMap { state.streams[$0]?.device })
    }
    for person in Set(devices.map(\.person)).sorted() where readsHeads {
      // A storage that does not answer now is asked again later; a request meanwhile says what is wrong with it.
      if let head = try? await store.read(person: person, { try $0.state().head }) { onHead(head, of: person) }
    }
    // As above.
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

  /// Lets those speak who have said nothing for too long.
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
      detail: "\(detail): close one, or ask for changes now and then", retryAfter: SignalStreams.keepAliveInterval)
  }
}

/// One open stream. Whoever holds it reads it; let go, it is closed.
final class SignalStream: Sendable {
  private let id: UInt64
  private let streams: SignalStreams

  fileprivate init(id: UInt64, streams: SignalStreams) {
    self.id = id
    self.streams = streams
  }

  deinit { streams.close(id) }

  /// The next piece, `nil` at the end or when the task is cancelled. One reader at a time.
  func next() async -> Data? { await streams.next(id) }
}
