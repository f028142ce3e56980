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

struct LogForm: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// Time, level and message.
    case text
    /// One JSON object per line.
    case json
    /// Message prefixed with the level, `<4>text`, as the systemd journal expects. The journal adds the time.
    case journal
  }

  var kind: Kind
  /// Minimum level that is logged.
  var level: LogLevel

  /// Returns a log line without a line break. Text and journal formats contain `words`. JSON contains time, level and
  /// `members`.
  func line(
    _ level: LogLevel, _ words: @autoclosure () -> String, _ members: @autoclosure () -> [(String, JSONText)]
  ) -> String {
    switch kind {
    case .text: "\(Self.time) \(level.rawValue) \(Self.oneLine(words()))"
    case .json:
      JSONText.object([("time", .string(Self.time)), ("level", .string(level.rawValue))] + members()).description
    case .journal: "<\(level.priority)>\(Self.oneLine(words()))"
    }
  }

  private static var time: String { LocalTime(isUTC: true).rfc3339(Date()) }

  /// Replaces line breaks, so that received data cannot forge log lines.
  private static func oneLine(_ words: String) -> String {
    words.utf8.contains { $0 == 0xA || $0 == 0xD }
      ? words.replacing("\r\n", with: " ").replacing("\n", with: " ").replacing("\r", with: " ") : words
  }
}

extension LogForm {
  static let options = [
    OptionSpec(
      "--log-format", value: "format", kind: .oneOf(["text", "json"]),
      help: "text or json (default text; json with --json)"),
    OptionSpec(
      "--log-level", value: "level", kind: .oneOf(LogLevel.allCases.map(\.rawValue)),
      help: "minimum level: debug, info, warning or error (default info)"),
  ]

  init(_ session: DaemonSession) throws(CommandError) {
    guard let level = LogLevel(rawValue: session.value("--log-level", Setting.logLevel) ?? "") else {
      throw session.invalid(
        "--log-level", Setting.logLevel,
        hint: "Use one of \(LogLevel.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    self.level = level
    switch session.value("--log-format", Setting.logFormat) ?? (session.console.isJSON ? "json" : "text") {
    case "json": kind = .json
    case "text":
      let isJournal =
        session.value("--log", Setting.log) == nil && Self.isJournal(session.environment["JOURNAL_STREAM"])
      kind = isJournal ? .journal : .text
    default:
      throw session.invalid("--log-format", Setting.logFormat, hint: "Use text or json.")
    }
  }

  /// Whether standard error is connected to the systemd journal.
  ///
  /// `JOURNAL_STREAM` contains the device and inode of the journal's stream. They must be compared, because child
  /// processes inherit the variable even if their standard error is redirected (systemd.exec(5)).
  private static func isJournal(_ stream: String?) -> Bool {
    var status = stat()
    guard let stream, fstat(STDERR_FILENO, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}
