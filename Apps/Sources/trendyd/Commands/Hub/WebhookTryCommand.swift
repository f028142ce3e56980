import CommandSupport
import HubContainer
import TrendyHub
import TrendyProtocols

struct WebhookTryCommand: DaemonCommand {
  static let spec = CommandSpec(
    "webhook try", .one("webhook", .text, "id, id prefix or address"),
    summary: "Send a signed test delivery and report the response.", group: .users,
    examples: ["webhook try 0199f3c2"], options: [.data])

  private let word: String

  init(_ session: DaemonSession) { word = session.arguments.positionals[0] }

  func act(_ session: DaemonSession) async throws -> (HubWebhook, WebhookResponse) {
    let hub = try session.existingHub()
    let webhook = try hub.accounts.webhook(word)
    do {
      return (
        webhook,
        try await HTTPWebhookSender(clock: hub.clock).send(WebhookDelivery(trying: webhook, now: hub.clock.now))
      )
    } catch {
      throw CommandError(
        "\(webhook.url) did not respond: \(error)", hint: "Check the address and the server.", exit: .unreachable)
    }
  }

  func show(_ answer: (HubWebhook, WebhookResponse), _ session: DaemonSession) -> ExitCode {
    let (webhook, reply) = answer
    if session.console.isJSON {
      session.console.document(
        "trendyd.webhook/1", [("id", .string(webhook.id)), ("status", .number(reply.status))])
    }
    let isTaken = (200..<300).contains(reply.status)
    session.console.text(
      "\(webhook.url) responded with status \(reply.status)\(isTaken ? "." : "; a delivery succeeds only with 200 to 299.")"
    )
    return isTaken ? .done : .no
  }
}
