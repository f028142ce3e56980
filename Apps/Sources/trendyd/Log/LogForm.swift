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

/// How a line of the log is written, and which lines are.
struct LogForm: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// Time, level, words.
    case text
    /// A document a line.
    case json
    /// For the journal of systemd, which notes the time and reads the level from a prefix: `<4>words`.
    case journal
  }

  var kind: Kind
  /// Lines below it are left out.
  var level: LogLevel

  /// - Parameter members: of a document, behind time and level.
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

  /// What a stranger sent must not begin a line of its own.
  private static func oneLine(_ words: String) -> String {
    words.utf8.contains { $0 == 0xA || $0 == 0xD }
      ? words.replacing("\r\n", with: " ").replacing("\n", with: " ").replacing("\r", with: " ") : words
  }
}

extension LogForm {
  static let options = [
    OptionSpec(
      "--log-format", value: "format", kind: .oneOf(["text", "json"]),
      help: "a line of words or a JSON document each (text; with --json json)"),
    OptionSpec(
      "--log-level", value: "level", kind: .oneOf(LogLevel.allCases.map(\.rawValue)),
      help: "what is logged at least: debug, info, warning or error (info)"),
  ]

  /// - Throws: ``CommandError`` : 64 for options, 78 for settings that are neither.
  init(_ session: DaemonSession) throws(CommandError) {
    guard let level = LogLevel(rawValue: session.value("--log-level", Setting.logLevel) ?? "") else {
      throw session.invalid(
        "--log-level", Setting.logLevel,
        hint: "It is one of \(LogLevel.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    self.level = level
    switch session.value("--log-format", Setting.logFormat) ?? (session.console.isJSON ? "json" : "text") {
    case "json": kind = .json
    case "text":
      let isJournal =
        session.value("--log", Setting.log) == nil && Self.isJournal(session.environment["JOURNAL_STREAM"])
      kind = isJournal ? .journal : .text
    default:
      throw session.invalid("--log-format", Setting.logFormat, hint: "It is text or json.")
    }
  }

  /// Whether the standard error is the journal's: `JOURNAL_STREAM` names its device and inode, and is passed on to those whose
  /// standard error is another (systemd.exec(5)).
  private static func isJournal(_ stream: String?) -> Bool {
    var status = stat()
    guard let stream, fstat(STDERR_FILENO, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}
