import CommandSupport
import Foundation
import Synchronization
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the user's hooks. Each hook is an executable in the hooks folder, named after the events that it handles.
///
/// Calls never block. Each hook has its own thread and queue: its calls are processed in order, and a slow hook does
/// not delay other hooks.
final class HookRunner: Sendable {
  enum Hook: String, CaseIterable, Sendable {
    case event = "on-event"
    case trip = "on-trip"
    case visit = "on-visit"
    case notice = "on-notice"
    case syncProblem = "on-sync-problem"
  }

  private struct State {
    var queues: [Hook: [JSONText]] = [:]
    /// Processes of hooks with a running thread.
    var running: [Hook: HookProcess] = [:]
    var hasEnded = false
  }

  private static let capacity = 256

  let folder: URL
  let environment: [String: String]
  /// Time limit of a hook in seconds.
  private let deadline: Double
  private let console: Console
  private let state = Mutex(State())

  init(folder: URL, environment: [String: String], deadline: Double, storeDirectory: URL, console: Console) {
    self.folder = folder
    self.deadline = deadline
    self.console = console
    // The service manager sets these variables for this process only.
    let own = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
    self.environment = environment.filter { !own.contains($0.key) }
      .merging(["TRENDY_STORE": storeDirectory.path]) { $1 }
  }

  /// Whether a hook exists. Callers check this before they compute the hook's input.
  func exists(_ hook: Hook) -> Bool { FileManager.default.fileExists(atPath: path(hook)) }

  /// Queues a call of a hook, if it exists, with a JSON document as input.
  func call(_ hook: Hook, _ members: [(String, JSONText)]) {
    guard exists(hook) else { return }
    let document = JSONText.object([("schema", .string("trendy.hook/1")), ("hook", .string(hook.rawValue))] + members)
    let (isFull, needsThread) = state.withLock { state -> (Bool, Bool) in
      guard !state.hasEnded else { return (false, false) }
      guard state.queues[hook, default: []].count < Self.capacity else { return (true, false) }
      state.queues[hook, default: []].append(document)
      guard state.running[hook] == nil else { return (false, false) }
      state.running[hook] = HookProcess()
      return (false, true)
    }
    if isFull {
      console.talk("Hook \(hook.rawValue): \(Self.capacity) calls are queued; this call was dropped", level: .warning)
    }
    if needsThread { Thread.detachNewThread { [self] in work(hook) } }
  }

  /// Terminates running hooks and discards queued calls.
  func end() {
    let processes = state.withLock { state in
      state.hasEnded = true
      state.queues = [:]
      return Array(state.running.values)
    }
    for process in processes { process.end() }
  }

  private func work(_ hook: Hook) {
    while let (document, process) = next(hook) {
      if let objection = objection(to: path(hook)) {
        console.talk("Hook \(hook.rawValue) was not called: \(objection)", level: .warning)
        continue
      }
      let (ending, output) = process.run(
        path(hook), input: Array("\(document)\n".utf8),
        environment: environment.merging(["TRENDY_HOOK": hook.rawValue]) { $1 }, seconds: deadline)
      report(hook, ending, output.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }

  private func next(_ hook: Hook) -> (JSONText, HookProcess)? {
    state.withLock { state in
      guard let process = state.running[hook], !state.hasEnded, state.queues[hook]?.isEmpty == false,
        let document = state.queues[hook]?.removeFirst()
      else {
        state.running[hook] = nil
        return nil
      }
      return (document, process)
    }
  }

  private func report(_ hook: Hook, _ ending: HookProcess.Ending, _ output: String) {
    let suffix = output.isEmpty ? "" : ": \(output)"
    switch ending {
    case .status(0) where output.isEmpty: console.talk("Hook \(hook.rawValue) was called", level: .debug)
    case .status(0): console.talk("Hook \(hook.rawValue)\(suffix)")
    case .status(let status):
      console.talk("Hook \(hook.rawValue) failed with status \(status)\(suffix)", level: .warning)
    case .signal(let signal):
      console.talk("Hook \(hook.rawValue) was killed by signal \(signal)\(suffix)", level: .warning)
    case .overdue:
      console.talk("Hook \(hook.rawValue) took longer than \(Int(deadline)) s and was killed\(suffix)", level: .warning)
    case .notStarted(let reason):
      console.talk("Hook \(hook.rawValue) could not be started: \(reason)", level: .warning)
    }
  }

  private func path(_ hook: Hook) -> String { folder.appending(path: hook.rawValue).path }

  /// Returns why a file must not be run as a hook, or `nil` if it may be run.
  private func objection(to path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return "\(path): \(String(cString: strerror(errno)))" }
    guard status.st_mode & S_IFMT == S_IFREG else { return "\(path) is not a file" }
    guard access(path, X_OK) == 0 else { return "\(path) is not executable (chmod +x)" }
    // If other users can modify the file, they could run code as this user.
    guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & (S_IWOTH) == 0 else {
      return "\(path) is writable by other users (chmod o-w, chown)"
    }
    return nil
  }
}
