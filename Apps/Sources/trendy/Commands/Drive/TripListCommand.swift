import AppContainer
import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct TripListCommand: Command {
  static let spec = CommandSpec(
    "trip list", summary: "List trips, newest first.", group: .drive,
    examples: ["trip list --since mon", "trip list --month 2026-11 --category business", "trip list --json"],
    options: [
      OptionSpec("--since", value: "time", kind: .time, help: "only trips since this time: mon, 7d, 2026-11-01"),
      OptionSpec("--until", value: "time", kind: .time, help: "only trips until this time; a day counts in full"),
      OptionSpec("--month", value: "month", kind: .month, help: "only trips in a month or year: 2026-11, 2026"),
      OptionSpec("--vehicle", value: "name", kind: .vehicle, help: "only trips with this vehicle"),
      OptionSpec(
        "--category", value: "word", kind: .oneOf(Choice.words),
        help: "only business, private, mixed or unclassified trips"),
      OptionSpec("--limit", "-n", value: "n", kind: .number, help: "maximum number of trips (default 50; 0 for all)"),
      Pager.option,
    ], columns: .tripColumns)

  private enum Choice: Equatable {
    case of(TripCategory)
    case unclassified

    static let words = TripCategory.allCases.map(\.rawValue) + ["unclassified"]
  }

  private let selection: TripSelection
  private let choice: Choice?
  /// Maximum number of trips to list, or `nil` for no limit.
  private let limit: Int?

  init(_ session: Session) throws {
    var range = try session.range()
    if session.arguments.has("--month") {
      guard range == nil else { throw session.usageError("--month cannot be combined with --since or --until") }
      range = try session.month().range
    }
    selection = TripSelection(session, range: range)
    choice =
      if let word = session.arguments.value("--category") {
        word.lowercased() == "unclassified" ? .unclassified : .of(try session.category(word))
      } else { nil }
    let most = try session.wholeNumber(option: "--limit", in: 0...Int.max) ?? 50
    limit = most > 0 ? most : nil
  }

  func act(_ session: Session) throws -> TripList {
    let store = try session.openStore().makeStore()
    let trips = try selection.trips(in: store).reversed().filter { isMeant($0.category) }
    return try TripList(Array(trips.prefix(limit ?? .max)), in: store)
  }

  private func isMeant(_ category: TripCategory?) -> Bool {
    choice == nil || choice == category.map { .of($0) } ?? .unclassified
  }

  func show(_ answer: TripList, _ session: Session) -> ExitCode {
    if answer.trips.isEmpty { session.console.text("No trips found. To import a recorded track: trendy import FILE") }
    answer.show(session) { session.console.text($0.line) }
    return .done
  }
}
