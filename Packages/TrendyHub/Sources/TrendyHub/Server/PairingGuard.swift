/// Decides who may try a pairing code: a code has eight digits, so guessing must be slow.
struct PairingGuard: Hashable, Sendable {
  static let window: Duration = .seconds(600)
  static let triesPerAddress = 5
  static let triesInAll = 100

  private var failures: [String: [Duration]] = [:]

  /// How long an address has to wait; `nil` when it may try now.
  mutating func delay(address: String, now: Duration) -> Duration? {
    forget(now: now)
    let own = failures[address] ?? []
    let all = failures.values.flatMap { $0 }.sorted()
    // The wait ends when enough of the failures are no longer counted.
    var delay: Duration?
    if own.count >= Self.triesPerAddress { delay = own[own.count - Self.triesPerAddress] + Self.window - now }
    if all.count >= Self.triesInAll {
      delay = max(delay ?? .zero, all[all.count - Self.triesInAll] + Self.window - now)
    }
    return delay
  }

  mutating func onFailure(address: String, now: Duration) {
    failures[address, default: []].append(now)
  }

  private mutating func forget(now: Duration) {
    for (address, times) in failures {
      let kept = times.filter { now - $0 < Self.window }
      failures[address] = kept.isEmpty ? nil : kept
    }
  }
}
