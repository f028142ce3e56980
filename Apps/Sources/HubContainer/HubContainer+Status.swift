public import Foundation
public import TrendyHub
import TrendyHubPostgres
import TrendyModels

extension HubContainer {
  /// How a hub stands, as far as any program that knows its place can tell.
  public struct Status: Sendable {
    /// Where its data is, in words.
    public var place: String
    /// Where the hub of a folder listens; `nil` where none serves it, and of a database.
    public var serving: Serving?
    /// Hubs that serve the database in this moment; `nil` of a folder.
    public var processCount: Int?
    /// Why nothing could be saved by now; `nil` where it could.
    public var shortage: String?
    public var peopleCount: Int
    /// Devices that may come in.
    public var deviceCount: Int
    /// When a device last came in, to an hour.
    public var lastSeen: Date?
    public var webhookCount: Int
    /// Those whose last post was not taken.
    public var failingWebhookCount: Int

    public var isServed: Bool { processCount.map { $0 > 0 } ?? (serving != nil) }
  }

  /// - Throws: `HubStorageError` where not even that can be read.
  public func status() throws -> Status {
    let devices = try accounts.devices().filter { $0.revokedAt == nil }
    let webhooks = try accounts.webhooks()
    var shortage: String?
    do {
      try storage.checkReady()
    } catch {
      shortage = "\(error)"
    }
    return Status(
      place: place, serving: serving(), processCount: try (storage as? PostgresHubStorage)?.servingCount(),
      shortage: shortage, peopleCount: try accounts.people().count, deviceCount: devices.count,
      lastSeen: devices.compactMap(\.seenAt).max(), webhookCount: webhooks.count,
      failingWebhookCount: webhooks.count { ($0.standing?.failures ?? 0) > 0 })
  }

  /// What is kept of a person.
  public struct Holding: Hashable, Sendable {
    /// Entries that live.
    public var rows: Int64
    /// As `HubStorage.size(of:)`.
    public var bytes: Int64?
    /// Bytes of what lives, which count for the quota.
    public var contentBytes: Int64
    /// Their own.
    public var quota: HubQuota
  }

  /// - Throws: `HubStorageError`.
  public func holding(of person: String) throws -> Holding {
    do {
      let (own, rows, content) = try accounts.quota(of: person)
      return Holding(rows: rows, bytes: try storage.size(of: person), contentBytes: content, quota: own)
    } catch HubStorageError.erased {
      return Holding(rows: 0, bytes: nil, contentBytes: 0, quota: HubQuota())
    }
  }
}
