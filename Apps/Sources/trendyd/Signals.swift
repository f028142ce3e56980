#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Foundation

/// What a person or the system asks by signals: SIGINT and SIGTERM to end, SIGHUP to open the log file anew.
///
/// They are handled and not blocked: in `dispatch_main`, where an async `main` waits, the first thread of a process takes every
/// signal, whatever was blocked before.
enum Signals {
  /// The thread of ``termination(atMost:onHangUp:onTimeout:)`` reads from the one, and the handlers write to the other. Written once,
  /// by ``take()``, before there is a handler or a second thread; plain numbers, as a handler may not touch an array.
  private nonisolated(unsafe) static var readingEnd: Int32 = -1
  private nonisolated(unsafe) static var writingEnd: Int32 = -1

  /// From here on the process does not die of them. Called before any thread is made.
  static func take() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    // Without it they end the process as they always do.
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A handler that waited for room would wait for ever; the signals that are there say all.
    _ = fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK)
    (readingEnd, writingEnd) = (ends[0], ends[1])
    for number in [SIGINT, SIGTERM] { handle(number) }
  }

  /// SIGHUP no longer ends the process either: it has a log file that can be opened anew.
  static func takeHangUp() { if writingEnd >= 0 { handle(SIGHUP) } }

  private static func handle(_ number: Int32) {
    signal(number) { number in
      let error = errno
      var byte = UInt8(truncatingIfNeeded: number)
      write(Signals.writingEnd, &byte, 1)
      errno = error
    }
  }

  /// Returns when the process is or was asked to end, or the task is cancelled.
  ///
  /// From the asking on, a thread that waits for nothing else counts: what has not ended the process by then, `onTimeout` does. So it
  /// ends also where each thread of the process waits for a disk, or for somebody to read its log. Who asks again waits no longer.
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
