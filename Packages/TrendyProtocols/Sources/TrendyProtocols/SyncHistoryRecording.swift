#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One round of sync, as it went.
public struct SyncRun: Hashable, Sendable, Codable {
  public var startedAt: Date
  public var endedAt: Date
  /// Mutations that the hub settled.
  public var pushed: Int
  /// Entries that the feed or a snapshot brought.
  public var pulled: Int
  /// Why it did not come to its end; `nil` where it did.
  public var error: String?

  public init(startedAt: Date, endedAt: Date, pushed: Int, pulled: Int, error: String? = nil) {
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.pushed = pushed
    self.pulled = pulled
    self.error = error
  }
}

/// Is told of every round of sync.
public protocol SyncHistoryRecording: Sendable {
  func record(_ run: SyncRun) async
}
