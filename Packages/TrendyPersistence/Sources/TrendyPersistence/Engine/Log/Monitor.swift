#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A value that threads wait for to change: what a `Mutex` cannot do.
///
/// A struct, as `Mutex` is: the runtime makes the type of a generic class when it is first needed, which took a fifth of
/// an opening.
///
/// `@unchecked`: the value is only touched while the pthread mutex is held.
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
    guard pthread_mutex_init(mutex, nil) == 0, pthread_cond_init(changed, nil) == 0 else {
      preconditionFailure("no memory for a lock")
    }
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

  /// Changes the value and wakes who waits for it.
  func update<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return body(&value.pointee)
  }

  /// Waits until `body` gives a result.
  func wait<Result>(for body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value.pointee) { return result }
      pthread_cond_wait(changed, mutex)
    }
  }

  /// Waits until `body` gives a result, or gives up after `limit`.
  func wait<Result>(atMost limit: Duration, for body: (inout Value) -> Result?) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if let result = body(&value.pointee) { return result }
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    let (seconds, attoseconds) = limit.components
    let nanoseconds = Int64(deadline.tv_nsec) + attoseconds / 1_000_000_000
    deadline.tv_sec += Int(seconds + nanoseconds / 1_000_000_000)
    deadline.tv_nsec = Int(nanoseconds % 1_000_000_000)
    while true {
      let timedOut = pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT
      if let result = body(&value.pointee) { return result }
      if timedOut { return nil }
    }
  }
}
