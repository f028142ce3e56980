import CommandSupport
import HubContainer
import TrendyHub

struct TokenCreateCommand: DaemonCommand {
  static let spec = CommandSpec(
    "token create", .one("device", .text, "device name"),
    summary: "Create a token for a device that cannot pair, such as a tracker.", group: .users,
    examples: ["token create tracker", "token create tracker --name Ada"], options: [.deviceOwner, .data])

  struct Answer {
    var user: HubUser
    var deviceId: String
    var token: String
  }

  private let deviceName: String

  init(_ session: DaemonSession) { deviceName = session.arguments.positionals[0] }

  func act(_ session: DaemonSession) throws -> Answer {
    let accounts = try session.existingHub().accounts
    let user = try session.user(for: "trendyd token create NAME")
    let made = try accounts.createToken(user: user.id, deviceName: deviceName)
    return Answer(user: user, deviceId: made.device.id, token: made.token)
  }

  func show(_ answer: Answer, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document(
        "trendyd.token/1",
        [("id", .string(answer.deviceId)), ("name", .string(deviceName)), ("token", .string(answer.token))])
    } else {
      session.console.data(answer.token)
      session.console.talk(
        "Token for \(deviceName) of \(answer.user.name). It is shown only once.")
    }
    return .done
  }
}
