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

/// Log written to standard error or a file by a separate thread, so a slow pipe or disk does not block callers.
///
/// The queue is bounded. Lines that do not fit are dropped and counted, and the count is logged later.
///
/// @unchecked: `state` is accessed only while `condition` is locked, and `descriptor` only by the thread once it has
/// started.
final class LogWriter: @unchecked Sendable {
  /// Maximum queue length.
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

  /// Opens the log file at `path`, creating it if necessary. If `path` is `nil`, logs to standard error.
  init(path: String?, form: LogForm) throws(CommandError) {
    self.path = path
    self.form = form
    descriptor = STDERR_FILENO
    if let path { descriptor = try Self.open(path) }
  }

  deinit { if path != nil { releaseDescriptor(descriptor) } }

  /// Starts the thread, which first writes the lines queued so far.
  func start() {
    let thread = Thread { [self] in run() }
    thread.name = "trendy-log"
    thread.start()
  }

  /// Logs a message in text formats, or the given members in JSON, if the level is enabled.
  func log(
    _ level: LogLevel, _ words: @autoclosure () -> String, _ members: @autoclosure () -> [(String, JSONText)]
  ) {
    if level >= form.level { line(form.line(level, words(), members())) }
  }

  /// Appends a line to the queue, or counts it as dropped if the queue is full.
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

  /// Reopens the log file after log rotation has renamed it.
  func reopen() {
    condition.withLock {
      state.isReopening = path != nil
      condition.signal()
    }
  }

  /// Waits up to the given time in seconds until all queued lines have been written.
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

  /// Waits for lines and removes them from the queue. Returns `nil` when the log has finished.
  private func next() -> (lines: [String], lost: Int, isReopening: Bool)? {
    condition.withLock {
      while state.lines.isEmpty, !state.isReopening, !state.isFinishing { condition.wait() }
      // The dropped-line count is logged after the next lines, or at the end.
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

  /// Returns `errno` if writing failed, otherwise 0. A closed pipe is not an error.
  private func write(_ text: String) -> Int32 { Console.write(text, to: descriptor) }
}
