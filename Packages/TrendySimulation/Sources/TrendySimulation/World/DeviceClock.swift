import Foundation
import Synchronization
import TrendyProtocols

/// One machine's clock: its date may be wrong and may jump; time itself passes as everywhere.
final class DeviceClock: TimeSource {
  private let base: any TimeSource
  private let offset = Mutex<TimeInterval>(0)
  /// Since when the machine runs, and its how-many-th run that is; `nil` where it does not tell.
  private let start: Mutex<(boot: Int, at: Duration)?>

  private let name: String

  /// - Parameter tellsBoot: whether the machine tells how long it has run.
  init(_ base: any TimeSource, name: String, tellsBoot: Bool = false) {
    self.base = base
    self.name = name
    start = Mutex(tellsBoot ? (1, base.uptime) : nil)
  }

  var boot: BootTime? {
    let uptime = base.uptime
    return start.withLock { start in
      start.map { BootTime(id: "\(name)-\($0.boot)", elapsed: uptime - $0.at) }
    }
  }

  /// The machine was switched off and on.
  func restart() {
    let uptime = base.uptime
    start.withLock { start in start = start.map { ($0.boot + 1, uptime) } }
  }

  var now: Date { base.now.addingTimeInterval(offset.withLock { $0 }) }
  var uptime: Duration { base.uptime }
  func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }

  /// Seconds that the date is ahead of the world's.
  func setOffset(_ seconds: TimeInterval) { offset.withLock { $0 = seconds } }
}
