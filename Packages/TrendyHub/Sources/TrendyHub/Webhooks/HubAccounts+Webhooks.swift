import Foundation
import TrendyModels
import TrendyProtocols

extension HubAccounts {
  /// Adds a webhook that receives all later changes to a user's record.
  ///
  /// - Parameters:
  ///   - user: Id of the user.
  ///   - url: URL with the scheme `https`, or `http` for this machine.
  ///   - kinds: Kinds of entities to deliver, or an empty array to deliver all kinds.
  ///   - allowsClearText: Whether to allow `http` to other machines, which exposes the changes to the network.
  /// - Throws: A ``Problem`` of kind `invalid` or `not_found`.
  public func addWebhook(
    user: String, url: String, kinds: [String] = [], allowsClearText: Bool = false
  ) throws -> HubWebhook {
    try Self.checkWebhook(url: url, allowsClearText: allowsClearText)
    if let unknown = kinds.first(where: { SyncedKind.named($0) == nil }) {
      throw Problem.invalid(
        "kind: expected one of \(SyncedKind.all.map(\.name).joined(separator: ", ")), found \"\(unknown)\"")
    }
    let now = clock.now
    let webhook = HubWebhook(
      id: random.identifier(at: now), user: user, url: url, secret: random.token(), kinds: kinds, createdAt: now)
    guard try storage.readDirectory({ try $0.user(id: user) }) != nil else {
      throw Problem.notFound("this hub has no user with the id \"\(user.prefix(60))\"")
    }
    // Write the delivery state first, because a webhook without one is treated as removed.
    try storage.write(user: user) { transaction in
      let state = try transaction.state()
      try transaction.put(
        WebhookDeliveryState(webhook: webhook.id, cursor: state.head, epoch: state.epochs.epoch(of: state.head)?.id))
    }
    try storage.writeDirectory { try $0.put(webhook) }
    return webhook
  }

  /// Returns the webhooks of one user or all users, in order of creation.
  public func webhooks(user: String? = nil) throws -> [(webhook: HubWebhook, standing: WebhookDeliveryState?)] {
    let webhooks = try storage.readDirectory { try $0.webhooks() }
      .filter { user == nil || $0.user == user }
      .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    return try webhooks.map { webhook in
      (webhook, try storage.read(user: webhook.user) { try $0.webhookStanding(of: webhook.id) })
    }
  }

  /// Removes a webhook. A running hub stops delivering to it within ten seconds.
  public func removeWebhook(_ webhook: HubWebhook) throws {
    try storage.writeDirectory { try $0.deleteWebhook(id: webhook.id) }
    try storage.write(user: webhook.user) { transaction in
      try transaction.forgetWebhookStanding(of: webhook.id)
      try transaction.forgetContact(device: "webhook:\(webhook.id)")
    }
  }

  private static func checkWebhook(url text: String, allowsClearText: Bool) throws(Problem) {
    guard text.utf8.count <= 2048, let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = url.host(), !host.isEmpty, url.user() == nil,
      url.fragment() == nil
    else { throw .invalid("url: expected a URL such as https://example.org/hook, without user name and fragment") }
    let isHere = host.lowercased() == "localhost" || NetworkAddress(host)?.isLoopback == true
    guard scheme == "https" || isHere || allowsClearText else {
      throw .invalid(
        "url: http:// would send the record to \(host) unencrypted: use https://, or allow plain HTTP explicitly")
    }
  }
}
