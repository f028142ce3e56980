/// Decides when to log a continuing shortage: when it begins, then once a minute.
struct ShortageNotice: Hashable, Sendable {
  static let interval: Duration = .seconds(60)

  private var last: Duration?

  mutating func onShortage(now: Duration) -> Bool {
    if let last, now - last < Self.interval { return false }
    last = now
    return true
  }
}
