import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols

/// `trendy trip list`
struct TripListCommand: Command {
  static let spec = CommandSpec(
    "trip list", summary: "The trips, the newest first.", group: .drive,
    examples: ["trip list --since mon", "trip list --json"],
    options: [
      OptionSpec("--since", value: "time", kind: .time, help: "not before: mon, 7d, 2026-11-01"),
      OptionSpec("--until", value: "time", kind: .time, help: "not after: a day is meant whole"),
      OptionSpec("--limit", value: "n", kind: .number, help: "at most so many (50; 0 for all)"),
    ])

  private let span: Range<Date>
  /// `nil` for all.
  private let limit: Int?

  init(_ session: Session) throws {
    let since = try session.date(option: "--since", .since) ?? .distantPast
    let until = try session.date(option: "--until", .until) ?? .distantFuture
    guard since <= until else { throw session.usageError("--since is after --until") }
    span = since..<until
    let most = try session.wholeNumber(option: "--limit", in: 0...Int.max) ?? 50
    limit = most > 0 ? most : nil
  }

  func act(_ session: Session) throws -> TripList {
    let store = try session.openStore().makeStore()
    let all = try store.events(in: span, ofType: nil, limit: nil).filter { $0.sourceType == .trip }
    return TripList(events: Array(all.prefix(limit ?? .max)))
  }

  func show(_ answer: TripList, _ session: Session) -> ExitCode {
    if answer.events.isEmpty { session.console.text("No trips yet. A recorded drive: trendy import gpx FILE") }
    answer.show(session) { session.console.text($0.line) }
    return .done
  }
}
