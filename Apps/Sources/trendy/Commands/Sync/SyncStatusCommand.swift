import CommandSupport
import TrendyAgent

struct SyncStatusCommand: Command {
  static let spec = CommandSpec(
    "sync status", summary: "Show pending changes, the hub and the last sync.", group: .sync,
    examples: ["sync status"], columns: ["hub", "waiting", "conflicts", "cursor"])

  init(_ session: Session) {}

  func act(_ session: Session) throws -> SyncStatusReport {
    try SyncStatusReport(container: session.openStore(), session: session)
  }

  func show(_ answer: SyncStatusReport, _ session: Session) -> ExitCode {
    switch session.console.format {
    case .json, .ndjson: session.console.document("trendy.sync_status/1", [("sync", answer.json)])
    case .plain:
      session.console.row([
        answer.account?.hubName ?? "", "\(answer.waiting)", "\(answer.conflicts)", "\(answer.cursor ?? 0)",
      ])
    case .text:
      session.console.sentence(answer.line)
      for line in answer.details { session.console.sentence(line) }
    }
    return .done
  }
}
