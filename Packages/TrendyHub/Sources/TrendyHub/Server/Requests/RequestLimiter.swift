/// Decides whether a device may ask once more: a minute's worth at once, then evenly.
///
/// The generic cell rate algorithm (ITU-T I.371): of each device only the moment is kept at which what it has asked would
/// have been spread evenly.
struct RequestLimiter: Hashable, Sendable {
  private let interval: Duration
  private let tolerance: Duration
  private var evenAt: [String: Duration] = [:]
  /// So many devices are remembered before it is looked through: of many that ask at once not at each request.
  private var mostRemembered = 1024

  /// - Parameter requestsPerMinute: 1 or more.
  init(requestsPerMinute: Int) {
    let rate = max(1, requestsPerMinute)
    interval = .seconds(60) / rate
    tolerance = interval * (rate - 1)
  }

  /// Counts a request; how long to wait when it is one too many, which is then not counted.
  mutating func onRequest(of device: String, now: Duration) -> Duration? {
    let even = max(evenAt[device] ?? now, now)
    guard even - now <= tolerance else { return even - now - tolerance }
    // Whoever has asked nothing for a while is as good as new, and must not be kept for ever.
    if evenAt.count >= mostRemembered {
      evenAt = evenAt.filter { $0.value > now }
      mostRemembered = max(1024, 2 * evenAt.count)
    }
    evenAt[device] = even + interval
    return nil
  }
}
