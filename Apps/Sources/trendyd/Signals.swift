#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Foundation

/// Handlers for SIGINT and SIGTERM, which end the daemon, and SIGHUP, which reopens the log file and reloads the
/// configuration.
///
/// Blocking the signals and waiting for them does not work: an async `main` waits in `dispatch_main`, which unblocks
/// them on the main thread.
enum Signals {
  /// Pipe from the signal handlers to the thread started by ``termination(atMost:onHangUp:onTimeout:)``.
  ///
  /// Set once by ``take()``, before any handler is installed or thread started. A signal handler must not access an
  /// array, so these are two integers.
  private nonisolated(unsafe) static var readingEnd: Int32 = -1
  private nonisolated(unsafe) static var writingEnd: Int32 = -1

  /// Installs the handlers for SIGINT and SIGTERM. Must be called before any thread is started.
  static func take() {
    var ends: [Int32] = [-1, -1]
    // If no pipe can be created, the signals terminate the process immediately.
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A handler must not block. A full pipe already contains enough signals.
    _ = fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK)
    (readingEnd, writingEnd) = (ends[0], ends[1])
    for number in [SIGINT, SIGTERM] { handle(number) }
  }

  /// Installs the handler for SIGHUP. Only for a process with a log file.
  static func takeHangUp() { if writingEnd >= 0 { handle(SIGHUP) } }

  private static func handle(_ number: Int32) {
    signal(number) { number in
      let error = errno
      var byte = UInt8(truncatingIfNeeded: number)
      write(Signals.writingEnd, &byte, 1)
      errno = error
    }
  }

  /// Waits for a termination signal or cancellation of the task.
  ///
  /// After a termination signal, a separate thread waits for the grace period and then calls `onTimeout`. The process
  /// thus exits even if all other threads are blocked by a disk or a log reader. A second signal calls `onTimeout`
  /// immediately.
  static func termination(
    atMost grace: Duration, onHangUp: @escaping @Sendable () -> Void, onTimeout: @escaping @Sendable () -> Void
  ) async {
    let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
    let end = readingEnd
    if end >= 0 {
      let thread = Thread {
        var isEnding = false
        while let number = next(from: end) {
          if number == SIGHUP {
            onHangUp()
          } else if isEnding {
            onTimeout()
          } else {
            isEnding = true
            continuation.finish()
            Thread.detachNewThread {
              Thread.sleep(forTimeInterval: grace / .seconds(1))
              onTimeout()
            }
          }
        }
      }
      thread.name = "trendy-signals"
      thread.start()
    }
    for await _ in asked {}
  }

  private static func next(from end: Int32) -> Int32? {
    var byte: UInt8 = 0
    while true {
      let count = read(end, &byte, 1)
      if count == 1 { return Int32(byte) }
      if count == 0 || errno != EINTR { return nil }
    }
  }
}
