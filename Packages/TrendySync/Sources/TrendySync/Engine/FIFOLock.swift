/// Lock that admits one caller at a time, in order of arrival. It is part of an actor's state and needs no
/// synchronization.
struct FIFOLock {
  private(set) var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Acquires the lock if it is free. On `false`, the caller must await ``wait(_:)``.
  mutating func take() -> Bool {
    if isTaken { return false }
    isTaken = true
    return true
  }

  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  /// Passes the lock to the caller that has waited longest, or releases the lock if no caller is waiting.
  mutating func leave() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
