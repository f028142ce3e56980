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

  /// Whether a person has interrupted since ``wait()``.
  public static var isAsked: Bool { flag.load(ordering: .relaxed) }

  /// From now on an interruption waits to be asked for.
  public static func wait() {
    // Made before a signal can want it.
    flag.store(false, ordering: .relaxed)
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { _ in Interruption.flag.store(true, ordering: .relaxed) }
    #else
      action.__sigaction_handler.sa_handler = { _ in Interruption.flag.store(true, ordering: .relaxed) }
    #endif
    action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
    _ = sigaction(SIGINT, &action, nil)
    // The process that started this one may have SIGINT blocked, and a signal mask is inherited.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
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
