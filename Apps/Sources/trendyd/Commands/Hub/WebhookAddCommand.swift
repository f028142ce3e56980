import CommandSupport
import HubContainer
import TrendyHub
import TrendyModels

/// `trendyd webhook add`
struct WebhookAddCommand: DaemonCommand {
  static let spec = CommandSpec(
    "webhook add", .one("url", .text, "where changes are posted"),
    summary: "Tell an address what changes in a person's record.", group: .people,
    examples: ["webhook add https://example.org/hook", "webhook add https://example.org/hook --kind event --name Ada"],
    options: [
      .webhookOwner,
      OptionSpec(
        "--kind", value: "kind", kind: .oneOf(SyncedKind.all.map(\.name)), repetition: .allCount,
        help: "only of these: \(SyncedKind.all.map(\.name).joined(separator: ", "))"),
      OptionSpec("--insecure", help: "also http:// to another machine, which whoever is on the way can read"), .data,
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
    let person = try session.person(for: "trendyd webhook add URL")
    return try accounts.addWebhook(person: person.id, url: url, kinds: kinds, allowsClearText: allowsClearText)
  }

  func show(_ answer: HubWebhook, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document(
        "trendyd.webhook/1",
        [("id", .string(answer.id)), ("url", .string(answer.url)), ("secret", .string(answer.secret))])
    } else {
      session.console.data(answer.secret)
      session.console.talk(
        "The secret by which the receiver checks Trendy-Signature: it is shown this once. Try it: trendyd webhook try "
          + answer.id)
    }
    return .done
  }
}
