import Foundation
import Synchronization
import TrendyProtocols

/// Clock that advances only when a test advances it. Sleeping returns immediately.
final class FuzzClock: TimeSource {
  private let elapsed = Mutex(0.0)

  var now: Date { Date(timeIntervalSince1970: 1_704_067_200 + elapsed.withLock { $0 }) }
  var uptime: Duration { .seconds(elapsed.withLock { $0 }) }
  func sleep(for duration: Duration) async throws {}
  func advance(by seconds: Double) { elapsed.withLock { $0 += seconds } }
}
