import CommandSupport
import Foundation
import TrendyModels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes log lines to standard error or a file on a separate thread, so that callers never block on a pipe or a disk.
///
/// The queue is bounded. Lines beyond the limit are dropped and counted, and the log reports their number later.
///
/// @unchecked: `state` is accessed only while `condition` is locked, `descriptor` only by the thread once it runs.
final class LogWriter: @unchecked Sendable {
  /// Limits of the queue, in lines and bytes.
  static let capacity = (lines: 4096, bytes: 1 << 20)

  private struct State {
    var lines: [String] = []
    var bytes = 0
    var lost = 0
    var isReopening = false
    var isFinishing = false
    var hasFinished = false
  }

  private let condition = NSCondition()
  private var state = State()
  private let path: String?
  private let form: LogForm
  private var descriptor: Int32

  /// Opens the file at `path`, creating it if needed; `nil` writes to standard error.
  init(path: String?, form: LogForm) throws(CommandError) {
    self.path = path
    self.form = form
    descriptor = STDERR_FILENO
    if let path { descriptor = try Self.open(path) }
  }

  deinit { if path != nil { releaseDescriptor(descriptor) } }

  /// Starts the thread; lines logged earlier are written first.
  func start() {
    let thread = Thread { [self] in run() }
    thread.name = "trendy-log"
    thread.start()
  }

  /// Logs text, or JSON members after time and level.
  func log(
    _ level: LogLevel, _ words: @autoclosure () -> String, _ members: @autoclosure () -> [(String, JSONText)]
  ) {
    if level >= form.level { line(form.line(level, words(), members())) }
  }

  /// Queues a line, or counts it as dropped.
  private func line(_ text: String) {
    condition.withLock {
      guard state.lines.count < Self.capacity.lines, state.bytes + text.utf8.count < Self.capacity.bytes else {
        state.lost += 1
        return
      }
      state.lines.append(text)
      state.bytes += text.utf8.count + 1
      condition.signal()
    }
  }

  /// Reopens the file after a log rotation.
  func reopen() {
    condition.withLock {
      state.isReopening = path != nil
      condition.signal()
    }
  }

  /// Waits until the queue is written, at most for this time.
  func finish(atMost seconds: TimeInterval) {
    let deadline = Date(timeIntervalSinceNow: seconds)
    condition.withLock {
      state.isFinishing = true
      condition.signal()
      while !state.hasFinished, condition.wait(until: deadline) {}
    }
  }

  private func run() {
    while let (lines, lost, isReopening) = next() {
      if isReopening { replaceFile() }
      // All queued lines are written in one call.
      let text = lines.map { $0 + "\n" }.joined()
      let failed = text.isEmpty ? 0 : write(text)
      if lost > 0 { _ = write(notice(lost: lost) + "\n") }
      if failed != 0 { condition.withLock { state.lost += lines.count } }
    }
    condition.withLock {
      state.hasFinished = true
      condition.broadcast()
    }
  }

  /// Next lines to write; `nil` at the end.
  private func next() -> (lines: [String], lost: Int, isReopening: Bool)? {
    condition.withLock {
      while state.lines.isEmpty, !state.isReopening, !state.isFinishing { condition.wait() }
      // Dropped lines are reported with the next lines that are written.
      if state.lines.isEmpty, !state.isReopening, state.lost == 0 || !state.isFinishing { return nil }
      defer {
        state.lines = []
        state.bytes = 0
        state.lost = 0
        state.isReopening = false
      }
      return (state.lines, state.lost, state.isReopening)
    }
  }

  private func notice(lost: Int) -> String {
    form.line(
      .warning, "\(lost) log lines were dropped, because they were logged faster than they could be written",
      [("lost_lines", .number(lost))])
  }

  private func replaceFile() {
    guard let path else { return }
    do {
      let new = try Self.open(path)
      releaseDescriptor(descriptor)
      descriptor = new
    } catch {
      let words = "\(error.message); logging continues in the previous file"
      _ = write(form.line(.error, words, [("message", .string(words))]) + "\n")
    }
  }

  private static func open(_ path: String) throws(CommandError) -> Int32 {
    let descriptor = openFile(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CommandError(
        cannot: "open the log file", path, code: errno,
        hint: "Choose a file with --log in a folder that this user can write to.")
    }
    return descriptor
  }

  /// Writes text to the log.
  /// - Returns: `errno`, or 0, also for a closed pipe.
  private func write(_ text: String) -> Int32 { Console.write(text, to: descriptor) }
}
