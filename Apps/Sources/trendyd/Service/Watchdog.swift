import Synchronization
import TrendyProtocols

/// Watchdog that checks whether all parts of the daemon respond. If one hangs, heartbeats stop and the service manager
/// restarts the process.
final class Watchdog: Sendable {
  typealias Check = @Sendable () async throws -> Void

  private let checks = Mutex<[ServiceManager.Part: Check]>([:])

  func set(_ check: Check?, of part: ServiceManager.Part) { checks.withLock { $0[part] = check } }

  /// Checks all parts at the interval required by the service manager until the task is cancelled. Sends a heartbeat
  /// each time all of them have responded.
  func report(to manager: ServiceManager, clock: any TimeSource, warn: (String) -> Void) async {
    guard let interval = manager.heartbeatInterval else { return }
    while !Task.isCancelled {
      let all = checks.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
      do {
        for check in all { try await check() }
        manager.beat()
      } catch {
        // Cancellation ends the loop and is not a failed check.
        if !(error is CancellationError) { warn("Watchdog check failed: \(error)") }
      }
      try? await clock.sleep(for: interval)
    }
  }
}
