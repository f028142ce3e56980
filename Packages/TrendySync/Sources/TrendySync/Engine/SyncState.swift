/// Current sync activity, or the result of the last round.
public enum SyncState: Hashable, Sendable {
  /// No activity, and the last round did not fail.
  case idle
  /// Pushing, with the number of mutations that have an outcome and the total number.
  case syncing(synced: Int, total: Int)
  /// Pulling changes from other devices.
  case pulling
  /// The hub limits the request rate. Contains the remaining delay and the number of pending mutations.
  case rateLimited(retryAfter: Duration, pending: Int)
  /// Message for the user: the failure, the pending mutations, and what to do.
  ///
  /// Also covers a missing network. ``SyncEngine/isOffline`` and ``SyncEngine/lastFailure`` provide the failure as a
  /// value.
  case error(String)
}
