#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The one way time comes in: what the date is, how much has passed, and waiting.
///
/// One seam for all three, as `any Clock<Duration>` tells neither the date nor, as an existential, a difference of two instants.
public protocol TimeSource: Sendable {
  /// The date by the machine's clock, which may jump.
  var now: Date { get }

  /// Time since some fixed moment; never jumps and never goes back.
  var uptime: Duration { get }

  /// Returns when `duration` of uptime has passed.
  /// - Throws: `CancellationError` when the task is cancelled, at once.
  func sleep(for duration: Duration) async throws
}

/// The machine's own time.
public struct SystemTime: TimeSource {
  private let start = ContinuousClock.now

  public init() {}

  public var now: Date { Date() }

  /// Since this value was made, time asleep included.
  public var uptime: Duration { ContinuousClock.now - start }

  public func sleep(for duration: Duration) async throws {
    try await Task.sleep(for: duration, clock: .continuous)
  }
}
