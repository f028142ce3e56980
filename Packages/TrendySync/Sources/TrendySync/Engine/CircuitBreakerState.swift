/// Whether the hub may be pushed to.
public enum CircuitBreakerState: String, Hashable, Sendable, CaseIterable {
  /// Yes.
  case closed
  /// No: it asked to be left alone, and its time is not over.
  case open
  /// The time is over; the next request is a probe, and its answer decides.
  case halfOpen
}
