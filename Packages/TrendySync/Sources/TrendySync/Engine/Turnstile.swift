/// Lets one after the other through, in the order they came. Part of an actor's state, so that nothing runs beside it.
struct Turnstile {
  private(set) var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Returns: whether it is the caller's turn at once; else the caller waits with ``wait(_:)``.
  mutating func take() -> Bool {
    if isTaken { return false }
    isTaken = true
    return true
  }

  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  /// Passes the turn on to who has waited longest.
  mutating func leave() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
