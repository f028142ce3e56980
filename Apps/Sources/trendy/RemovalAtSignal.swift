import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Deletes a folder if SIGINT or SIGTERM terminates this process.
enum RemovalAtSignal {
  private static let hasBegun = Atomic<Bool>(false)

  /// Starts a thread that waits for a signal, deletes the folder at `path` and exits.
  ///
  /// Must be called while the folder is still empty and before other threads start, because they inherit the signal
  /// mask.
  static func remove(_ path: String) {
    block(SIG_BLOCK)
    // The thread keeps the path until the process exits.
    let text = UnsafeMutableRawPointer(strdup(path))
    #if canImport(Darwin)
      var thread: pthread_t?
      let failure = pthread_create(&thread, nil, { RemovalAtSignal.waitAndRemove($0) }, text)
    #else
      var thread = pthread_t()
      let failure = pthread_create(&thread, nil, { RemovalAtSignal.waitAndRemove($0) }, text)
    #endif
    // Without the thread, the signals terminate the process and the folder remains.
    if failure != 0 { block(SIG_UNBLOCK) }
  }

  /// Waits for the process to exit if the deletion has started, because the command could otherwise report errors
  /// caused by the deletion.
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
    // Try repeatedly, because other threads may still be creating files in the folder.
    for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
      try? FileManager.default.removeItem(atPath: path)  // retried in the next iteration
    }
    _exit(128 + signal)
  }
}
