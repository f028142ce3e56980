/// Decides who may try a pairing code: a code has eight digits, so guessing must be slow.
///
/// Failures are counted for each subscriber alone (``NetworkAddress/subscriber``), so that a guesser keeps nobody else from pairing.
/// With five tries in ten minutes, and a code good for as long, a hundred thousand addresses find a given code with a chance of one
/// in two hundred.
struct PairingGuard: Hashable, Sendable {
  static let window: Duration = .seconds(600)
  static let triesPerAddress = 5
  /// Subscribers remembered at once: about a megabyte.
  static let capacity = 10_000

  /// Times of the last failures, rising, at most ``triesPerAddress`` each.
  private var failures: [String: [Duration]] = [:]

  /// How long an address has to wait; `nil` when it may try now.
  mutating func delay(address: String, now: Duration) -> Duration? {
    let recent = (failures[Self.key(address)] ?? []).filter { now - $0 < Self.window }
    // The wait ends when the first of the failures is no longer counted.
    guard recent.count >= Self.triesPerAddress, let first = recent.first else { return nil }
    return first + Self.window - now
  }

  mutating func onFailure(address: String, now: Duration) {
    let key = Self.key(address)
    if failures[key] == nil, failures.count >= Self.capacity { makeRoom(now: now) }
    let recent = (failures[key] ?? []).filter { now - $0 < Self.window }
    failures[key] = recent.suffix(Self.triesPerAddress - 1) + [now]
  }

  /// Forgets what is no longer counted, and of the rest the half that failed least recently.
  private mutating func makeRoom(now: Duration) {
    failures = failures.filter { _, times in times.last.map { now - $0 < Self.window } ?? false }
    guard failures.count >= Self.capacity else { return }
    let latest = failures.sorted { ($0.value.last ?? .zero, $0.key) > ($1.value.last ?? .zero, $1.key) }
    failures = Dictionary(latest.prefix(Self.capacity / 2).map { ($0.key, $0.value) }) { first, _ in first }
  }

  private static func key(_ address: String) -> String {
    NetworkAddress(address).map { "\($0.subscriber)" } ?? address
  }
}
