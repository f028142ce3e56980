import AppContainer
import CommandSupport
import HubContainer
import TrendyFoundation
import TrendyHub

/// `trendyd hub move`
struct HubMoveCommand: DaemonCommand {
  static let spec = CommandSpec(
    "hub move", summary: "Move a hub that is stopped from its folder to a database, or back; devices notice nothing.",
    group: .hub,
    examples: ["hub move --to postgres://trendy@db.lan/trendy", "hub move --to /var/lib/trendy/hub"],
    options: [
      OptionSpec(
        "--to", value: "place", kind: .text, help: "an empty database, postgres://user@host/name, or a folder"),
      OptionSpec(
        "--storage", value: "address", kind: .text, help: "the database that the hub is in by now, else as kept"),
      .data,
    ])

  private let place: String
  private let isDatabase: Bool

  init(_ session: DaemonSession) throws {
    guard let place = session.arguments.value("--to"), !place.isEmpty else {
      throw CommandError(
        "It is not said where to", hint: "--to postgres://user@host/name, or --to FOLDER.", exit: .usage)
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
          ("to", .string(place)), ("people", .number(report.people)), ("devices", .number(report.devices)),
          ("records", .number(report.records)), ("kept", .string(answer.kept)),
        ])
    }
    console.done(
      "Moved \(report.records) record\(report.records == 1 ? "" : "s") of \(report.people) person\(report.people == 1 ? "" : "s"), "
        + "with \(report.devices) device\(report.devices == 1 ? "" : "s"), to \(answer.place)."
    )
    console.text("What was there before is kept in \(answer.kept)")
    let said = session.settings.resolved(Setting.storage)
    if let text = session.settings.text(Setting.storage), text != (isDatabase ? place : nil) {
      console.talk(
        "\(said.origin.words) still says where it was: change that before the hub is started.", level: .warning)
    }
    return .done
  }
}
