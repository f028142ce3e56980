import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct TrackListCommand: Command {
  static let spec = CommandSpec(
    "track list", summary: "List devices with recorded positions.", group: .drive,
    examples: ["track list"], columns: ["device", "first", "last", "fixes"])

  init(_ session: Session) {}

  struct Row {
    let device: TrackDevice
    let count: Int
  }

  func act(_ session: Session) throws -> [Row] {
    let record = try session.openStore().record
    return try record.trackDevices().map { Row(device: $0, count: try record.fixCount(of: $0.name)) }
  }

  func show(_ answer: [Row], _ session: Session) -> ExitCode {
    let local = session.local
    switch session.console.format {
    case .json: session.console.document("trendy.tracks/1", [("devices", .array(answer.map { json($0, local) }))])
    case .ndjson: for row in answer { session.console.data("\(json(row, local))") }
    case .plain:
      for row in answer {
        let times = [row.device.firstTime, row.device.lastTime].map { local.rfc3339($0) }
        session.console.row([row.device.name] + times + ["\(row.count)"])
      }
    case .text: printText(answer, session)
    }
    return .done
  }

  private func printText(_ rows: [Row], _ session: Session) {
    if rows.isEmpty { session.console.text("No recorded positions yet. To add some: trendy track add FILE") }
    let local = session.local
    let width = min(40, rows.map(\.device.name.columns).max() ?? 0)
    for row in rows {
      let (first, last) = (row.device.firstTime, row.device.lastTime)
      let year = local.year(session.now, spanning: first, last)
      let isOneDay = local.day(first, year: year) == local.day(last, year: year)
      let end = isOneDay ? local.time(last) : local.dayAndTime(last, year: year)
      session.console.text(
        StyledText([
          StyledText.Part(row.device.name.padded(to: width), .name(color: nil)),
          StyledText.Part("\(local.dayAndTime(first, year: year)) to \(end)"),
          StyledText.Part("\(Quantity(row.count, "position"))"),
        ]))
    }
  }

  private func json(_ row: Row, _ local: LocalTime) -> JSONText {
    .object([
      ("name", .string(row.device.name)), ("first", .string(local.rfc3339(row.device.firstTime))),
      ("last", .string(local.rfc3339(row.device.lastTime))), ("fixes", .number(row.count)),
    ])
  }
}
