/// Rate limit for each device. Allows a burst of one minute's requests, then evenly spaced ones.
///
/// Uses the generic cell rate algorithm (ITU-T I.371), which stores one timestamp per device: the time at which its
/// past requests would end if they were evenly spaced.
struct RequestLimiter: Hashable, Sendable {
  private let interval: Duration
  private let tolerance: Duration
  private var evenAt: [String: Duration] = [:]
  /// Number of stored devices at which expired devices are removed. Grows to twice the number of active devices.
  private var maxRemembered = 1024

  /// Creates a limiter. `requestsPerMinute` is at least 1.
  init(requestsPerMinute: Int) {
    let rate = max(1, requestsPerMinute)
    interval = .seconds(60) / rate
    tolerance = interval * (rate - 1)
  }

  /// Returns `nil` if a request is allowed, otherwise the time to wait. Only allowed requests count.
  mutating func onRequest(of device: String, now: Duration) -> Duration? {
    let even = max(evenAt[device] ?? now, now)
    guard even - now <= tolerance else { return even - now - tolerance }
    if evenAt.count >= maxRemembered {
      evenAt = evenAt.filter { $0.value > now }
      maxRemembered = max(1024, 2 * evenAt.count)
    }
    evenAt[device] = even + interval
    return nil
  }
}
