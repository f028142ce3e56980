public import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The one way time comes in: what the date is, how much has passed, and waiting.
///
/// One seam for all three, as `any Clock<Duration>` tells neither the date nor, as an existential, a difference of two instants.
public protocol TimeSource: Sendable {
  /// The date by the machine's clock, which may jump.
  var now: Date { get }

  /// Time since some fixed moment; never jumps and never goes back.
  var uptime: Duration { get }

  /// How long this machine has run, which no setting of its clock changes; `nil`, the default, where that is not known.
  var boot: BootTime? { get }

  /// Returns when `duration` of uptime has passed.
  /// - Throws: `CancellationError` when the task is cancelled, at once.
  func sleep(for duration: Duration) async throws
}

extension TimeSource {
  public var boot: BootTime? { nil }
}

/// Time since a boot of the machine, the same in all its processes.
public struct BootTime: Hashable, Sendable {
  /// Names the boot.
  public var id: String
  public var elapsed: Duration

  public init(id: String, elapsed: Duration) {
    self.id = id
    self.elapsed = elapsed
  }
}

/// The machine's own time.
public struct SystemTime: TimeSource {
  private let start = ContinuousClock.now

  public init() {}

  public var now: Date { Date() }

  /// Since this value was made, time asleep included.
  public var uptime: Duration { ContinuousClock.now - start }

  /// On Linux, where the kernel names its boots.
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
    /// It does not change while a process runs.
    private static let bootId: String? = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id").map {
      String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace }
    }
  #endif

  public func sleep(for duration: Duration) async throws {
    try await Task.sleep(for: duration, clock: .continuous)
  }
}
