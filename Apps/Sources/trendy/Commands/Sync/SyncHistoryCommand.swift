import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct SyncHistoryCommand: Command {
  static let spec = CommandSpec(
    "sync history", summary: "List the last syncs with their results.", group: .sync, examples: ["sync history"],
    options: [Pager.option],
    columns: ["time", "pushed", "pulled", "error"])

  init(_ session: Session) {}

  func act(_ session: Session) throws -> [SyncRun] { try session.openStore().syncHistory.load() }

  func show(_ answer: [SyncRun], _ session: Session) -> ExitCode {
    let (console, local) = (session.console, session.local)
    switch console.format {
    case .json: console.document("trendy.sync_history/1", [("rounds", .array(answer.map { json($0, local) }))])
    case .ndjson: for run in answer { console.data("\(json(run, local))") }
    case .plain:
      for run in answer {
        console.row([local.rfc3339(run.startedAt), "\(run.pushed)", "\(run.pulled)", run.error ?? ""])
      }
    case .text:
      if answer.isEmpty { console.text("This store has not synced yet.") }
      for run in answer {
        let outcome = run.error ?? "\(run.pushed) sent, \(run.pulled) received"
        console.text("\(local.dayAndTime(run.startedAt))  \(outcome)")
      }
    }
    return .done
  }

  private func json(_ run: SyncRun, _ local: LocalTime) -> JSONText {
    .object([
      ("started_at", .string(local.rfc3339(run.startedAt))), ("ended_at", .string(local.rfc3339(run.endedAt))),
      ("pushed", .number(run.pushed)), ("pulled", .number(run.pulled)), ("error", .string(run.error)),
    ])
  }
}
