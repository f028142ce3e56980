#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Value protected by a lock, with a condition variable for waiting until it changes, which `Mutex` does not offer.
///
/// A struct, because instantiating a generic class at run time would take a fifth of the time to open a store.
///
/// `@unchecked`: the value is accessed only while the pthread mutex is locked.
struct Monitor<Value: Sendable>: ~Copyable, @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private let value: UnsafeMutablePointer<Value>

  init(_ value: Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    changed = .allocate(capacity: 1)
    changed.initialize(to: pthread_cond_t())
    guard pthread_mutex_init(mutex, nil) == 0, Self.initialize(changed) else {
      preconditionFailure("out of memory: cannot allocate a lock")
    }
  }

  /// Selects the monotonic clock, so that changing the system time does not affect waits.
  ///
  /// Darwin cannot select the clock of a condition variable, so ``waitForChange(until:)`` waits for a duration there.
  private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Bool {
    #if canImport(Darwin)
      return pthread_cond_init(condition, nil) == 0
    #else
      var attributes = pthread_condattr_t()
      guard pthread_condattr_init(&attributes) == 0 else { return false }
      defer { pthread_condattr_destroy(&attributes) }
      return pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0
        && pthread_cond_init(condition, &attributes) == 0
    #endif
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value.pointee)
  }

  func update<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return body(&value.pointee)
  }

  /// Blocks until `body` returns a non-`nil` value.
  func wait<Result>(for body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value.pointee) { return result }
      pthread_cond_wait(changed, mutex)
    }
  }

  /// Blocks until `body` returns a non-`nil` value, or returns `nil` after `limit`.
  func wait<Result>(atMost limit: Duration, for body: (inout Value) -> Result?) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if let result = body(&value.pointee) { return result }
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    let (seconds, attoseconds) = limit.components
    let nanoseconds = Int64(deadline.tv_nsec) + attoseconds / 1_000_000_000
    deadline.tv_sec += Int(seconds + nanoseconds / 1_000_000_000)
    deadline.tv_nsec = Int(nanoseconds % 1_000_000_000)
    while true {
      let timedOut = waitForChange(until: deadline)
      if let result = body(&value.pointee) { return result }
      if timedOut { return nil }
    }
  }

  /// Returns whether the deadline, a time on the monotonic clock, has passed.
  private func waitForChange(until deadline: timespec) -> Bool {
    #if canImport(Darwin)
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      var rest = timespec(tv_sec: deadline.tv_sec - now.tv_sec, tv_nsec: deadline.tv_nsec - now.tv_nsec)
      if rest.tv_nsec < 0 {
        rest.tv_sec -= 1
        rest.tv_nsec += 1_000_000_000
      }
      return rest.tv_sec < 0 || pthread_cond_timedwait_relative_np(changed, mutex, &rest) == ETIMEDOUT
    #else
      var deadline = deadline
      return pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT
    #endif
  }
}
