#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs synchronous work on a second thread.
///
/// The caller must call ``join()`` exactly once, and must not access state that the work uses before ``join()``
/// returns.
final class JoinableThread<Success> {
  private final class Outcome { var result: Result<Success, any Error>? }

  private let outcome: Outcome
  /// The thread, or `nil` if it could not be created and the initializer ran the work.
  private let thread: pthread_t?

  init(_ work: @escaping () throws -> Success) {
    let outcome = Outcome()
    self.outcome = outcome
    let body = ThreadBody { outcome.result = Result { try work() } }
    thread = body.start()
    if thread == nil { body.run() }
  }

  /// Waits until the work has finished and returns its result, or throws its error.
  func join() throws -> Success {
    if let thread { pthread_join(thread, nil) }
    guard let result = outcome.result else { preconditionFailure("the thread has not ended") }
    return try result.get()
  }
}

/// Type-erased work that a C function can run.
private final class ThreadBody {
  let run: () -> Void

  init(_ run: @escaping () -> Void) { self.run = run }

  func start() -> pthread_t? {
    let argument = Unmanaged.passRetained(self)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(
      &thread, nil,
      { argument in
        let argument: UnsafeMutableRawPointer? = argument
        if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, argument.toOpaque())
    guard code == 0 else {
      argument.release()
      return nil
    }
    return thread
  }
}
