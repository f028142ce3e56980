/// Admits one caller at a time, first in, first out. Part of an actor's state, which makes it safe.
struct FIFOLock {
  private(set) var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Takes the turn if it is free.
  /// - Returns: Whether the caller has the turn; if not, it must call ``wait(_:)``.
  mutating func take() -> Bool {
    if isTaken { return false }
    isTaken = true
    return true
  }

  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  /// Passes the turn to the caller that has waited longest.
  mutating func leave() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
