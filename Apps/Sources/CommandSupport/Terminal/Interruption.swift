#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Ctrl-C during work that is done in steps: it ends between two of them, and a second one ends it at once.
public enum Interruption: Sendable {
  private static let flag = Atomic<Bool>(false)
  /// The ends of a pipe that can be read from the first interruption on: who waits for input waits for it as well, so that no
  /// interruption is missed between a look and the wait. -1 before ``wait()``.
  private static let wakeReader = Atomic<Int32>(-1)
  private static let wakeWriter = Atomic<Int32>(-1)

  /// Whether a person has interrupted since ``wait()``.
  public static var isAsked: Bool { flag.load(ordering: .relaxed) }

  /// From now on an interruption waits to be asked for.
  public static func wait() {
    // Made before a signal can want it.
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
    // The process that started this one may have SIGINT blocked, and a signal mask is inherited.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// The signal handler: it only calls what is safe in one (POSIX, 2.4.3).
  private static func noteSignal() {
    let code = errno
    flag.store(true, ordering: .relaxed)
    var byte: UInt8 = 1
    _ = write(wakeWriter.load(ordering: .relaxed), &byte, 1)  // full is as good
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
    // Without one an interruption is noticed by who looks for it.
    guard pipe(&ends) == 0 else { return }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    wakeReader.store(ends[0], ordering: .relaxed)
    wakeWriter.store(ends[1], ordering: .relaxed)
  }

  /// Waits until there is something to read of a file, or its end; does not wait where nobody called ``wait()``.
  /// - Throws: ``CommandError`` with exit 130 where a person interrupts meanwhile, or has.
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

  /// - Parameter hint: what became of the work so far, and how it goes on.
  /// - Throws: ``CommandError`` with exit 130 where a person has interrupted.
  public static func check(hint: String? = nil) throws(CommandError) {
    guard isAsked else { return }
    throw CommandError.interrupted(hint)
  }
}

extension CommandError {
  /// A person has interrupted.
  /// - Parameter hint: what became of the work so far, and how it goes on.
  public static func interrupted(_ hint: String?) -> CommandError {
    CommandError("Interrupted", hint: hint, exit: .interrupted)
  }
}
