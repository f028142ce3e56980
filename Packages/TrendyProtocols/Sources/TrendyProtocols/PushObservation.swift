public import TrendyModels

/// Observer that receives the failures that interrupt a push.
///
/// The outcome `.tryLater` does not show whether the hub is busy, unreachable or rate-limiting, but the caller needs
/// the reason to schedule the next push. The default push reports such failures to ``current``. A client need not
/// report failures that it throws.
public final class PushObservation: Sendable {
  /// Observer of the pushes in this task, if there is one.
  ///
  /// A class instance rather than a closure, because optimized code from Swift 6.3.1 crashes when a closure is bound to
  /// a task-local value.
  @TaskLocal public static var current: PushObservation?

  private let hear: @Sendable (APIError) -> Void

  /// Creates an observer.
  ///
  /// - Parameter hear: called for each transient failure, in the push's task and before the push returns.
  public init(_ hear: @escaping @Sendable (APIError) -> Void) {
    self.hear = hear
  }

  /// Reports a failure after which the push can be retried.
  public func onTransientFailure(_ error: APIError) { hear(error) }
}
