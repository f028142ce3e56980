/// Current sync activity, or the result of the last round.
public enum SyncState: Hashable, Sendable {
  /// No activity, and the last round did not fail.
  case idle
  /// Pushing. `synced` mutations out of `total` already have an outcome.
  case syncing(synced: Int, total: Int)
  /// Pulling changes from other devices.
  case pulling
  /// The hub limits the request rate. Contains the remaining delay and the number of pending mutations.
  case rateLimited(retryAfter: Duration, pending: Int)
  /// Message for the user: the failure, the pending mutations, and what to do.
  ///
  /// Also used without a network. ``SyncEngine/lastFailure`` contains the failure as a value.
  case error(String)
}
