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

/// Writes lines to the standard error or a file, from a thread of its own: whoever logs never waits for the reader of a
/// pipe or for a disk.
///
/// What waits to be written is bounded. Beyond that lines are lost, and counted: once there is room the log itself says
/// how many.
///
/// @unchecked: `state` is touched with `condition` locked alone, `descriptor` by the thread alone once it runs.
final class LogWriter: @unchecked Sendable {
  /// Lines and bytes that wait at most.
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

  /// - Parameter path: of a file that is made or added to; `nil` for the standard error.
  init(path: String?, form: LogForm) throws(CommandError) {
    self.path = path
    self.form = form
    descriptor = STDERR_FILENO
    if let path { descriptor = try Self.open(path) }
  }

  deinit { if path != nil { releaseDescriptor(descriptor) } }

  /// Begins to write; what was logged before comes first.
  func start() {
    let thread = Thread { [self] in run() }
    thread.name = "trendy-log"
    thread.start()
  }

  /// Logs words, or with JSON lines the members behind time and level.
  func log(
    _ level: LogLevel, _ words: @autoclosure () -> String, _ members: @autoclosure () -> [(String, JSONText)]
  ) {
    if level >= form.level { line(form.line(level, words(), members())) }
  }

  /// Takes a line, or counts it as lost.
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

  /// Opens the file anew, as a rotation has put another in its place; nothing for the standard error.
  func reopen() {
    condition.withLock {
      state.isReopening = path != nil
      condition.signal()
    }
  }

  /// Waits until all that was logged is written, for as long as that at most.
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
      // One call for all of them: a reader that keeps up sees each at once, as there is one then.
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

  /// What is to be written; `nil` at the end.
  private func next() -> (lines: [String], lost: Int, isReopening: Bool)? {
    condition.withLock {
      while state.lines.isEmpty, !state.isReopening, !state.isFinishing { condition.wait() }
      // Lost lines are told of with the next that are written: where nothing is logged any more, nothing can be lost
      // either.
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
      .warning, "\(lost) lines of this log are lost: they came faster than they could be written",
      [("lost_lines", .number(lost))])
  }

  private func replaceFile() {
    guard let path else { return }
    do {
      let new = try Self.open(path)
      releaseDescriptor(descriptor)
      descriptor = new
    } catch {
      let words = "\(error.message); this log goes on in the file that it had"
      _ = write(form.line(.error, words, [("message", .string(words))]) + "\n")
    }
  }

  private static func open(_ path: String) throws(CommandError) -> Int32 {
    let descriptor = openFile(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CommandError(
        "\(path) cannot be opened for the log: \(String(cString: strerror(errno)))",
        hint: "--log names a file in a folder where this user may write.", exit: .cannotCreate)
    }
    return descriptor
  }

  /// - Returns: `errno`, or 0; also where the reader of a pipe has gone.
  private func write(_ text: String) -> Int32 { Console.write(text, to: descriptor) }
}
