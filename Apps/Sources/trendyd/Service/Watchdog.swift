import Synchronization
import TrendyProtocols

/// Checks that each part of the daemon responds.
///
/// If a part hangs, the heartbeats to the service manager stop, and the manager restarts the process.
final class Watchdog: Sendable {
  typealias Check = @Sendable () async throws -> Void

  private let checks = Mutex<[ServiceManager.Part: Check]>([:])

  func set(_ check: Check?, of part: ServiceManager.Part) { checks.withLock { $0[part] = check } }

  /// Notifies the manager at the requested interval, each time after all parts have responded, until the task is
  /// cancelled.
  func report(to manager: ServiceManager, clock: any TimeSource, warn: (String) -> Void) async {
    guard let interval = manager.heartbeatInterval else { return }
    while !Task.isCancelled {
      let all = checks.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
      do {
        for check in all { try await check() }
        manager.beat()
      } catch {
        // The loop checks for cancellation.
        if !(error is CancellationError) { warn("Watchdog check failed: \(error)") }
      }
      try? await clock.sleep(for: interval)
    }
  }
}
