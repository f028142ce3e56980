public import TrendyFoundation

/// One round of sync, as it went.
public struct SyncRun: Hashable, Sendable, Codable {
  public var startedAt: Date
  public var endedAt: Date
  /// Mutations that the hub settled.
  public var pushed: Int
  /// Entries that the feed or a snapshot brought.
  public var pulled: Int
  /// Why it did not come to its end, in words; `nil` where it did.
  public var error: String?
  /// Why it did not come to its end, for programs; `nil` where it did, and of rounds that were recorded before this was.
  public var cause: Cause?
  /// When the next comes by itself; `nil` where none does.
  public var nextTry: Date?
  /// Until when nothing is sent, because the hub asked to be left alone; `nil` where it did not.
  public var pausedUntil: Date?
  /// Whether the hub took this device's token; `nil` where it gave no answer.
  public var isTokenGood: Bool?

  public init(
    startedAt: Date, endedAt: Date, pushed: Int, pulled: Int, error: String? = nil, cause: Cause? = nil,
    nextTry: Date? = nil, pausedUntil: Date? = nil, isTokenGood: Bool? = nil
  ) {
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.pushed = pushed
    self.pulled = pulled
    self.error = error
    self.cause = cause
    self.nextTry = nextTry
    self.pausedUntil = pausedUntil
    self.isTokenGood = isTokenGood
  }
}

extension SyncRun {
  /// Why a round did not come to its end. Written as its text, so that one of a newer version is kept.
  public struct Cause: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The hub gave no answer.
    public static let unanswered = Cause(rawValue: "unanswered")
    /// The hub cannot now, asked for time, or another program syncs the store: a later round may go through as it is.
    public static let passing = Cause(rawValue: "passing")
    /// The hub no longer takes this device's token.
    public static let unauthorized = Cause(rawValue: "unauthorized")
    /// An answer that this version can do nothing with.
    public static let unusable = Cause(rawValue: "unusable")
    /// The device's own store could not be read or written.
    public static let store = Cause(rawValue: "store")
    public static let cancelled = Cause(rawValue: "cancelled")
  }
}

/// Is told of every round of sync.
public protocol SyncHistoryRecording: Sendable {
  func record(_ run: SyncRun) async
}
