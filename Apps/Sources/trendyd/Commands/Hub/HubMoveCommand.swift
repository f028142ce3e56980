import AppContainer
import CommandSupport
import HubContainer
import TrendyFoundation
import TrendyHub

struct HubMoveCommand: DaemonCommand {
  static let spec = CommandSpec(
    "hub move", summary: "Move a stopped hub between a folder and a database.",
    group: .hub,
    examples: ["hub move --to postgres://trendy@db.lan/trendy", "hub move --to /var/lib/trendy/hub"],
    options: [
      OptionSpec(
        "--to", value: "place", kind: .text,
        help: "destination: an empty database, postgres://user@host/name, or a folder"),
      OptionSpec(
        "--storage", value: "address", kind: .text, help: "current database of the hub (default: as saved)"),
      .data,
    ])

  private let place: String
  private let isDatabase: Bool

  init(_ session: DaemonSession) throws {
    guard let place = session.arguments.value("--to"), !place.isEmpty else {
      throw CommandError(
        "Missing destination", hint: "Use --to postgres://user@host/name or --to FOLDER.", exit: .usage)
    }
    self.place = place
    isDatabase = place.hasPrefix("postgres://") || place.hasPrefix("postgresql://")
    if isDatabase { try HubSettings.check(storage: place, option: "--to") }
  }

  func act(_ session: DaemonSession) throws -> HubContainer.Moving {
    let hub = try session.existingHub()
    let destination =
      isDatabase
      ? HubContainer(directory: hub.directory, database: place)
      : HubContainer(directory: URL(filePath: place))
    return try hub.move(to: destination)
  }

  func show(_ answer: HubContainer.Moving, _ session: DaemonSession) -> ExitCode {
    let (console, report) = (session.console, answer.report)
    if console.isJSON {
      console.document(
        "trendyd.move/1",
        [
          ("to", .string(place)), ("people", .number(report.users)), ("devices", .number(report.devices)),
          ("records", .number(report.records)), ("kept", .string(answer.kept)),
        ])
    }
    console.done(
      "Moved \(report.records) record\(report.records == 1 ? "" : "s") of \(report.users) user\(report.users == 1 ? "" : "s"), "
        + "with \(report.devices) device\(report.devices == 1 ? "" : "s"), to \(answer.place)."
    )
    console.text("The previous data is kept in \(answer.kept)")
    let storage = session.settings.resolved(Setting.storage)
    if let text = session.settings.text(Setting.storage), text != (isDatabase ? place : nil) {
      console.talk(
        "\(storage.origin.words) still refers to the old location. Change it before you start the hub.", level: .warning
      )
    }
    return .done
  }
}
