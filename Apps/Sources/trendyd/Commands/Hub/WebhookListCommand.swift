import CommandSupport
import HubContainer
import TrendyFoundation
import TrendyHub
import TrendyModels

struct WebhookListCommand: DaemonCommand {
  static let spec = CommandSpec(
    "webhook list", summary: "List webhooks with the results of their last deliveries.", group: .users,
    examples: ["webhook list"],
    options: [OptionSpec("--name", value: "user", kind: .text, help: "list only this user's webhooks"), .data])

  struct Row {
    var webhook: HubWebhook
    /// Delivery status, or `nil` if the webhook has just been added.
    var standing: WebhookDeliveryState?
    /// Name of the user, or `nil` if all of the user's data was erased.
    var personName: String?
  }

  private let ownerName: String?

  init(_ session: DaemonSession) { ownerName = session.arguments.value("--name") }

  func act(_ session: DaemonSession) throws -> [Row] {
    let accounts = try session.existingHub().accounts
    let lookup = PeopleLookup(accounts: accounts)
    let names = try lookup.names()
    let owner = try ownerName.map { try lookup.user(called: $0) }
    return try accounts.webhooks(user: owner?.id).map {
      Row(webhook: $0.webhook, standing: $0.standing, personName: names[$0.webhook.user])
    }
  }

  func show(_ answer: [Row], _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendyd.webhooks/1", [("webhooks", .array(answer.map(\.json)))])
    }
    if answer.isEmpty { session.console.text("No webhooks yet. To add one: trendyd webhook add URL") }
    for row in answer { session.console.text(row.line) }
    return .done
  }
}

extension WebhookListCommand.Row {
  fileprivate var json: JSONText {
    func time(_ date: Date?) -> JSONText { .string(date.map { RFC3339.string(from: $0) }) }
    let last = standing?.lastAttempt
    return .object([
      ("id", .string(webhook.id)), ("url", .string(webhook.url)), ("person", .string(personName)),
      ("kinds", .array(webhook.kinds.map { .string($0) })), ("created_at", time(webhook.createdAt)),
      ("delivered_through", standing.map { .number($0.cursor) } ?? .null),
      ("failures", .number(standing?.failures ?? 0)), ("next_attempt", time(standing?.nextAttempt)),
      ("last_attempt", time(last?.at)), ("last_status", last?.status.map { .number($0) } ?? .null),
      ("last_error", .string(last.flatMap { $0.words.isEmpty ? nil : $0.words })),
    ])
  }

  fileprivate var line: String {
    let kinds = webhook.kinds.isEmpty ? "" : "  \(webhook.kinds.joined(separator: ", "))"
    return "\(webhook.id.prefix(13))  \(webhook.url)  \(personName ?? "no user")\(kinds)  \(standingWords)"
  }

  private var standingWords: String {
    guard let standing, let last = standing.lastAttempt else { return "no deliveries yet" }
    let answer = last.status.map { "status \($0)" } ?? last.words
    guard standing.failures > 0, let next = standing.nextAttempt else {
      return "\(answer) at \(RFC3339.string(from: last.at))"
    }
    return "failed \(standing.failures) times: \(answer); next attempt at \(RFC3339.string(from: next))"
  }
}
