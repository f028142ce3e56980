import Foundation
import Synchronization
import TrendyProtocols

/// Time that moves when told. Nobody sleeps in these stories; a sleep ends at once.
final class FuzzClock: TimeSource {
  private let elapsed = Mutex(0.0)

  var now: Date { Date(timeIntervalSince1970: 1_704_067_200 + elapsed.withLock { $0 }) }
  var uptime: Duration { .seconds(elapsed.withLock { $0 }) }
  func sleep(for duration: Duration) async throws {}
  func advance(by seconds: Double) { elapsed.withLock { $0 += seconds } }
}
