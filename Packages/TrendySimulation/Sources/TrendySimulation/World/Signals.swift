import TrendyModels

/// The streams of signals from the hub to one device.
struct Signals {
  typealias Reader = AsyncThrowingStream<Int64, any Error>.Continuation

  private var readers: [Reader] = []
  /// Open, and told of nothing.
  private var silent: [Reader] = []
  private var saidHead: Int64?
  /// Whether none can be opened.
  var areRefused = false

  mutating func open(_ reader: Reader, head: Int64?) {
    if let head { reader.yield(head) }
    saidHead = head
    readers.append(reader)
  }

  /// All break off.
  mutating func end() {
    for reader in readers + silent { reader.finish(throwing: APIError.networkError("the stream broke off")) }
    readers = []
    silent = []
  }

  /// Nothing more comes over those that are open.
  mutating func silence() {
    silent += readers
    readers = []
  }

  /// Says each head once.
  mutating func tell(_ head: Int64) {
    guard head != saidHead else { return }
    saidHead = head
    readers.removeAll { reader in
      if case .terminated = reader.yield(head) { true } else { false }
    }
  }
}

/// What a hub that asked to be left alone may expect: no push before the time it gave, and after three pushes in a row that met a
/// rate limit none for half a minute.
struct BackoffChecker {
  private static let limit = 3
  private static let shortestBreak: Duration = .seconds(30)

  /// In the world's uptime.
  private var quietUntil: Duration = .zero
  private var openUntil: Duration = .zero
  private var refusedPushes = 0
  private var process: ObjectIdentifier?
  /// Whether rounds come by themselves: a person who asks for one does not wait.
  var areExpected = false

  /// - Returns: what is wrong with pushing now; `nil` where nothing is.
  func onPush(at now: Duration, process: ObjectIdentifier) -> String? {
    let end = max(quietUntil, openUntil)
    guard areExpected, process == self.process, now < end else { return nil }
    return "\((end - now).components.seconds) s before the hub may be asked again"
  }

  /// - Parameter hasWaiting: whether anything waits to be pushed: if not, a pull that goes through says as much of the limit.
  mutating func onAnswer(isPush: Bool, hasWaiting: Bool) {
    quietUntil = .zero
    if isPush || !hasWaiting { (refusedPushes, openUntil) = (0, .zero) }
  }

  mutating func onRateLimit(isPush: Bool, retryAfter: Duration?, at now: Duration, process: ObjectIdentifier) {
    // A program that starts anew knows nothing of it.
    if self.process != process { self = BackoffChecker(process: process, areExpected: areExpected) }
    quietUntil = max(quietUntil, now + (retryAfter ?? .zero))
    guard isPush else { return }
    refusedPushes += 1
    if refusedPushes >= Self.limit { openUntil = now + Self.shortestBreak }
  }
}

extension BackoffChecker {
  private init(process: ObjectIdentifier, areExpected: Bool) {
    self.process = process
    self.areExpected = areExpected
  }
}

/// A time without a network, and what a device that syncs by itself may ask in it.
struct Outage {
  private(set) var end: Duration = .zero
  private var start: Duration = .zero
  private var requests = 0
  private var streams = 0
  private var processes: Set<ObjectIdentifier> = []

  mutating func begin(at now: Duration, lasting duration: Duration) {
    if now >= end { self = Outage(start: now) }
    end = max(end, now + duration)
  }

  init(start: Duration = .zero) { self.start = start }

  /// - Returns: what is wrong with asking once more; `nil` where nothing is.
  mutating func onRequest(at now: Duration, process: ObjectIdentifier) -> String? {
    requests += 1
    return excess(requests, "requests", now, process)
  }

  mutating func onStream(at now: Duration, process: ObjectIdentifier) -> String? {
    streams += 1
    return excess(streams, "streams", now, process)
  }

  /// Two requests a round; the first eight rounds of each life come faster and faster apart, then there are two and a half minutes
  /// between them on average, of which chance may take more than half.
  private mutating func excess(_ count: Int, _ what: String, _ now: Duration, _ process: ObjectIdentifier) -> String? {
    processes.insert(process)
    let seconds = Int((now - start).components.seconds)
    guard count > processes.count * 30 + seconds / 25 else { return nil }
    return "asked for \(count) \(what) in an outage of \(seconds) s"
  }
}
