public import TrendyModels

/// Lets the caller of a push hear which failure made it stop.
///
/// An outcome of `.tryLater` does not say whether the hub was busy, unreachable or rate limiting, and who decides when to push
/// again must know. The default push tells it here; a client that throws such a failure has told it already.
public enum PushObservation: Sendable {
  /// Called in the task of the push, before it returns; nobody listens unless the caller binds it.
  @TaskLocal public static var onTransientFailure: (@Sendable (APIError) -> Void)?
}
