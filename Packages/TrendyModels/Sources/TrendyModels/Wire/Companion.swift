public import TrendyFoundation

/// Message from a tracker to its companion, for example that a trip has started.
///
/// The tracker assigns sequence numbers from 1 without gaps and stores each notice until the companion has acknowledged
/// it. The hub only forwards notices. Notices that the hub creates for a device that posts its readings have increasing
/// sequence numbers with gaps.
public struct CompanionNotice: Hashable, Sendable {
  /// Known kinds of notice, by wire name. Newer versions may send other kinds.
  public enum Kind: Sendable {
    /// Connection settings for the companion: `account`, `hub_url` and, optionally, `token`.
    public static let config = "config"
    /// New token in `token`, which replaces the previous token.
    public static let token = "token"
    /// A trip has started.
    public static let tripStarted = "trip_started"
    /// Whether a trip is in progress, as the Boolean `active`. Sent on every change.
    public static let tripActive = "trip_active"
    /// A trip has ended.
    public static let tripEnded = "trip_ended"
    /// The trip was discarded.
    public static let tripCancelled = "trip_cancelled"
  }

  /// Sequence number within one companion link, from 1.
  public var sequence: Int64
  /// One of the constants in `Kind`, or a kind from a newer version.
  public var kind: String
  /// Time of the notice by the tracker's clock.
  public var at: Date
  /// Content of the notice, by name. The names depend on the kind.
  public var data: [String: JSONValue]

  public init(sequence: Int64, kind: String, at: Date, data: [String: JSONValue] = [:]) {
    self.sequence = sequence
    self.kind = kind
    self.at = at
    self.data = data
  }
}

extension CompanionNotice: WireDocument {
  public init(from fields: inout WireReader) throws {
    sequence = try fields.required("seq", in: SyncRange.counter)
    kind = try fields.required("kind")
    at = try fields.required("at")
    data = try fields.optional("data", default: [:])
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("at", at)
    try fields.write("data", data)
    try fields.write("kind", kind)
    try fields.write("seq", sequence)
  }
}

/// A user's device, as listed by the hub.
public struct APIDevice: Hashable, Sendable, Identifiable {
  public let id: String
  public var name: String
  public var createdAt: Date
  /// Whether this is the device that sent the request.
  public var isCurrent: Bool

  public init(id: String, name: String, createdAt: Date, isCurrent: Bool) {
    self.id = id
    self.name = name
    self.createdAt = createdAt
    self.isCurrent = isCurrent
  }
}

extension APIDevice: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    name = try fields.required("name")
    createdAt = try fields.required("created_at")
    isCurrent = try fields.optional("current", default: false)
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("created_at", createdAt)
    try fields.write("current", isCurrent)
    try fields.write("id", id)
    try fields.write("name", name)
  }
}

/// Link from a tracker to a companion of the same user, which receives its notices.
public struct APICompanion: Hashable, Sendable, Identifiable {
  public let id: String
  /// Device that sends notices.
  public var trackerId: String
  public var trackerName: String
  /// Device that receives notices.
  public var companionId: String
  public var companionName: String
  /// Highest sequence number that the hub has received.
  public var heldThrough: Int64
  /// Highest sequence number that the companion has acknowledged.
  public var acknowledgedThrough: Int64
  /// Whether the link has ended.
  public var isRemoved: Bool

  public init(
    id: String, trackerId: String, trackerName: String, companionId: String, companionName: String,
    heldThrough: Int64 = 0, acknowledgedThrough: Int64 = 0, isRemoved: Bool = false
  ) {
    self.id = id
    self.trackerId = trackerId
    self.trackerName = trackerName
    self.companionId = companionId
    self.companionName = companionName
    self.heldThrough = heldThrough
    self.acknowledgedThrough = acknowledgedThrough
    self.isRemoved = isRemoved
  }
}

extension APICompanion {
  /// Returns the tracker id that the hub uses for notices on behalf of a device.
  public static func hub(of device: String) -> String { prefix + device }

  /// Returns the device that a tracker's notices are about: the tracker itself, or the device on whose behalf the hub
  /// sends them.
  public static func device(of tracker: String) -> String {
    tracker.hasPrefix(prefix) ? String(tracker.dropFirst(prefix.count)) : tracker
  }

  private static let prefix = "hub:"
}

extension APICompanion: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    trackerId = try fields.required("tracker_id")
    trackerName = try fields.optional("tracker_name", default: "")
    companionId = try fields.required("companion_id")
    companionName = try fields.optional("companion_name", default: "")
    heldThrough = try fields.required("held_through", in: SyncRange.counter)
    acknowledgedThrough = try fields.required("acked_through", in: SyncRange.counter)
    isRemoved = try fields.optional("removed", default: false)
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("acked_through", acknowledgedThrough)
    try fields.write("companion_id", companionId)
    try fields.write("companion_name", companionName)
    try fields.write("held_through", heldThrough)
    try fields.write("id", id)
    try fields.write("removed", isRemoved)
    try fields.write("tracker_id", trackerId)
    try fields.write("tracker_name", trackerName)
  }
}

/// Request to link a companion. The requesting device is one end of the link.
public enum CompanionRequest: Hashable, Sendable {
  /// The requesting device sends notices to this companion.
  case tell(companionId: String)
  /// The requesting device receives notices from this tracker, which may be unable to send a request itself.
  case follow(trackerId: String)

  /// Name of the wire member that contains the id of the other device.
  public var member: String {
    switch self {
    case .tell: "companion_id"
    case .follow: "tracker_id"
    }
  }
}

extension CompanionRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    let tracker: String? = try fields.optional("tracker_id")
    self =
      if tracker != nil { .follow(trackerId: try fields.identifier("tracker_id")) } else {
        .tell(companionId: try fields.identifier("companion_id"))
      }
  }

  public func write(to fields: inout WireWriter) throws {
    switch self {
    case .tell(let companionId): try fields.write("companion_id", companionId)
    case .follow(let trackerId): try fields.write("tracker_id", trackerId)
    }
  }
}

/// Request in which a tracker sends notices to the hub.
public struct CompanionNoticesRequest: Hashable, Sendable {
  /// Highest sequence number that the tracker knows to be acknowledged. The tracker has deleted its notices up to this
  /// number.
  public var acknowledgedThrough: Int64
  public var notices: [CompanionNotice]

  public init(acknowledgedThrough: Int64, notices: [CompanionNotice]) {
    self.acknowledgedThrough = acknowledgedThrough
    self.notices = notices
  }
}

extension CompanionNoticesRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    acknowledgedThrough = try fields.required("acked_through", in: SyncRange.counter)
    notices = try fields.required("notices")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("acked_through", acknowledgedThrough)
    try fields.write("notices", notices)
  }
}

/// Response with notices for a companion.
public struct CompanionNoticesResponse: Hashable, Sendable {
  public var notices: [CompanionNotice]
  /// Whether more notices are available.
  public var hasMore: Bool

  public init(notices: [CompanionNotice], hasMore: Bool = false) {
    self.notices = notices
    self.hasMore = hasMore
  }
}

extension CompanionNoticesResponse: WireDocument {
  public init(from fields: inout WireReader) throws {
    notices = try fields.required("notices")
    hasMore = try fields.optional("has_more", default: false)
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("has_more", hasMore)
    try fields.write("notices", notices)
  }
}
