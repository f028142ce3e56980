import CommandSupport
import HubContainer
import TrendyHub

struct PairCommand: DaemonCommand {
  static let spec = CommandSpec(
    "pair", summary: "Create a pairing code for another device, valid for ten minutes.", group: .users,
    examples: ["pair", "pair --name Ada"], options: [.deviceOwner, .data] + OptionSpec.hubSettings)

  init(_ session: DaemonSession) throws { _ = try session.commandLineSettings() }

  func act(_ session: DaemonSession) throws -> PairingOffer {
    let hub = try session.existingHub()
    let user = try session.user(for: "trendyd pair")
    let code = try hub.accounts.createPairingCode(user: user.id)
    // Precedence of the URL: options, then the running hub, then the saved settings.
    let isSaidHere = OptionSpec.hubSettings.contains { session.arguments.has($0.key) }
    let serving = hub.serving().map {
      isSaidHere ? HubContainer.Serving(port: $0.port, deviceURL: try? session.hubSettings().url(port: $0.port)) : $0
    }
    return try PairingOffer(user: user, code: code, settings: session.hubSettings(), serving: serving)
  }

  func show(_ answer: PairingOffer, _ session: DaemonSession) -> ExitCode {
    let console = session.console
    if console.isJSON { console.document("trendyd.pair/1", answer.members) }
    console.done("Pairing code for a device of \(answer.user.name), valid for ten minutes: \(answer.code)")
    console.done("On the device:  \(answer.connectCommand)")
    answer.showPicture(on: console)
    if let hint = answer.missingAddressHint { console.talk(hint) }
    return .done
  }
}
