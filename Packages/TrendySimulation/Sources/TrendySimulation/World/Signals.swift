import TrendyModels

/// Signal streams from the hub to one device.
struct Signals {
  typealias Reader = AsyncThrowingStream<Int64, any Error>.Continuation

  private var readers: [Reader] = []
  private var silent: [Reader] = []
  private var saidHead: Int64?
  var areRefused = false

  mutating func open(_ reader: Reader, head: Int64?) {
    if let head { reader.yield(head) }
    saidHead = head
    readers.append(reader)
  }

  mutating func end() {
    for reader in readers + silent { reader.finish(throwing: APIError.networkError("the stream was closed")) }
    readers = []
    silent = []
  }

  mutating func silence() {
    silent += readers
    readers = []
  }

  mutating func tell(_ head: Int64) {
    guard head != saidHead else { return }
    saidHead = head
    readers.removeAll { reader in
      if case .terminated = reader.yield(head) { true } else { false }
    }
  }
}

/// Checks that a device respects `Retry-After`, and pauses pushes for 30 seconds after three rate-limited pushes in a
/// row.
struct BackoffChecker {
  private static let limit = 3
  private static let shortestBreak: Duration = .seconds(30)

  private var quietUntil: Duration = .zero
  private var openUntil: Duration = .zero
  private var refusedPushes = 0
  private var process: ObjectIdentifier?
  /// Whether rounds are automatic. A round that a user requests need not wait.
  var areExpected = false

  /// Returns a description of the error if a push is too early, otherwise `nil`.
  func onPush(at now: Duration, process: ObjectIdentifier) -> String? {
    let end = max(quietUntil, openUntil)
    guard areExpected, process == self.process, now < end else { return nil }
    return "\((end - now).components.seconds) s before the end of the backoff"
  }

  /// Handles a successful response. Without pending mutations, a successful pull also ends the rate limit.
  mutating func onAnswer(isPush: Bool, hasWaiting: Bool) {
    quietUntil = .zero
    if isPush || !hasWaiting { (refusedPushes, openUntil) = (0, .zero) }
  }

  mutating func onRateLimit(isPush: Bool, retryAfter: Duration?, at now: Duration, process: ObjectIdentifier) {
    // A new process does not know of earlier rate limits.
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

/// Period without network, with the number of requests that an automatically syncing device may make.
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

  /// Returns a description of the error if there are too many requests, otherwise `nil`.
  mutating func onRequest(at now: Duration, process: ObjectIdentifier) -> String? {
    requests += 1
    return excess(requests, "requests", now, process)
  }

  mutating func onStream(at now: Duration, process: ObjectIdentifier) -> String? {
    streams += 1
    return excess(streams, "streams", now, process)
  }

  /// Allows two requests per round. During the first eight rounds of a process, the interval between rounds grows to an
  /// average of two and a half minutes, of which jitter may remove more than half.
  private mutating func excess(_ count: Int, _ what: String, _ now: Duration, _ process: ObjectIdentifier) -> String? {
    processes.insert(process)
    let seconds = Int((now - start).components.seconds)
    guard count > processes.count * 30 + seconds / 25 else { return nil }
    return "made \(count) \(what) in an outage of \(seconds) s"
  }
}
