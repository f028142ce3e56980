import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

/// `trendy disconnect`
struct DisconnectCommand: Command {
  static let spec = CommandSpec(
    "disconnect", summary: "Forget the hub. What was recorded stays, and what waits.", group: .sync,
    examples: ["disconnect"])

  struct Answer {
    /// At the hub that was forgotten; `nil` where there was none.
    var account: Account?
    /// Changes that the hub has not got.
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
      console.done("This store is connected to no hub.")
      return .done
    }
    console.done("Disconnected from \(account.hubName). What was recorded stays here.")
    if waiting > 0 {
      console.done("\(waiting) change\(waiting == 1 ? " waits" : "s wait") for it, and stay\(waiting == 1 ? "s" : "").")
    }
    console.done("Go on with the same account, here or at its new address:  trendy connect URL CODE")
    console.done("End the token at the hub:  trendyd token revoke \(account.deviceId)")
    return .done
  }
}
