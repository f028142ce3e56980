/// Decides when a hub that rate limits may be pushed to again. It reads no clock: ``SyncEngine`` tells it the uptime.
///
/// Three rate limits in a row open it, for 30, 60, 120, 240, then 300 seconds, never for less than the hub asked. When the time
/// is over it is half open: one probe closes it or opens it for the next, longer time.
package struct CircuitBreaker: Hashable, Sendable {
  private enum Phase: Hashable {
    case closed
    /// Open until this uptime, half open from then on.
    case openUntil(Duration)
  }

  /// How many rate limits in a row open it.
  package static let limit = 3
  /// How long it stays open the first time, the second, …; the last one again and again.
  package static let delays: [Duration] = [30, 60, 120, 240, 300].map { .seconds($0) }

  private var phase = Phase.closed
  private var rateLimitsInARow = 0
  /// How often it opened since the last success.
  private var openings = 0

  package init() {}

  package func state(at uptime: Duration) -> CircuitBreakerState {
    switch phase {
    case .closed: .closed
    case .openUntil(let end): uptime < end ? .open : .halfOpen
    }
  }

  /// How long it stays open from now; zero when it is not.
  package func remaining(at uptime: Duration) -> Duration {
    if case .openUntil(let end) = phase { max(.zero, end - uptime) } else { .zero }
  }

  /// The hub said 429.
  package mutating func onRateLimited(retryAfter: Duration?, at uptime: Duration) {
    switch state(at: uptime) {
    case .closed:
      rateLimitsInARow += 1
      if rateLimitsInARow >= Self.limit { open(retryAfter: retryAfter, at: uptime) }
    case .halfOpen:
      open(retryAfter: retryAfter, at: uptime)
    case .open:
      // A pull met it meanwhile: no new opening, but what the hub asks for counts.
      phase = .openUntil(uptime + max(remaining(at: uptime), retryAfter ?? .zero))
    }
  }

  /// A push came through, or with an empty queue a pull. While it is open that says nothing: its time was given by the hub.
  package mutating func onSuccess(at uptime: Duration) {
    guard state(at: uptime) != .open else { return }
    self = CircuitBreaker()
  }

  /// A person wants to try now. If the hub still has enough, the next opening lasts longer than the last.
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
