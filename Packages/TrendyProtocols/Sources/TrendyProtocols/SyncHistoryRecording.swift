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
  /// When the next comes by itself; `nil` where none does.
  public var nextTry: Date?
  /// Until when nothing is sent, because the hub asked to be left alone; `nil` where it did not.
  public var pausedUntil: Date?
  /// Whether the hub took this device's token; `nil` where it gave no answer.
  public var isTokenGood: Bool?

  public init(
    startedAt: Date, endedAt: Date, pushed: Int, pulled: Int, error: String? = nil, nextTry: Date? = nil,
    pausedUntil: Date? = nil, isTokenGood: Bool? = nil
  ) {
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.pushed = pushed
    self.pulled = pulled
    self.error = error
    self.nextTry = nextTry
    self.pausedUntil = pausedUntil
    self.isTokenGood = isTokenGood
  }
}

/// Is told of every round of sync.
public protocol SyncHistoryRecording: Sendable {
  func record(_ run: SyncRun) async
}
