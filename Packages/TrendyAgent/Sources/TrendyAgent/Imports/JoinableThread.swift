#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Work on a thread of its own that is waited for: a second core for code that is not asynchronous.
///
/// Whoever starts it touches nothing that the work uses until ``join()`` has returned, and calls that once.
final class JoinableThread<Success> {
  private final class Outcome { var result: Result<Success, any Error>? }

  private let outcome: Outcome
  /// `nil` where the system had no thread to give: then the work was done at once.
  private let thread: pthread_t?

  init(_ work: @escaping () throws -> Success) {
    let outcome = Outcome()
    self.outcome = outcome
    let body = ThreadBody { outcome.result = Result { try work() } }
    thread = body.start()
    if thread == nil { body.run() }
  }

  /// Waits for the end of the work.
  /// - Returns: what it returned.
  /// - Throws: what it threw.
  func join() throws -> Success {
    if let thread { pthread_join(thread, nil) }
    guard let result = outcome.result else { preconditionFailure("a thread was waited for that has not ended") }
    return try result.get()
  }
}

/// The work without its type, so that a C function can run it.
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
