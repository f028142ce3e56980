import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// When a trip began and ended, as a command line says it.
struct TripTimes {
  static let all = [
    OptionSpec("--from", "--at", value: "time", kind: .time, help: "when it began"),
    OptionSpec("--to", value: "time", kind: .time, help: "when it ended"),
    OptionSpec("--for", value: "duration", kind: .duration, help: "how long it took"),
  ]

  let start: Date?
  private let length: TimeInterval?
  private let end: Date?

  init(_ session: Session) throws(CommandError) {
    start = try session.date(option: "--from")
    length = try session.seconds(option: "--for")
    end = length == nil ? try session.date(option: "--to") : nil
  }

  /// Its end, by its length or as it was said; `nil` where neither was.
  func end(of start: Date) -> Date? { length.map { start.addingTimeInterval($0) } ?? end }
}
