/// Decides when pushes to a rate-limiting hub may resume. Does not read a clock, because ``SyncEngine`` passes in the
/// uptime.
///
/// Three rate-limited responses in a row open the breaker: for 30 seconds the first time, then for 60, 120, 240 and
/// 300, and never for less than the hub requested. Afterwards the breaker is half-open: one probe either closes the
/// breaker or opens it for the next, longer period.
package struct CircuitBreaker: Hashable, Sendable {
  private enum Phase: Hashable {
    case closed
    /// Open until this uptime, half-open afterwards.
    case openUntil(Duration)
  }

  /// Number of consecutive rate-limited responses that opens the breaker.
  package static let limit = 3
  /// Durations of successive openings. The last duration repeats.
  package static let delays: [Duration] = [30, 60, 120, 240, 300].map { .seconds($0) }

  private var phase = Phase.closed
  private var rateLimitsInARow = 0
  /// Number of openings since the last success.
  private var openings = 0

  package init() {}

  package func state(at uptime: Duration) -> CircuitBreakerState {
    switch phase {
    case .closed: .closed
    case .openUntil(let end): uptime < end ? .open : .halfOpen
    }
  }

  package func remaining(at uptime: Duration) -> Duration {
    if case .openUntil(let end) = phase { max(.zero, end - uptime) } else { .zero }
  }

  /// Records a response with status 429, to a push or to any other request.
  package mutating func onRateLimited(retryAfter: Duration?, at uptime: Duration) {
    switch state(at: uptime) {
    case .closed:
      rateLimitsInARow += 1
      if rateLimitsInARow >= Self.limit { open(retryAfter: retryAfter, at: uptime) }
    case .halfOpen:
      open(retryAfter: retryAfter, at: uptime)
    case .open:
      // The 429 answered another request, because pushes are suspended. The breaker stays open at least as long as the
      // hub requested, but this does not count as another opening.
      phase = .openUntil(uptime + max(remaining(at: uptime), retryAfter ?? .zero))
    }
  }

  /// Closes the breaker after a successful push, or a successful pull with an empty queue. Has no effect while it is
  /// open.
  package mutating func onSuccess(at uptime: Duration) {
    guard state(at: uptime) != .open else { return }
    self = CircuitBreaker()
  }

  /// Closes the breaker because the user retries manually. If the hub is still overloaded, the breaker reopens for
  /// longer than last time.
  package mutating func onReset() {
    phase = .closed
    rateLimitsInARow = 0
  }

  private mutating func open(retryAfter: Duration?, at uptime: Duration) {
    let delay = Self.delays[min(openings, Self.delays.count - 1)]
    openings += 1
    rateLimitsInARow = 0
    phase = .openUntil(uptime + max(delay, retryAfter ?? .zero))
  }
}
