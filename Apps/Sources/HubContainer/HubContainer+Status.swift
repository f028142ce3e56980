public import Foundation
public import TrendyHub
import TrendyHubPostgres
import TrendyModels

extension HubContainer {
  /// Status of a hub, as seen by other programs.
  public struct Status: Sendable {
    /// Location of the data, for messages.
    public var place: String
    /// State of the running hub of a folder; `nil` if none is running, and for a database.
    public var serving: Serving?
    /// Number of hubs that serve the database; `nil` for a folder.
    public var processCount: Int?
    /// Reason why the hub cannot save, if it cannot.
    public var shortage: String?
    public var peopleCount: Int
    /// Devices with a valid token.
    public var deviceCount: Int
    /// Time of the last contact of a device, accurate to an hour.
    public var lastSeen: Date?
    public var webhookCount: Int
    /// Webhooks whose last delivery failed.
    public var failingWebhookCount: Int

    public var isServed: Bool { processCount.map { $0 > 0 } ?? (serving != nil) }
  }

  /// Reads the status of the hub.
  /// - Throws: `HubStorageError` if the storage cannot be read.
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
      shortage: shortage, peopleCount: try accounts.users().count, deviceCount: devices.count,
      lastSeen: devices.compactMap(\.seenAt).max(), webhookCount: webhooks.count,
      failingWebhookCount: webhooks.count { ($0.standing?.failures ?? 0) > 0 })
  }

  /// Size of the record of a user.
  public struct Holding: Hashable, Sendable {
    /// Entries that are not deleted.
    public var rows: Int64
    /// Size from `HubStorage.size(of:)`.
    public var bytes: Int64?
    /// Bytes of entries that are not deleted, which count for the quota.
    public var contentBytes: Int64
    /// Quota of the user.
    public var quota: HubQuota
  }

  /// Reads the size of a user's record.
  /// - Throws: `HubStorageError`.
  public func holding(of user: String) throws -> Holding {
    do {
      let (own, rows, content) = try accounts.quota(of: user)
      return Holding(rows: rows, bytes: try storage.size(of: user), contentBytes: content, quota: own)
    } catch HubStorageError.erased {
      return Holding(rows: 0, bytes: nil, contentBytes: 0, quota: HubQuota())
    }
  }
}
