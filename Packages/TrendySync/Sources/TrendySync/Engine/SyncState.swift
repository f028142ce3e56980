/// Activity of sync, or the result of its last round.
public enum SyncState: Hashable, Sendable {
  /// No activity; the last round was successful.
  case idle
  /// Pushing: number of mutations with an outcome, and their total.
  case syncing(synced: Int, total: Int)
  /// Pulling changes of other devices.
  case pulling
  /// The hub limits the rate: remaining delay, and number of pending mutations.
  case rateLimited(retryAfter: Duration, pending: Int)
  /// Message for the user: the failure, the pending mutations, and what to do.
  ///
  /// Covers a missing network too. ``SyncEngine/isOffline`` and ``SyncEngine/lastFailure`` give the failure as a value.
  case error(String)
}
