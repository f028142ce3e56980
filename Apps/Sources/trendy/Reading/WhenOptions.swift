import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// When something happened, as a command line says it.
struct WhenOptions {
  static let all = [
    OptionSpec("--at", "--from", value: "time", kind: .time, help: "when it happened (now)"),
    OptionSpec("--for", value: "duration", kind: .duration, help: "how long it took: 1h30m"),
    OptionSpec("--to", "--until", value: "time", kind: .time, help: "when it ended"),
    OptionSpec("--note", "-n", value: "text", kind: .text, help: "a note"),
  ]

  let start: Date?
  let note: String?
  private let length: TimeInterval?
  private let end: Date?

  init(_ session: Session) throws(CommandError) {
    start = try session.date(option: "--at")
    note = session.arguments.value("--note")
    if let text = session.arguments.value("--for") {
      guard let seconds = TimePhrase.seconds(text) else {
        throw session.usageError("'\(text)' is no duration", hint: "Durations look like 1h30m, 45m or 90s.")
      }
      (length, end) = (seconds, nil)
    } else {
      (length, end) = (nil, try session.date(option: "--to"))
    }
  }

  /// Its end, by its length or as it was said; `nil` where neither was.
  func end(of start: Date, _ session: Session) throws(CommandError) -> Date? {
    guard let end = length.map({ start.addingTimeInterval($0) }) ?? end else { return nil }
    guard TimePhrase.writable.contains(end) else { throw session.usageError("It would end after the year 9999") }
    guard end >= start else { throw session.usageError("It would end before it begins") }
    return end
  }
}
