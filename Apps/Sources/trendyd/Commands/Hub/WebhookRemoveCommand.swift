import CommandSupport
import HubContainer
import TrendyHub

struct WebhookRemoveCommand: DaemonCommand {
  static let spec = CommandSpec(
    "webhook rm", .one("webhook", .text, "id, id prefix or address"),
    summary: "Remove a webhook.", group: .users, examples: ["webhook rm 0199f3c2"], options: [.data])

  private let word: String

  init(_ session: DaemonSession) { word = session.arguments.positionals[0] }

  func act(_ session: DaemonSession) throws -> HubWebhook {
    let accounts = try session.existingHub().accounts
    let webhook = try accounts.webhook(word)
    try accounts.removeWebhook(webhook)
    return webhook
  }

  func show(_ answer: HubWebhook, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendyd.webhook/1", [("id", .string(answer.id)), ("removed", .bool(true))])
    }
    session.console.done("Removed the webhook to \(answer.url).")
    return .done
  }
}

extension HubAccounts {
  /// Returns the webhook with the given id, unique id prefix or URL.
  func webhook(_ word: String) throws -> HubWebhook {
    let found = try webhooks().map(\.webhook).filter { webhook in
      webhook.id == word || webhook.url == word || !word.isEmpty && webhook.id.hasPrefix(word)
    }
    guard found.count == 1 else {
      throw CommandError(
        found.isEmpty ? "Webhook '\(word)' not found" : "\(found.count) webhooks match '\(word)'",
        hint: "List webhooks with their ids: trendyd webhook list", exit: .notFound)
    }
    return found[0]
  }
}
