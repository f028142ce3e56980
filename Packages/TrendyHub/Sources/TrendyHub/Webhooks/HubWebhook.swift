public import Foundation
public import TrendyModels

/// An address that is told of what changes in a person's record.
public struct HubWebhook: Hashable, Sendable, Identifiable {
  public let id: String
  public let person: String
  /// `https`, or `http` where that was allowed; with any path and query.
  public let url: String
  /// The key of the signatures. Kept as it is: who signs needs it.
  public let secret: String
  /// Names of the kinds that are told of; empty for all.
  public let kinds: [String]
  public let createdAt: Date

  public init(id: String, person: String, url: String, secret: String, kinds: [String] = [], createdAt: Date) {
    self.id = id
    self.person = person
    self.url = url
    self.secret = secret
    self.kinds = kinds
    self.createdAt = createdAt
  }
}

/// How far the deliveries to a webhook have come.
public struct HubWebhookStanding: Hashable, Sendable {
  /// What the last attempt came to.
  public struct Attempt: Hashable, Sendable {
    public var at: Date
    /// Of the answer; `nil` where none came.
    public var status: Int?
    /// Why there was no answer; empty where there was one.
    public var words: String

    public init(at: Date, status: Int?, words: String = "") {
      self.at = at
      self.status = status
      self.words = words
    }

    public var isSuccess: Bool { status.map { (200..<300).contains($0) } ?? false }
  }

  /// That one of several hubs on a storage is delivering by now.
  public struct Claim: Hashable, Sendable {
    /// Names the hub process.
    public var hub: String
    /// From then on another may deliver: the hub has died, or hangs.
    public var until: Date

    public init(hub: String, until: Date) {
      self.hub = hub
      self.until = until
    }
  }

  public let webhook: String
  /// The version of the last change that was delivered.
  public var cursor: Int64
  /// The life of the hub that the cursor belongs to; `nil` before the first.
  public var life: String?
  /// Attempts that failed since the last success.
  public var failures: Int
  /// Not tried again before.
  public var nextAttempt: Date?
  public var lastAttempt: Attempt?
  /// `nil` while nothing is on its way.
  public var claim: Claim?

  public init(webhook: String, cursor: Int64, life: String?) {
    self.webhook = webhook
    self.cursor = cursor
    self.life = life
    failures = 0
  }
}

extension HubWebhook {
  /// As storages may keep it.
  public var stored: JSONValue {
    [
      "id": .string(id), "person": .string(person), "url": .string(url), "secret": .string(secret),
      "kinds": .array(kinds.map { .string($0) }), "created": .int(createdAt.milliseconds),
    ]
  }

  /// Reads ``stored``; `nil` for anything else.
  public init?(stored: JSONValue) {
    guard let members = stored.objectValue, let id = members["id"]?.stringValue,
      let person = members["person"]?.stringValue, let url = members["url"]?.stringValue,
      let secret = members["secret"]?.stringValue, let kinds = members["kinds"]?.arrayValue,
      let created = members["created"]?.intValue
    else { return nil }
    self.init(
      id: id, person: person, url: url, secret: secret, kinds: kinds.compactMap(\.stringValue),
      createdAt: Date(milliseconds: created))
  }
}

extension HubWebhookStanding {
  /// As storages may keep it.
  public var stored: JSONValue {
    var members: [String: JSONValue] = [
      "webhook": .string(webhook), "cursor": .int(cursor), "failures": .int(Int64(failures)),
    ]
    if let life { members["life"] = .string(life) }
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

  /// Reads ``stored``; `nil` for anything else.
  public init?(stored: JSONValue) {
    guard let members = stored.objectValue, let webhook = members["webhook"]?.stringValue,
      let cursor = members["cursor"]?.storedCounter, let failures = members["failures"]?.storedCounter
    else { return nil }
    self.init(webhook: webhook, cursor: cursor, life: members["life"]?.stringValue)
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
