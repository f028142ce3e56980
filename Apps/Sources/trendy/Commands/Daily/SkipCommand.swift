import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols

struct SkipCommand: Command {
  static let spec = CommandSpec(
    "skip", .optional("type", .eventType),
    summary: "Skip days: they neither break nor extend a streak. Without a type, list skipped days.", group: .daily,
    examples: [
      "skip run", "skip run --from mon --to fri -n flu", "skip run --from 2026-11-01 --to 2026-11-03 --clear",
    ],
    options: [
      OptionSpec("--from", "--since", value: "day", kind: .time, help: "first day (default: today)"),
      OptionSpec("--to", "--until", value: "day", kind: .time, help: "last day (default: the first)"),
      OptionSpec.note,
      OptionSpec("--clear", help: "no longer skip these days; without dates, no longer skip any day of the type"),
    ], columns: .skipColumns)

  private let typeName: String?
  /// Days from `--from` to `--to`, or `nil` if neither is given.
  private let days: ClosedRange<CivilDate>?
  private let note: String?
  private let clears: Bool

  init(_ session: Session) throws {
    typeName = session.arguments.positionals.first
    let local = session.local
    let from = try session.date(option: "--from")
    let to = try session.date(option: "--to", .end(of: from.map { local.startOfDay($0) } ?? session.now))
    let first = local.day(of: from ?? session.now)
    let last = to.map { local.day(of: $0) } ?? first
    guard first <= last else { throw session.usageError("--from is after --to") }
    days = from == nil && to == nil ? nil : first...last
    note = try session.note()
    clears = session.arguments.has("--clear")
    if typeName == nil, clears || note != nil || days != nil { throw session.usageError("Missing event type") }
  }

  struct Answer {
    let skips: [Skip]
    let types: [EventType]
    /// Undo label of the change, or `nil` if the command only lists skips.
    var deed: String?
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    let types = try store.fetchAllEventTypes()
    let skips = try store.fetchRecords(kind: .skip).compactMap(Skip.init).sorted {
      $0.days.lowerBound < $1.days.lowerBound
    }
    guard let typeName else { return Answer(skips: skips, types: types) }
    let type = try Lookup.eventType(typeName, among: types) { "trendy type add \($0)" }
    let own = skips.filter { $0.eventTypeId == type.id }
    guard !clears else {
      let met = self.days.map { days in own.filter { $0.days.overlaps(days) } } ?? own
      guard !met.isEmpty else {
        throw CommandError(
          "No skipped days of '\(type.name)' in that period", hint: "List skipped days: trendy skip", exit: .notFound)
      }
      let rests = met.flatMap { (skip: Skip) in
        skip.without(self.days ?? skip.days, ids: [container.makeID(), container.makeID()])
      }
      try container.record.perform(
        "skip \(type.name) --clear", rests.map { .record($0.record) }, before: met.map { .record($0.record) })
      return Answer(skips: met, types: types, deed: "No longer skipped:")
    }
    let today = session.local.day(of: session.now)
    let days = self.days ?? today...today
    guard !DaySet(own.map(\.days)).covers(days) else {
      throw CommandError(
        "'\(type.name)' already skips those days", hint: "List skipped days: trendy skip", exit: .usage)
    }
    let skip = Skip(id: container.makeID(), eventTypeId: type.id, days: days, note: note?.asNote)
    try container.record.perform("skip \(type.name)", [.record(skip.record)])
    return Answer(skips: [skip], types: types, deed: "Skipped:")
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let text = SkipText(session, types: answer.types)
    switch session.console.format {
    case .json: session.console.document("trendy.skips/1", [("skips", .array(answer.skips.map { text.json($0) }))])
    case .ndjson: for skip in answer.skips { session.console.data("\(text.json(skip))") }
    case .plain: for skip in answer.skips { session.console.row(text.plain(skip)) }
    case .text:
      if let deed = answer.deed {
        for skip in answer.skips { session.console.done(text.line(skip).led(by: deed)) }
      } else if answer.skips.isEmpty {
        session.console.text("No skipped days. To skip today: trendy skip TYPE")
      } else {
        for skip in answer.skips { session.console.text(text.line(skip)) }
      }
    }
    return .done
  }
}
