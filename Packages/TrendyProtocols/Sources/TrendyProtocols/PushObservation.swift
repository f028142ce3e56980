public import TrendyModels

/// Lets the caller of a push hear which failure made it stop.
///
/// An outcome of `.tryLater` does not say whether the hub was busy, unreachable or rate limiting, and who decides when to push
/// again must know. The default push tells it here; a client that throws such a failure has told it already.
public final class PushObservation: Sendable {
  /// Who listens to the pushes of this task; nobody unless the caller binds it.
  ///
  /// An object and not a closure: optimised code of Swift 6.3.1 crashes where it binds a closure to a task.
  @TaskLocal public static var current: PushObservation?

  private let hear: @Sendable (APIError) -> Void

  /// - Parameter hear: called in the task of the push, before it returns.
  public init(_ hear: @escaping @Sendable (APIError) -> Void) {
    self.hear = hear
  }

  public func onTransientFailure(_ error: APIError) { hear(error) }
}
