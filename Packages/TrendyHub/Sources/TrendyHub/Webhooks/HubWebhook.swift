public import Foundation
public import TrendyModels

/// A URL to which the hub delivers changes to a user's record.
public struct HubWebhook: Hashable, Sendable, Identifiable {
  public let id: String
  /// Id of the user.
  public let user: String
  /// URL with the scheme `https`, or `http` if allowed, with any path and query.
  public let url: String
  /// Signing key, stored in clear text because the hub signs with it.
  public let secret: String
  /// Kinds of entities to deliver, or an empty array to deliver all kinds.
  public let kinds: [String]
  public let createdAt: Date

  public init(id: String, user: String, url: String, secret: String, kinds: [String] = [], createdAt: Date) {
    self.id = id
    self.user = user
    self.url = url
    self.secret = secret
    self.kinds = kinds
    self.createdAt = createdAt
  }
}

/// Delivery state of a webhook.
public struct WebhookDeliveryState: Hashable, Sendable {
  /// Result of the last attempt.
  public struct Attempt: Hashable, Sendable {
    /// Time of the attempt.
    public var at: Date
    /// Status code of the response, or `nil` if there was none.
    public var status: Int?
    /// Reason why no response was received, or an empty string if one was received.
    public var words: String

    public init(at: Date, status: Int?, words: String = "") {
      self.at = at
      self.status = status
      self.words = words
    }

    /// Whether the receiver responded with a status from 200 to 299.
    public var isSuccess: Bool { status.map { (200..<300).contains($0) } ?? false }
  }

  /// Claim by which one of several hubs on a storage reserves the deliveries.
  public struct Claim: Hashable, Sendable {
    /// Id of the hub process.
    public var hub: String
    /// Time after which another hub may deliver, because this hub must have exited or be stuck.
    public var until: Date

    public init(hub: String, until: Date) {
      self.hub = hub
      self.until = until
    }
  }

  /// Id of the webhook.
  public let webhook: String
  /// Version of the last delivered change.
  public var cursor: Int64
  /// Epoch that contains the cursor, or `nil` if there is none yet.
  public var epoch: String?
  /// Number of failed attempts since the last success.
  public var failures: Int
  /// Earliest time of the next attempt, or `nil` for no restriction.
  public var nextAttempt: Date?
  /// Result of the last attempt, or `nil` before the first.
  public var lastAttempt: Attempt?
  /// A hub's claim, or `nil` while no delivery is in progress.
  public var claim: Claim?

  /// Creates the state of a new webhook, to be sent the changes after `cursor`.
  public init(webhook: String, cursor: Int64, epoch: String?) {
    self.webhook = webhook
    self.cursor = cursor
    self.epoch = epoch
    failures = 0
  }
}

extension HubWebhook {
  /// JSON representation of the webhook, as saved by storages.
  public var stored: JSONValue {
    [
      "id": .string(id), "person": .string(user), "url": .string(url), "secret": .string(secret),
      "kinds": .array(kinds.map { .string($0) }), "created": .int(createdAt.milliseconds),
    ]
  }

  /// Decodes ``stored``, or returns `nil` if it is invalid.
  public init?(stored: JSONValue) {
    guard let members = stored.objectValue, let id = members["id"]?.stringValue,
      let user = members["person"]?.stringValue, let url = members["url"]?.stringValue,
      let secret = members["secret"]?.stringValue, let kinds = members["kinds"]?.arrayValue,
      let created = members["created"]?.intValue
    else { return nil }
    self.init(
      id: id, user: user, url: url, secret: secret, kinds: kinds.compactMap(\.stringValue),
      createdAt: Date(milliseconds: created))
  }
}

extension WebhookDeliveryState {
  /// JSON representation of the delivery state, as saved by storages.
  public var stored: JSONValue {
    var members: [String: JSONValue] = [
      "webhook": .string(webhook), "cursor": .int(cursor), "failures": .int(Int64(failures)),
    ]
    if let epoch { members["life"] = .string(epoch) }
    if let claim { members["claim"] = ["hub": .string(claim.hub), "until": .int(claim.until.milliseconds)] }
    if let nextAttempt { members["next"] = .int(nextAttempt.milliseconds) }
    if let lastAttempt {
      members["last"] = [
        "at": .int(lastAttempt.at.milliseconds), "status": lastAttempt.status.map { .int(Int64($0)) } ?? .null,
        "words": .string(lastAttempt.words),
      ]
    }
    return .object(members)
  }

  /// Decodes ``stored``, or returns `nil` if it is invalid.
  public init?(stored: JSONValue) {
    guard let members = stored.objectValue, let webhook = members["webhook"]?.stringValue,
      let cursor = members["cursor"]?.storedCounter, let failures = members["failures"]?.storedCounter
    else { return nil }
    self.init(webhook: webhook, cursor: cursor, epoch: members["life"]?.stringValue)
    self.failures = Int(failures)
    nextAttempt = members["next"]?.intValue.map(Date.init(milliseconds:))
    if let held = members["claim"]?.objectValue {
      guard let hub = held["hub"]?.stringValue, let until = held["until"]?.intValue else { return nil }
      claim = Claim(hub: hub, until: Date(milliseconds: until))
    }
    if let last = members["last"]?.objectValue {
      guard let at = last["at"]?.intValue, let words = last["words"]?.stringValue else { return nil }
      lastAttempt = Attempt(
        at: Date(milliseconds: at), status: last["status"]?.intValue.map { Int($0) }, words: words)
    }
  }
}
