import CommandSupport
import HubContainer
import TrendyHub

/// `trendyd pair`
struct PairCommand: DaemonCommand {
  static let spec = CommandSpec(
    "pair", summary: "A code for one more device, good for ten minutes.", group: .people,
    examples: ["pair", "pair --name Ada"], options: [.deviceOwner, .data] + OptionSpec.hubSettings)

  init(_ session: DaemonSession) throws { _ = try session.saidSettings() }

  func act(_ session: DaemonSession) throws -> PairingOffer {
    let hub = try session.existingHub()
    let person = try session.person(for: "trendyd pair")
    let code = try hub.accounts.createPairingCode(person: person.id)
    let settings = try session.hubSettings()
    // A hub that runs may have been started with another port than what was kept.
    let port = try hub.servingPort() ?? settings.endpoint().port
    return try PairingOffer(person: person, code: code, settings: settings, port: port)
  }

  func show(_ answer: PairingOffer, _ session: DaemonSession) -> ExitCode {
    let console = session.console
    if console.isJSON { console.document("trendyd.pair/1", answer.members) }
    console.done("Code for one device of \(answer.person.name), for ten minutes: \(answer.code)")
    console.done("On the device:  \(answer.connectCommand)")
    if let hint = answer.wildcardHint { console.talk(hint) }
    return .done
  }
}
