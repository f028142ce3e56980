/// What sync is doing, or how its last round ended.
public enum SyncState: Hashable, Sendable {
  /// Nothing, and the last round came to its end.
  case idle
  /// Sending: so many of so many mutations are settled.
  case syncing(synced: Int, total: Int)
  /// Taking in what others wrote.
  case pulling
  /// The hub asked to be left alone for so long; so many mutations wait.
  case rateLimited(retryAfter: Duration, pending: Int)
  /// In plain words: what happened, what waits here, what to do. Having no network is one of these; see
  /// ``SyncEngine/isOffline``, and ``SyncEngine/lastFailure`` for a value to switch on.
  case error(String)
}
