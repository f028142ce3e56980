import Foundation
import TrendyModels
import TrendyProtocols

extension HubAccounts {
  /// Adds an address that is told of every change from now on.
  /// - Parameters:
  ///   - person: whose record it is.
  ///   - url: `https`, or `http` on this machine.
  ///   - kinds: names of the kinds that are told of; empty for all.
  ///   - allowsClearText: whether `http` may go to other machines: whoever is on the way can read along.
  /// - Throws: a ``Problem`` of kind `invalid` or `not_found`.
  public func addWebhook(
    person: String, url: String, kinds: [String] = [], allowsClearText: Bool = false
  ) throws -> HubWebhook {
    try Self.checkWebhook(url: url, allowsClearText: allowsClearText)
    if let unknown = kinds.first(where: { SyncedKind.named($0) == nil }) {
      throw Problem.invalid("kind: expected \(SyncedKind.all.map(\.name).joined(separator: ", ")), not \"\(unknown)\"")
    }
    let now = clock.now
    let webhook = HubWebhook(
      id: chance.identifier(at: now), person: person, url: url, secret: chance.token(), kinds: kinds, createdAt: now)
    guard try storage.readDirectory({ try $0.person(id: person) }) != nil else {
      throw Problem.notFound("no person has the id \"\(person.prefix(60))\"")
    }
    // Before the webhook, which is nothing without it.
    try storage.write(person: person) { transaction in
      let state = try transaction.state()
      try transaction.put(
        HubWebhookStanding(webhook: webhook.id, cursor: state.head, life: state.epochs.epoch(of: state.head)?.id))
    }
    try storage.writeDirectory { try $0.put(webhook) }
    return webhook
  }

  /// By the time they were added; of one person, or of all.
  public func webhooks(person: String? = nil) throws -> [(webhook: HubWebhook, standing: HubWebhookStanding?)] {
    let webhooks = try storage.readDirectory { try $0.webhooks() }
      .filter { person == nil || $0.person == person }
      .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    return try webhooks.map { webhook in
      (webhook, try storage.read(person: webhook.person) { try $0.webhookStanding(of: webhook.id) })
    }
  }

  /// Nothing is delivered any more, at the latest in ten seconds where a hub serves.
  public func removeWebhook(_ webhook: HubWebhook) throws {
    try storage.writeDirectory { try $0.deleteWebhook(id: webhook.id) }
    try storage.write(person: webhook.person) { transaction in
      try transaction.forgetWebhookStanding(of: webhook.id)
      try transaction.forgetContact(device: "webhook:\(webhook.id)")
    }
  }

  private static func checkWebhook(url text: String, allowsClearText: Bool) throws(Problem) {
    guard text.utf8.count <= 2048, let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = url.host(), !host.isEmpty, url.user() == nil,
      url.fragment() == nil
    else { throw .invalid("url: expected an address such as https://example.org/hook, without a user or a fragment") }
    let isHere = host.lowercased() == "localhost" || NetworkAddress(host)?.isLoopback == true
    guard scheme == "https" || isHere || allowsClearText else {
      throw .invalid("url: http:// to \(host) would send the record in clear text: use https://, or allow it expressly")
    }
  }
}
