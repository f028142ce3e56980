import CommandSupport
import HubContainer
import TrendyFoundation
import TrendyHub

struct HubInitCommand: DaemonCommand {
  static let spec = CommandSpec(
    "hub init", summary: "Create a hub with its first user and a pairing code.", group: .hub,
    examples: ["hub init", "hub init --listen 0.0.0.0:8787 --host attic.lan --name Ada"],
    options: [
      OptionSpec("--name", value: "user", kind: .text, help: "name of the first user"),
      OptionSpec("--if-missing", help: "do nothing if the hub already exists"), .data,
    ] + OptionSpec.hubSettings)

  private let name: String
  private let allowsExisting: Bool
  private let settings: HubSettings

  init(_ session: DaemonSession) throws {
    name = session.arguments.value("--name") ?? session.environment["USER"] ?? "me"
    allowsExisting = session.arguments.has("--if-missing")
    settings = try session.commandLineSettings()
  }

  /// Creates the hub and returns a pairing code, or `nil` if the hub already exists and `--if-missing` is given.
  func act(_ session: DaemonSession) throws -> PairingOffer? {
    let hub = session.hub
    guard try !hub.exists() else { return try existing(hub) }
    try hub.makeFolder()
    let user: HubUser
    do {
      user = try hub.accounts.createPerson(name: name, isFirst: true)
    } catch let problem as Problem where problem.kind == "duplicate" {
      // Another process created the hub after the check above.
      return try existing(hub)
    }
    try settings.save(to: hub.directory)
    // The URL for devices depends on all settings in effect, not just on this command's options.
    let served = try session.hubSettings()
    return try PairingOffer(
      user: user, code: try hub.accounts.createPairingCode(user: user.id), settings: served)
  }

  private func existing(_ hub: HubContainer) throws(CommandError) -> PairingOffer? {
    if allowsExisting { return nil }
    throw CommandError(
      "A hub already exists at \(hub.place)", hint: "To pair another device: trendyd pair", exit: .cannotCreate)
  }

  func show(_ answer: PairingOffer?, _ session: DaemonSession) -> ExitCode {
    guard let answer else { return .done }
    let (console, path) = (session.console, session.hub.directory.path)
    if console.isJSON { console.document("trendyd.hub/1", [("data", .string(path))] + answer.members) }
    console.done("Hub ready at \(session.hub.place), for \(answer.user.name).")
    console.done("Start it:  trendyd run --role hub\(session.dataOption)")
    console.done("On a device, within ten minutes:  \(answer.connectCommand)")
    answer.showPicture(on: console)
    if let hint = answer.missingAddressHint { console.talk(hint) }
    return .done
  }
}
