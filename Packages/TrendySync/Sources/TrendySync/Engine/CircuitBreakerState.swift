/// Whether pushes to the hub are allowed.
public enum CircuitBreakerState: String, Hashable, Sendable, CaseIterable {
  /// Pushes are allowed.
  case closed
  /// Pushes are suspended for the time that the hub requested.
  case open
  /// The next push is a probe whose result closes or opens the breaker.
  case halfOpen
}
