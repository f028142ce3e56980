import CommandSupport
import HubContainer
import TrendyHub
import TrendyModels

struct WebhookAddCommand: DaemonCommand {
  static let spec = CommandSpec(
    "webhook add", .one("url", .text, "address"),
    summary: "Add a webhook that receives changes to a user's entries.", group: .users,
    examples: ["webhook add https://example.org/hook", "webhook add https://example.org/hook --kind event --name Ada"],
    options: [
      .webhookOwner,
      OptionSpec(
        "--kind", value: "kind", kind: .oneOf(SyncedKind.all.map(\.name)), repetition: .allCount,
        help: "only these kinds: \(SyncedKind.all.map(\.name).joined(separator: ", "))"),
      OptionSpec("--insecure", help: "allow http:// to another machine, which sends the changes unencrypted"), .data,
    ])

  private let url: String
  private let kinds: [String]
  private let allowsClearText: Bool

  init(_ session: DaemonSession) {
    url = session.arguments.positionals[0]
    kinds = session.arguments.all("--kind")
    allowsClearText = session.arguments.has("--insecure")
  }

  func act(_ session: DaemonSession) throws -> HubWebhook {
    let accounts = try session.existingHub().accounts
    let user = try session.user(for: "trendyd webhook add URL")
    return try accounts.addWebhook(user: user.id, url: url, kinds: kinds, allowsClearText: allowsClearText)
  }

  func show(_ answer: HubWebhook, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document(
        "trendyd.webhook/1",
        [("id", .string(answer.id)), ("url", .string(answer.url)), ("secret", .string(answer.secret))])
    } else {
      session.console.data(answer.secret)
      session.console.talk(
        "The receiver verifies Trendy-Signature with this secret, which is shown only once. To test: trendyd webhook try "
          + answer.id)
    }
    return .done
  }
}
