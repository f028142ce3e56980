#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Foundation

/// Signal handling: SIGINT and SIGTERM terminate, SIGHUP reopens the log file.
///
/// Signals are handled and not blocked, because `dispatch_main`, in which an async `main` waits, unblocks them on the
/// main thread.
enum Signals {
  /// Pipe from the handlers to the thread of ``termination(atMost:onHangUp:onTimeout:)``. Set once by ``take()``,
  /// before there is a handler or a second thread; plain integers, because a handler must not access an array.
  private nonisolated(unsafe) static var readingEnd: Int32 = -1
  private nonisolated(unsafe) static var writingEnd: Int32 = -1

  /// Installs the handlers. Call this before any thread is created.
  static func take() {
    var ends: [Int32] = [-1, -1]
    // Without the pipe, the signals end the process as usual.
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A handler must not block on a full pipe; the signals in it are sufficient.
    _ = fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK)
    (readingEnd, writingEnd) = (ends[0], ends[1])
    for number in [SIGINT, SIGTERM] { handle(number) }
  }

  /// Handles SIGHUP as well, for a process with a log file.
  static func takeHangUp() { if writingEnd >= 0 { handle(SIGHUP) } }

  private static func handle(_ number: Int32) {
    signal(number) { number in
      let error = errno
      var byte = UInt8(truncatingIfNeeded: number)
      write(Signals.writingEnd, &byte, 1)
      errno = error
    }
  }

  /// Returns when the process is asked to terminate or the task is cancelled.
  ///
  /// A separate thread then calls `onTimeout` after the grace period, so that the process ends even if all other
  /// threads block on a disk or a log reader. A second signal calls it immediately.
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
