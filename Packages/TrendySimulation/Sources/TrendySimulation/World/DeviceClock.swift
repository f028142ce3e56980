import Foundation
import Synchronization
import TrendyProtocols

/// Clock of one machine. Its date may be wrong and may jump, but its uptime is exact.
final class DeviceClock: TimeSource {
  private let base: any TimeSource
  private let offset = Mutex<TimeInterval>(0)
  /// Number of the current boot and its start, or `nil` if the machine does not report boots.
  private let start: Mutex<(boot: Int, at: Duration)?>

  private let name: String

  /// Creates a clock. `tellsBoot` means that the machine reports its boot and uptime.
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

  func restart() {
    let uptime = base.uptime
    start.withLock { start in start = start.map { ($0.boot + 1, uptime) } }
  }

  var now: Date { base.now.addingTimeInterval(offset.withLock { $0 }) }
  var uptime: Duration { base.uptime }
  func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }

  /// Sets the difference between the machine's date and the real one, in seconds.
  func setOffset(_ seconds: TimeInterval) { offset.withLock { $0 = seconds } }
}
