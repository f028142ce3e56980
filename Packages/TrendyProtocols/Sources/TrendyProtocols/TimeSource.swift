public import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Source of dates, elapsed time and delays.
///
/// One protocol for all three, because `any Clock<Duration>` provides no date and, as an existential, cannot subtract
/// instants.
public protocol TimeSource: Sendable {
  /// Date according to the machine's clock, which may jump.
  var now: Date { get }

  /// Monotonic time since an unspecified start.
  var uptime: Duration { get }

  /// Time since the machine's last boot, unaffected by clock changes. `nil`, the default, if unknown.
  var boot: BootTime? { get }

  /// Returns after `duration` of uptime.
  ///
  /// - Throws: `CancellationError` immediately when the task is cancelled.
  func sleep(for duration: Duration) async throws
}

extension TimeSource {
  public var boot: BootTime? { nil }
}

/// Time since a boot of the machine, the same in all processes.
public struct BootTime: Hashable, Sendable {
  /// Identifier of the boot.
  public var id: String
  public var elapsed: Duration

  public init(id: String, elapsed: Duration) {
    self.id = id
    self.elapsed = elapsed
  }
}

/// ``TimeSource`` that uses the machine's clocks.
public struct SystemTime: TimeSource {
  private let start = ContinuousClock.now

  public init() {}

  public var now: Date { Date() }

  /// Time since this value was created, including time when the machine was suspended.
  public var uptime: Duration { ContinuousClock.now - start }

  /// Time since boot on Linux, where the kernel assigns an id to each boot, or `nil` elsewhere.
  public var boot: BootTime? {
    #if os(Linux)
      guard let id = Self.bootId else { return nil }
      var time = timespec()
      guard clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return nil }
      return BootTime(id: id, elapsed: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    #else
      nil
    #endif
  }

  #if os(Linux)
    private static let bootId: String? = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id").map {
      String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace }
    }
  #endif

  public func sleep(for duration: Duration) async throws {
    try await Task.sleep(for: duration, clock: .continuous)
  }
}
