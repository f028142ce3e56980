public import TrendyFoundation

/// Result of one sync round.
public struct SyncRun: Hashable, Sendable, Codable {
  public var startedAt: Date
  public var endedAt: Date
  /// Number of mutations that the hub accepted, merged or refused.
  public var pushed: Int
  /// Number of entries received from the feed or in a snapshot.
  public var pulled: Int
  /// Error message, or `nil` if the round completed.
  public var error: String?
  /// Machine-readable cause of the failure, or `nil` if the round completed or was recorded by a version without this
  /// field.
  public var cause: Cause?
  /// Time of the next automatic round, or `nil` if none is scheduled.
  public var nextTry: Date?
  /// Time until which the device sends nothing because the hub asked it to back off, or `nil` if it may send.
  public var pausedUntil: Date?
  /// Whether the hub accepted this device's token, or `nil` if the hub did not respond.
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
  /// Cause of a failed round. Encoded as its raw value, which preserves causes from newer versions.
  public struct Cause: RawRepresentable, Hashable, Sendable, Codable {
    /// Cause in stored form, for example `unanswered`.
    public let rawValue: String

    /// Creates a cause from its stored form. Any string is valid.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The hub did not respond.
    public static let unanswered = Cause(rawValue: "unanswered")
    /// Temporary condition: the hub is busy or asked the device to back off, or another process is syncing the store.
    public static let passing = Cause(rawValue: "passing")
    /// The hub no longer accepts this device's token.
    public static let unauthorized = Cause(rawValue: "unauthorized")
    /// This version could not process the hub's response.
    public static let unusable = Cause(rawValue: "unusable")
    /// The device's own store could not be read or written.
    public static let store = Cause(rawValue: "store")
    /// The round was cancelled.
    public static let cancelled = Cause(rawValue: "cancelled")
  }
}

/// Store for the results of sync rounds.
public protocol SyncHistoryRecording: Sendable {
  /// Stores the result of a round that has ended.
  func record(_ run: SyncRun) async
}
