#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Foundation

/// The end that a person or the system asks for: SIGINT, SIGTERM.
enum Signals {
  /// Takes the signals away from every thread, so that only ``termination()`` gets them. Called before any thread is made.
  static func block() {
    var set = terminating()
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Returns when the process is asked to end, or the task is cancelled.
  static func termination() async {
    let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
    // A thread that does nothing but wait for a signal, and ends with it or with the process.
    Thread.detachNewThread {
      var set = terminating()
      var signal: Int32 = 0
      sigwait(&set, &signal)
      continuation.finish()
    }
    for await _ in asked {}
  }

  private static func terminating() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    sigaddset(&set, SIGTERM)
    return set
  }
}
