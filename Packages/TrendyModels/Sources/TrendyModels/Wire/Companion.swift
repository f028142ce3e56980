public import TrendyFoundation

/// One thing that a tracker tells its companion.
///
/// The tracker gives the sequence, from 1 without a gap, and keeps the notice until the companion has it; the hub in between
/// only passes it on. Where a hub tells of a device that posts to it, the sequences are the hub's: rising, with gaps.
public struct CompanionNotice: Hashable, Sendable {
  /// What is told, by the names on the wire; a later version may know more.
  public enum Kind: Sendable {
    /// `account`, `hub_url` and perhaps `token`: all that a companion needs to speak with the hub by itself.
    public static let config = "config"
    /// `token`: in place of the last one.
    public static let token = "token"
    public static let tripStarted = "trip_started"
    /// `active`: whether a trip goes on.
    public static let tripActive = "trip_active"
    public static let tripEnded = "trip_ended"
    /// What had started was no trip.
    public static let tripCancelled = "trip_cancelled"
  }

  public var sequence: Int64
  public var kind: String
  /// When it was told, by the tracker's clock.
  public var at: Date
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

/// A device of a person, as the hub lists them.
public struct APIDevice: Hashable, Sendable, Identifiable {
  public let id: String
  public var name: String
  public var createdAt: Date
  /// Whether it is the one that asks.
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

/// That one device of a person tells another what goes on with it.
public struct APICompanion: Hashable, Sendable, Identifiable {
  public let id: String
  /// The device that tells.
  public var trackerId: String
  public var trackerName: String
  /// The device that is told.
  public var companionId: String
  public var companionName: String
  /// Up to here the hub has, or had, the notices.
  public var heldThrough: Int64
  /// Up to here the companion has them.
  public var acknowledgedThrough: Int64
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
  /// What stands for the hub where it tells of a device itself.
  public static func hub(of device: String) -> String { prefix + device }

  /// The device of which a tracker tells: itself, or where the hub tells, the one that posts to it.
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

/// Who is to tell whom: the device that asks is one of the two.
public enum CompanionRequest: Hashable, Sendable {
  /// It tells this device.
  case tell(companionId: String)
  /// It is told by this device, which need not run anything that could ask for it.
  case follow(trackerId: String)

  /// The member that names the other.
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

/// A tracker hands notices to the hub.
public struct CompanionNoticesRequest: Hashable, Sendable {
  /// Up to here the tracker knows that the companion has them, and keeps none.
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

/// What the hub has for a companion.
public struct CompanionNoticesResponse: Hashable, Sendable {
  public var notices: [CompanionNotice]
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
