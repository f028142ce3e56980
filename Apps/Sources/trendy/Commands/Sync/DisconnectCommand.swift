import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct DisconnectCommand: Command {
  static let spec = CommandSpec(
    "disconnect", summary: "Disconnect from the hub; all entries and pending changes are kept.", group: .sync,
    examples: ["disconnect"])

  struct Answer {
    /// Disconnected account, or `nil` if the store was not connected.
    var account: Account?
    /// Number of changes never sent to the hub.
    var waiting: Int
  }

  init(_ session: Session) {}

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let answer = Answer(
      account: try container.accountFile.load(), waiting: try container.makeStore().syncCounts().pending)
    if let account = answer.account {
      try container.accountFile.disconnect(account)
      container.agent.send()
    }
    return answer
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let (console, waiting) = (session.console, answer.waiting)
    if console.isJSON {
      console.document(
        "trendy.disconnect/1", [("hub", .string(answer.account?.hubName)), ("waiting", .number(waiting))])
    }
    guard let account = answer.account else {
      console.done("This store is not connected to a hub.")
      return .done
    }
    console.done("Disconnected from \(account.hubName). All entries are kept on this device.")
    if waiting > 0 {
      console.done("\(Quantity(waiting, "change")) pending; to be sent when you connect again.")
    }
    console.done("To connect again, to the same or a new address:  trendy connect URL CODE")
    console.done("To revoke this device on the hub:  trendyd token revoke \(ShortID.of(account.deviceId))")
    return .done
  }
}
