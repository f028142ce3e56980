import AppContainer
import CommandSupport
import TrendyFoundation
import TrendyPersistence
import TrendyProtocols

struct StatusCommand: Command {
  static let spec = CommandSpec(
    "status", summary: "Show the store, its contents and the sync status.", group: .system,
    examples: ["status", "status --json"])

  struct Answer {
    var counts: [(kind: String, count: Int)]
    var sync: SyncStatusReport
    /// State of scheduled exports, or `nil` if none are scheduled.
    var exports: ScheduledExportStatusText?
  }

  init(_ session: Session) {}

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeLocalStore()
    return Answer(
      counts: [
        ("events", try store.eventCount()),
        ("event_types", try store.fetchAllEventTypes().count), ("places", try store.fetchAllGeofences().count),
      ],
      sync: try SyncStatusReport(container: container, session: session),
      exports: try ScheduledExportStatusText(session, container))
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let (console, store) = (session.console, session.storeDirectory.path)
    switch console.format {
    case .json, .ndjson:
      let holds = JSONText.object(answer.counts.map { ($0.kind, .number($0.count)) })
      console.document(
        "trendy.status/1",
        [
          ("store", .string(store)), ("holds", holds), ("sync", answer.sync.json),
          ("exports", answer.exports?.json ?? .null),
        ])
    case .plain: console.row([store] + answer.counts.map { "\($0.count)" } + ["\(answer.sync.waiting)"])
    case .text:
      let holds = answer.counts.map { count in
        let things = count.kind.replacing("_", with: " ")
        return "\(Quantity(count.count, String(things.dropLast()), things))"
      }
      console.sentence("Store:    \(store)", hanging: 10)
      console.sentence("Contents: \(holds.joined(separator: ", "))", hanging: 10)
      console.sentence("Sync:     \(answer.sync.line)", hanging: 10)
      if let exports = answer.exports { console.sentence("Export:   \(exports.line)", hanging: 10) }
    }
    return .done
  }
}
