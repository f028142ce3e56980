/// Decides when a shortage that lasts is logged: when it begins, and once a minute.
struct ShortageNotice: Hashable, Sendable {
  static let interval: Duration = .seconds(60)

  private var last: Duration?

  /// - Returns: whether to log it.
  mutating func onShortage(now: Duration) -> Bool {
    if let last, now - last < Self.interval { return false }
    last = now
    return true
  }
}
