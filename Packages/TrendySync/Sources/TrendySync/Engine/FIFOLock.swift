/// Lock that admits one caller at a time, in order of arrival. Needs no synchronization because it is part of an
/// actor's state.
struct FIFOLock {
  private(set) var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Acquires the lock if it is free.
  /// - Returns: Whether the caller has acquired the lock. If not, the caller must call ``wait(_:)``.
  mutating func take() -> Bool {
    if isTaken { return false }
    isTaken = true
    return true
  }

  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  /// Passes the lock to the caller that has been waiting longest, or releases it if no caller is waiting.
  mutating func leave() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
