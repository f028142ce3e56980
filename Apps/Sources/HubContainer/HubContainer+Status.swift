public import Foundation
public import TrendyHub
import TrendyHubPostgres
import TrendyModels

extension HubContainer {
  /// Status of a hub for its operator.
  public struct Status: Sendable {
    /// Location of the data, as text for messages.
    public var place: String
    /// Port and URL of the running hub, or `nil` if none is running, or if the data is in a database.
    public var serving: Serving?
    /// Number of hub processes connected to the database, or `nil` if the data is in a folder.
    public var processCount: Int?
    /// Reason why the hub cannot save data, or `nil` if it can.
    public var shortage: String?
    public var peopleCount: Int
    /// Number of devices with a valid token.
    public var deviceCount: Int
    /// Time of the last contact from any device, to the hour, or `nil` if there was none.
    public var lastSeen: Date?
    public var webhookCount: Int
    /// Number of webhooks whose last delivery failed.
    public var failingWebhookCount: Int

    public var isServed: Bool { processCount.map { $0 > 0 } ?? (serving != nil) }
  }

  /// Reads the hub's status.
  /// - Throws: `HubStorageError` if the storage is unreadable.
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

  /// Size of a user's record and the user's quota.
  public struct Holding: Hashable, Sendable {
    /// Number of entries, not counting deleted ones.
    public var rows: Int64
    /// Size in storage, in bytes, or `nil` if the storage does not report it.
    public var bytes: Int64?
    /// Total size in bytes of all entries that are not deleted. The quota limits this size.
    public var contentBytes: Int64
    /// Quota set for this user, which overrides the default of the hub.
    public var quota: HubQuota
  }

  /// Reads the size of a user's record and the user's quota.
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
