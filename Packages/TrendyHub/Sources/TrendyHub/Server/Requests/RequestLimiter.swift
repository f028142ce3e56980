/// Rate limit of each device: a minute's requests at once, then evenly spaced.
///
/// Uses the generic cell rate algorithm (ITU-T I.371), which stores one time per device: when its past requests, evenly
/// spaced, would end.
struct RequestLimiter: Hashable, Sendable {
  private let interval: Duration
  private let tolerance: Duration
  private var evenAt: [String: Duration] = [:]
  /// Number of stored devices at which expired ones are removed; doubles with the number of active devices.
  private var mostRemembered = 1024

  /// Creates a limiter; `requestsPerMinute` is at least 1.
  init(requestsPerMinute: Int) {
    let rate = max(1, requestsPerMinute)
    interval = .seconds(60) / rate
    tolerance = interval * (rate - 1)
  }

  /// Counts a request and returns `nil`, or returns the time to wait if the limit is exceeded.
  ///
  /// A request beyond the limit is not counted.
  mutating func onRequest(of device: String, now: Duration) -> Duration? {
    let even = max(evenAt[device] ?? now, now)
    guard even - now <= tolerance else { return even - now - tolerance }
    // Devices whose time has passed need not be stored.
    if evenAt.count >= mostRemembered {
      evenAt = evenAt.filter { $0.value > now }
      mostRemembered = max(1024, 2 * evenAt.count)
    }
    evenAt[device] = even + interval
    return nil
  }
}
