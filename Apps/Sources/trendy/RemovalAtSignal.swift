import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Removes a folder when the person, or the system, ends this process: by SIGINT or SIGTERM.
enum RemovalAtSignal {
  private static let hasBegun = Atomic<Bool>(false)

  /// Call it before anything is in the folder, and before another thread begins: the threads that begin later leave the signals to
  /// the one that waits for them here.
  static func remove(_ path: String) {
    block(SIG_BLOCK)
    // The thread keeps it until the process ends.
    let text = UnsafeMutableRawPointer(strdup(path))
    #if canImport(Darwin)
      var thread: pthread_t?
      let failure = pthread_create(&thread, nil, { RemovalAtSignal.waitAndRemove($0) }, text)
    #else
      var thread = pthread_t()
      let failure = pthread_create(&thread, nil, { RemovalAtSignal.waitAndRemove($0) }, text)
    #endif
    // Without a thread that waits for them they end the process as ever.
    if failure != 0 { block(SIG_UNBLOCK) }
  }

  /// Does not return once the folder is being removed: what fails from then on fails for that reason, and the process is about to
  /// end with the signal's status.
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
    // What is being written meanwhile may put a file into it again.
    for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
      try? FileManager.default.removeItem(atPath: path)  // looked at in the next round
    }
    _exit(128 + signal)
  }
}
