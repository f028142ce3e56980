#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Foundation

/// The end that a person or the system asks for: SIGINT, SIGTERM.
///
/// They are handled and not blocked: in `dispatch_main`, where an async `main` waits, the first thread of a process takes every
/// signal, whatever was blocked before.
enum Signals {
  /// What ``termination()`` reads from, and what the handlers write to. Written once, by ``take()``, before there is a handler or a
  /// second thread; plain numbers, as a handler may not touch an array.
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
    (readingEnd, writingEnd) = (ends[0], ends[1])
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in
        let error = errno
        var byte: UInt8 = 1
        write(Signals.writingEnd, &byte, 1)
        errno = error
      }
    }
  }

  /// Returns when the process is or was asked to end, or the task is cancelled.
  static func termination() async {
    let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
    let end = readingEnd
    // A thread that does nothing but wait for a signal, and ends with it or with the process.
    if end >= 0 {
      Thread.detachNewThread {
        var byte: UInt8 = 0
        while read(end, &byte, 1) < 0, errno == EINTR {}
        continuation.finish()
      }
    }
    for await _ in asked {}
  }
}
