#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Handles Ctrl-C during work in steps: the first one ends it between two steps, the second one immediately.
public enum Interruption: Sendable {
  private static let flag = Atomic<Bool>(false)
  /// Pipe that becomes readable at the first interruption. Code that waits for input also waits for it, so that no
  /// interruption is missed between a check and the wait. -1 before ``wait()``.
  private static let wakeReader = Atomic<Int32>(-1)
  private static let wakeWriter = Atomic<Int32>(-1)

  /// Whether the user has interrupted since ``wait()``.
  public static var isAsked: Bool { flag.load(ordering: .relaxed) }

  /// Starts deferring interruptions until ``check(hint:)``.
  public static func wait() {
    // Created before a signal can arrive.
    flag.store(false, ordering: .relaxed)
    makeWakePipe()
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { _ in Interruption.noteSignal() }
    #else
      action.__sigaction_handler.sa_handler = { _ in Interruption.noteSignal() }
    #endif
    action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
    _ = sigaction(SIGINT, &action, nil)
    // The parent process may have blocked SIGINT, and the signal mask is inherited.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Signal handler; calls only async-signal-safe functions (POSIX, 2.4.3).
  private static func noteSignal() {
    let code = errno
    flag.store(true, ordering: .relaxed)
    var byte: UInt8 = 1
    _ = write(wakeWriter.load(ordering: .relaxed), &byte, 1)  // a full pipe suffices
    errno = code
  }

  private static func makeWakePipe() {
    var byte: UInt8 = 0
    let reader = wakeReader.load(ordering: .relaxed)
    if reader >= 0 {
      while read(reader, &byte, 1) > 0 {}
      return
    }
    var ends: [Int32] = [-1, -1]
    // Without the pipe, only ``check(hint:)`` notices interruptions.
    guard pipe(&ends) == 0 else { return }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    wakeReader.store(ends[0], ordering: .relaxed)
    wakeWriter.store(ends[1], ordering: .relaxed)
  }

  /// Waits until a descriptor is readable; returns immediately if ``wait()`` was not called.
  /// - Throws: ``CommandError`` with exit 130 after an interruption.
  public static func waitToRead(_ descriptor: Int32) throws(CommandError) {
    let wake = wakeReader.load(ordering: .relaxed)
    guard wake >= 0 else { return }
    var files = [descriptor, wake].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      let isInterrupted = poll(&files, nfds_t(files.count), -1) < 0 && errno == EINTR
      try check()
      if !isInterrupted { return }
    }
  }

  /// Throws if the user has interrupted since ``wait()``.
  /// - Parameter hint: state of the work and how to continue it.
  /// - Throws: ``CommandError`` with exit 130 after an interruption.
  public static func check(hint: String? = nil) throws(CommandError) {
    guard isAsked else { return }
    throw CommandError.interrupted(hint)
  }
}

extension CommandError {
  /// Error for an interruption.
  /// - Parameter hint: state of the work and how to continue it.
  public static func interrupted(_ hint: String?) -> CommandError {
    CommandError("Interrupted", hint: hint, exit: .interrupted)
  }
}
