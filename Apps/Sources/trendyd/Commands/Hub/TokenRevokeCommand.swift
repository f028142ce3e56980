import CommandSupport
import HubContainer
import TrendyHub

struct TokenRevokeCommand: DaemonCommand {
  static let spec = CommandSpec(
    "token revoke", .one("device", .device, "device"), summary: "Revoke the token of a device.", group: .users,
    examples: ["token revoke tracker"], options: [.deviceOwner, .data])

  /// Id, id prefix or name of the device. A name matches only devices that have not been revoked.
  private let word: String
  private let ownerName: String?

  init(_ session: DaemonSession) {
    word = session.arguments.positionals[0]
    ownerName = session.arguments.value(OptionSpec.deviceOwner.key)
  }

  func act(_ session: DaemonSession) throws -> HubDevice {
    let accounts = try session.existingHub().accounts
    let owner = try ownerName.map { try PeopleLookup(accounts: accounts).user(called: $0) }
    let device = try device(among: accounts.devices(user: owner?.id))
    try accounts.revoke(deviceId: device.id)
    return device
  }

  private func device(among devices: [HubDevice]) throws(CommandError) -> HubDevice {
    var found = devices.filter { $0.id == word || (!word.isEmpty && $0.id.hasPrefix(word)) }
    if found.isEmpty {
      found = devices.filter { $0.revokedAt == nil && $0.name.lowercased() == word.lowercased() }
    }
    guard found.count == 1 else {
      throw CommandError(
        found.isEmpty ? "Device '\(word)' not found" : "\(found.count) devices match '\(word)'",
        hint: "List devices with their ids: trendyd token list", exit: .notFound)
    }
    return found[0]
  }

  func show(_ answer: HubDevice, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendyd.token/1", [("id", .string(answer.id)), ("revoked", .bool(true))])
    }
    session.console.done(
      "Revoked the token of \(answer.name). Its pending changes are not lost; it can be paired again.")
    return .done
  }
}
