import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Deletes a folder when SIGINT or SIGTERM ends this process.
enum RemovalAtSignal {
  private static let hasBegun = Atomic<Bool>(false)

  /// Starts the thread that waits for a signal and then deletes the folder at `path`.
  ///
  /// Call this before the folder has any content, and before other threads start, which inherit the signal mask.
  static func remove(_ path: String) {
    block(SIG_BLOCK)
    // Owned by the thread until the process ends.
    let text = UnsafeMutableRawPointer(strdup(path))
    #if canImport(Darwin)
      var thread: pthread_t?
      let failure = pthread_create(&thread, nil, { RemovalAtSignal.waitAndRemove($0) }, text)
    #else
      var thread = pthread_t()
      let failure = pthread_create(&thread, nil, { RemovalAtSignal.waitAndRemove($0) }, text)
    #endif
    // Without the thread, the signals end the process as usual.
    if failure != 0 { block(SIG_UNBLOCK) }
  }

  /// Blocks forever if the deletion has begun, so that errors caused by the deletion are not reported before the exit.
  static func waitIfBegun() {
    while hasBegun.load(ordering: .acquiring) { pause() }
  }

  private static func signals() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    return signals
  }

  private static func block(_ how: Int32) {
    var signals = signals()
    pthread_sigmask(how, &signals, nil)
  }

  private static func waitAndRemove(_ text: UnsafeMutableRawPointer?) -> Never {
    let path = text.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
    var signals = signals()
    var signal: Int32 = 0
    while sigwait(&signals, &signal) != 0 {}
    hasBegun.store(true, ordering: .releasing)
    // Concurrent writes may create files again.
    for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
      try? FileManager.default.removeItem(atPath: path)  // retried in the next iteration
    }
    _exit(128 + signal)
  }
}
