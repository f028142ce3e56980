import Foundation
import Synchronization
import TrendyProtocols

/// One device's clock: its date may be wrong and may jump; time itself passes as everywhere.
final class DeviceClock: TimeSource {
  private let base: any TimeSource
  private let offset = Mutex<TimeInterval>(0)

  init(_ base: any TimeSource) { self.base = base }

  var now: Date { base.now.addingTimeInterval(offset.withLock { $0 }) }
  var uptime: Duration { base.uptime }
  func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }

  /// Seconds that the date is ahead of the world's.
  func setOffset(_ seconds: TimeInterval) { offset.withLock { $0 = seconds } }
}
