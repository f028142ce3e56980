import AgentLink
import CommandSupport
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Foundation
import Synchronization

/// Connection to the service manager for readiness, status, reload and stop notifications (systemd's `sd_notify`
/// protocol).
///
/// Each notification is a datagram to the socket in `NOTIFY_SOCKET`. If that variable is not set, nothing is sent.
final class ServiceManager: Sendable {
  /// Parts of the daemon. The process is ready once all configured parts are running.
  enum Part: Hashable, Comparable, Sendable {
    case hub
    case agent
    case ingest
  }

  private struct State {
    var awaited: Set<Part>
    var words: [Part: String] = [:]
    var isStopping = false
    var hasFailed = false

    var status: String { words.sorted { $0.key < $1.key }.map(\.value).joined(separator: "; ") }
  }

  /// Interval at which ``beat()`` must be called, half of the watchdog timeout, or `nil` without a watchdog.
  let heartbeatInterval: Duration?
  private let socketPath: String?
  private let address: UnixAddress?
  private let descriptor: Int32
  private let state: Mutex<State>
  private let warn: @Sendable (String) -> Void

  /// Connects to the service manager if the environment names one. `warn` is called once if a notification cannot be
  /// sent.
  /// - Throws: ``CommandError`` if a variable is invalid.
  init(environment: [String: String], parts: Set<Part>, warn: @escaping @Sendable (String) -> Void) throws(CommandError)
  {
    self.warn = warn
    state = Mutex(State(awaited: parts))
    heartbeatInterval = try Self.heartbeatInterval(environment)
    guard let path = environment["NOTIFY_SOCKET"], !path.isEmpty else {
      (socketPath, address, descriptor) = (nil, nil, -1)
      return
    }
    guard let address = Self.address(path) else {
      throw CommandError(
        "NOTIFY_SOCKET is not a socket address: '\(path)'",
        hint: "The service manager sets it to an address that starts with / or @.", exit: .configuration)
    }
    (socketPath, self.address) = (path, address)
    descriptor = socket(AF_UNIX, UnixAddress.datagram, 0)
    guard descriptor >= 0 else {
      throw CommandError(
        "Cannot create a socket: \(String(cString: strerror(errno)))",
        hint: "Check the limit on open files (ulimit -n).",
        exit: .cannotCreate)
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    // Limits how long a service manager that does not read its socket can block this process.
    var patience = timeval(tv_sec: 0, tv_usec: 500_000)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { if descriptor >= 0 { releaseDescriptor(descriptor) } }

  /// Whether a service manager started this process and expects notifications.
  var isPresent: Bool { address != nil }

  // MARK: Notifications

  /// Marks a part as running. Notifies the manager once all parts are running.
  func ready(_ part: Part) {
    let text = state.withLock { state -> String? in
      guard state.awaited.remove(part) != nil, state.awaited.isEmpty else { return nil }
      return "READY=1\nSTATUS=\(state.status)"
    }
    if let text { send(text) }
  }

  /// Sets a part's status text, or removes it if the text is `nil`.
  func say(_ words: String?, of part: Part) {
    let words = words?.replacing("\n", with: " ")
    let text = state.withLock { state -> String? in
      guard state.words[part] != words else { return nil }
      state.words[part] = words
      return "STATUS=\(state.status)"
    }
    if let text { send(text) }
  }

  /// Runs `body` between notifications for the start and end of a reload.
  func reload(_ body: () -> Void) {
    // The manager requires a timestamp later than its reload request.
    let microseconds = monotonicNanoseconds() / 1000
    send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
    body()
    let isReady = state.withLock { $0.awaited.isEmpty && !$0.isStopping }
    if isReady { send("READY=1") }
  }

  func stopping() {
    let isFirst = state.withLock { state in
      defer { state.isStopping = true }
      return !state.isStopping
    }
    if isFirst { send("STOPPING=1\nSTATUS=Ending") }
  }

  func beat() { send("WATCHDOG=1") }

  private func send(_ text: String) {
    guard let address else { return }
    let bytes = Array(text.utf8)
    let count = address.withSockaddr { sendto(descriptor, bytes, bytes.count, noSignal, $0, $1) }
    guard count != bytes.count else { return }
    let reason = String(cString: strerror(errno))
    let isFirst = state.withLock { state in
      defer { state.hasFailed = true }
      return !state.hasFailed
    }
    if isFirst { warn("Cannot notify the service manager at \(socketPath ?? ""): \(reason)") }
  }

  // MARK: Environment

  private static func address(_ path: String) -> UnixAddress? {
    if path.hasPrefix("/") { return UnixAddress(path: path) }
    #if !canImport(Darwin)
      if path.hasPrefix("@") { return UnixAddress(abstractName: String(path.dropFirst())) }
    #endif
    return nil
  }

  private static func heartbeatInterval(_ environment: [String: String]) throws(CommandError) -> Duration? {
    guard let text = environment["WATCHDOG_USEC"], !text.isEmpty else { return nil }
    // If the process id differs, the variable was meant for another process.
    if let pid = environment["WATCHDOG_PID"], pid != "\(getpid())" { return nil }
    guard let microseconds = Int64(text), microseconds > 0 else {
      throw CommandError(
        "WATCHDOG_USEC is not a number of microseconds: '\(text)'",
        hint: "The service manager sets it from WatchdogSec= in the unit.", exit: .configuration)
    }
    return .microseconds(microseconds / 2)
  }
}

/// Returns the time of the monotonic clock, which systemd also uses. This clock stops during suspend.
private func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

#if canImport(Darwin)
  private let noSignal: Int32 = 0
#else
  private let noSignal = Int32(MSG_NOSIGNAL)
#endif
