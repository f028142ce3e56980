#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Handling of Ctrl-C during work in steps. The first Ctrl-C ends the work after the current step, and a second Ctrl-C
/// terminates the process.
public enum Interruption: Sendable {
  private static let flag = Atomic<Bool>(false)
  /// Read end of a pipe that becomes readable at the first Ctrl-C, or -1 before ``wait()``.
  ///
  /// Code that waits for input also waits for this pipe, because it would otherwise miss a Ctrl-C between a check and
  /// the wait.
  private static let wakeReader = Atomic<Int32>(-1)
  private static let wakeWriter = Atomic<Int32>(-1)

  /// Whether the user has pressed Ctrl-C since ``wait()``.
  public static var isAsked: Bool { flag.load(ordering: .relaxed) }

  /// Defers Ctrl-C until the next ``check(hint:)``.
  public static func wait() {
    // A signal may arrive as soon as the handler is installed, so the pipe must already exist.
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
    // The signal mask is inherited, and the parent process may have blocked SIGINT.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Handles SIGINT. Calls only functions that are async-signal-safe (POSIX, 2.4.3).
  private static func noteSignal() {
    let code = errno
    flag.store(true, ordering: .relaxed)
    var byte: UInt8 = 1
    _ = write(wakeWriter.load(ordering: .relaxed), &byte, 1)  // fails harmlessly if the pipe is full
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
    // Without the pipe, Ctrl-C takes effect at the next ``check(hint:)``.
    guard pipe(&ends) == 0 else { return }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    wakeReader.store(ends[0], ordering: .relaxed)
    wakeWriter.store(ends[1], ordering: .relaxed)
  }

  /// Waits until a descriptor is readable. Returns immediately if ``wait()`` was not called.
  /// - Throws: ``CommandError`` with exit 130 if the user presses Ctrl-C.
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

  /// Throws ``CommandError`` with exit 130 if the user has pressed Ctrl-C since ``wait()``. `hint` describes the state
  /// of the work and how to continue it.
  public static func check(hint: String? = nil) throws(CommandError) {
    guard isAsked else { return }
    throw CommandError.interrupted(hint)
  }
}

extension CommandError {
  /// Returns the error for interrupted work. `hint` describes its state and how to continue it.
  public static func interrupted(_ hint: String?) -> CommandError {
    CommandError("Interrupted", hint: hint, exit: .interrupted)
  }
}
