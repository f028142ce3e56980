import Foundation
import Synchronization
import TrendyProtocols

/// The open streams that tell devices where their person's head is, as `text/event-stream` (WHATWG HTML, 9.2).
///
/// A stream never has more than one thing to say: what happens while its reader is slow takes the place of what it would have
/// been told, so nothing queues. Nothing runs and nothing is read while no stream is open.
final class SignalStreams: Sendable {
  /// Streams open at once of one device, and of all.
  static let limits = (device: 4, hub: 256)
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
    var nextId: UInt64 = 0
    var isStopped = false
    var watcher: Task<Void, Never>?
  }

  private let store: HubStore
  private let clock: any TimeSource
  private let hints: HubHintLine
  private let state = Mutex(State())

  init(store: HubStore, clock: any TimeSource, hints: HubHintLine = HubHintLine()) {
    self.store = store
    self.clock = clock
    self.hints = hints
  }

  func isOpen(for person: String) -> Bool {
    state.withLock { $0.streams.values.contains { $0.device.person == person } }
  }

  /// How many are open.
  var count: Int { state.withLock { $0.streams.count } }

  /// Opens a stream; it is told of every head from now on, and closed when it is let go.
  /// - Throws: a ``Problem`` with status 429 or 503 when there are too many, or the hub stops.
  func open(for device: HubDevice) throws(Problem) -> SignalStream {
    let now = clock.uptime
    let id = try state.withLock { state throws(Problem) in
      guard !state.isStopped else { throw .busy("this hub is shutting down") }
      guard state.streams.values.count(where: { $0.device.id == device.id }) < Self.limits.device else {
        throw Problem(
          "rate_limited", status: 429, title: "Too many streams",
          detail:
            "\"\(device.name)\" has \(Self.limits.device) streams open: close one, or ask for changes now and then",
          retryAfter: Self.keepAliveInterval)
      }
      guard state.streams.count < Self.limits.hub else {
        throw Problem(
          "unavailable", status: 503, title: "Service unavailable",
          detail: "\(Self.limits.hub) streams are open: ask for changes now and then instead",
          retryAfter: Self.keepAliveInterval)
      }
      state.nextId += 1
      state.streams[state.nextId] = Stream(device: device, lastSaid: now)
      // It holds this object until the last stream is closed.
      if state.watcher == nil { state.watcher = Task { await self.watch() } }
      return state.nextId
    }
    return SignalStream(id: id, streams: self)
  }

  /// A write of this person is durable, and left the head there. Calls may overtake each other: a head never goes back.
  func onHead(_ head: Int64, of person: String) {
    tell { stream in
      if stream.device.person == person { stream.head = max(stream.head ?? head, head) }
    }
  }

  /// Something is there, or has changed, for a device as a companion.
  func onNotice(for device: String) {
    tell { stream in
      if stream.device.id == device { stream.hasNotice = true }
    }
  }

  /// Every stream ends, and none is opened any more.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.watcher?.cancel()
    }
    tell { stream in
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
      state.streams[id] = nil
      guard state.streams.isEmpty else { return }
      state.watcher?.cancel()
      state.watcher = nil
    }
  }
}

extension SignalStreams {
  /// Changes every stream, then lets those speak that have something to say.
  private func tell(_ change: (inout Stream) -> Void) {
    let now = clock.uptime
    let readers = state.withLock { state in
      var readers: [(CheckedContinuation<Data?, Never>, Saying)] = []
      for id in state.streams.keys.sorted() {
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
      await look(readsHeads: unreadLooks == 0)
    }
  }

  /// Looks once for what other processes did, and for streams that have been silent for too long.
  private func look(readsHeads: Bool) async {
    let devices = state.withLock { Set($0.streams.values.map(\.device)) }
    var heads: [String: Int64] = [:]
    for person in Set(devices.map(\.person)) where readsHeads {
      // A storage that does not answer now is asked again in a second; a request meanwhile says what is wrong with it.
      heads[person] = try? await store.read(person: person) { try $0.state().head }
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
    tell { stream in
      if let head = heads[stream.device.person] { stream.head = max(stream.head ?? head, head) }
      if stream.end == nil, revoked?.contains(stream.device) == true { stream.end = .revoked }
    }
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
