/// Whether pushes to the hub are allowed.
public enum CircuitBreakerState: String, Hashable, Sendable, CaseIterable {
  /// Pushes are allowed.
  case closed
  /// Pushes are suspended for a limited time.
  case open
  /// The next push is a probe whose result closes or opens the breaker.
  case halfOpen
}
