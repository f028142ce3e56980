import Synchronization
import TrendyProtocols

/// Checks that the main work turns, a check for each part of it. A part that hangs never answers, and the service manager, which
/// then hears nothing more, ends the process and starts it anew.
final class Vitals: Sendable {
  typealias Check = @Sendable () async throws -> Void

  private let checks = Mutex<[ServiceManager.Part: Check]>([:])

  func set(_ check: Check?, of part: ServiceManager.Part) { checks.withLock { $0[part] = check } }

  /// Notifies the manager as often as it wants to be, each time that all parts have answered, until the task is cancelled.
  func report(to manager: ServiceManager, clock: any TimeSource, warn: (String) -> Void) async {
    guard let interval = manager.heartbeatInterval else { return }
    while !Task.isCancelled {
      let all = checks.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
      do {
        for check in all { try await check() }
        manager.beat()
      } catch {
        // Cancelled is seen by the loop.
        if !(error is CancellationError) { warn("The watchdog's check failed: \(error)") }
      }
      try? await clock.sleep(for: interval)
    }
  }
}
