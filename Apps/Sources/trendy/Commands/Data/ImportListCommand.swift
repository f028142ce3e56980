import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels

struct ImportListCommand: Command {
  static let spec = CommandSpec(
    "import list", summary: "List imports, newest first.", group: .data,
    examples: ["import list"], columns: ["id", "started", "state", "format", "made", "file"])

  init(_ session: Session) {}

  func act(_ session: Session) throws -> [ImportEntry] { try session.openStore().record.imports().reversed() }

  func show(_ answer: [ImportEntry], _ session: Session) -> ExitCode {
    let local = session.local
    switch session.console.format {
    case .json: session.console.document("trendy.imports/1", [("imports", .array(answer.map { json($0, local) }))])
    case .ndjson: for entry in answer { session.console.data("\(json(entry, local))") }
    case .plain:
      for entry in answer {
        session.console.row([
          entry.id, local.rfc3339(entry.started), entry.state, entry.format, "\(entry.madeCount)", entry.source,
        ])
      }
    case .text:
      if answer.isEmpty { session.console.text("No imports yet.") }
      let year = local.components(of: session.now).year
      for entry in answer {
        session.console.text(
          "\(entry.id.prefix(13))  \(local.dayAndTime(entry.started, year: year))  \(entry.format)  "
            + "\(Quantity(entry.madeCount, "record"))  \(entry.state)  \(entry.source)")
      }
    }
    return .done
  }

  private func json(_ entry: ImportEntry, _ local: LocalTime) -> JSONText {
    .object([
      ("id", .string(entry.id)), ("started", .string(local.rfc3339(entry.started))), ("state", .string(entry.state)),
      ("format", .string(entry.format)), ("made", .number(entry.madeCount)), ("file", .string(entry.source)),
    ])
  }
}

extension ImportEntry {
  fileprivate var state: String { undone != nil ? "undone" : finished != nil ? "done" : "interrupted" }
}
