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

/// Runs a person's hooks: executables of a folder, which are called like what they are told of.
///
/// Each hook has a thread and a queue of its own, so that its calls come in order and none waits for another hook. Whoever calls never
/// waits.
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
    /// Those whose thread runs.
    var running: [Hook: HookProcess] = [:]
    var hasEnded = false
  }

  /// Calls of one hook that wait at most.
  private static let capacity = 256

  let folder: URL
  let environment: [String: String]
  /// Seconds that a hook may take.
  private let deadline: Double
  private let console: Console
  private let state = Mutex(State())

  init(folder: URL, environment: [String: String], deadline: Double, storeDirectory: URL, console: Console) {
    self.folder = folder
    self.deadline = deadline
    self.console = console
    // What the service manager told this process is for this process.
    let own = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
    self.environment = environment.filter { !own.contains($0.key) }
      .merging(["TRENDY_STORE": storeDirectory.path]) { $1 }
  }

  /// Whether there is something to call, so that it is worth finding out what to tell it.
  func exists(_ hook: Hook) -> Bool { FileManager.default.fileExists(atPath: path(hook)) }

  /// Has a hook called with a document on its input.
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
      console.talk("Hook \(hook.rawValue): \(Self.capacity) calls wait, this one is left out", level: .warning)
    }
    if needsThread { Thread.detachNewThread { [self] in work(hook) } }
  }

  /// Asks what runs to end; nothing is called any more.
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
        console.talk("Hook \(hook.rawValue) is not called: \(objection)", level: .warning)
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
    let said = output.isEmpty ? "" : ": \(output)"
    switch ending {
    case .status(0) where output.isEmpty: console.talk("Hook \(hook.rawValue) was called", level: .debug)
    case .status(0): console.talk("Hook \(hook.rawValue)\(said)")
    case .status(let status):
      console.talk("Hook \(hook.rawValue) ended with status \(status)\(said)", level: .warning)
    case .signal(let signal):
      console.talk("Hook \(hook.rawValue) was ended by signal \(signal)\(said)", level: .warning)
    case .overdue:
      console.talk("Hook \(hook.rawValue) took longer than \(Int(deadline)) s and was killed\(said)", level: .warning)
    case .notStarted(let reason):
      console.talk("Hook \(hook.rawValue) cannot be started: \(reason)", level: .warning)
    }
  }

  private func path(_ hook: Hook) -> String { folder.appending(path: hook.rawValue).path }

  /// Why a file is not run; `nil` where it may be.
  private func objection(to path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return "\(path): \(String(cString: strerror(errno)))" }
    guard status.st_mode & S_IFMT == S_IFREG else { return "\(path) is no file" }
    guard access(path, X_OK) == 0 else { return "\(path) is not executable (chmod +x)" }
    // Whoever may write it would be this user.
    guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & (S_IWOTH) == 0 else {
      return "\(path) can be written by others (chmod o-w, chown)"
    }
    return nil
  }
}
