public import TrendyModels

/// Observer to which a push reports the failures that interrupt it.
///
/// The outcome `.tryLater` does not distinguish a busy hub from an unreachable one or from rate limiting, but the
/// caller needs the difference to schedule the next push. The default push reports such failures to ``current``. A
/// client that throws a failure need not report it.
public final class PushObservation: Sendable {
  /// Observer of the pushes in this task, or `nil`.
  ///
  /// A class instance rather than a closure, because optimised code of Swift 6.3.1 crashes when it binds a closure to a
  /// task-local value.
  @TaskLocal public static var current: PushObservation?

  private let hear: @Sendable (APIError) -> Void

  /// Creates an observer.
  ///
  /// - Parameter hear: called with each transient failure, in the task of the push and before the push returns.
  public init(_ hear: @escaping @Sendable (APIError) -> Void) {
    self.hear = hear
  }

  /// Reports a failure after which the push can be retried.
  public func onTransientFailure(_ error: APIError) { hear(error) }
}
