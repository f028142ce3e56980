public import Foundation
public import TrendyModels

/// One-way link that carries trip notices between two of a user's devices, with its delivery state.
///
/// The tracker assigns the sequence numbers and keeps each notice until the companion has acknowledged it. If the hub
/// is restored from a backup, the tracker sends the lost notices again.
public struct CompanionLink: Hashable, Sendable, Identifiable {
  /// Id derived from the two devices.
  public let id: String
  /// Id of the sending device.
  public let tracker: String
  /// Id of the receiving device.
  public let companion: String
  public var createdAt: Date
  /// Sequence number of the last notice received by the hub.
  public var heldThrough: Int64
  /// Sequence number of the last notice stored by the companion.
  public var acknowledgedThrough: Int64
  /// Time when one of the devices ended the link, or `nil` until then.
  public var removedAt: Date?
  /// Trips recently announced by the hub itself, keyed by event id. Empty if the link's sender is a device.
  public var announcedTrips: [String: AnnouncedTrip] = [:]

  /// A trip that was announced to a companion.
  public struct AnnouncedTrip: Hashable, Sendable {
    /// Whether the trip was in progress when it was last announced.
    public var isOpen: Bool
    /// Start of a trip in progress, or end of a finished trip.
    public var at: Date

    public init(isOpen: Bool, at: Date) {
      self.isOpen = isOpen
      self.at = at
    }
  }

  /// Creates a link, by default without any notices.
  public init(
    tracker: String, companion: String, createdAt: Date, heldThrough: Int64 = 0, acknowledgedThrough: Int64 = 0,
    removedAt: Date? = nil
  ) {
    id = Self.id(tracker: tracker, companion: companion)
    self.tracker = tracker
    self.companion = companion
    self.createdAt = createdAt
    self.heldThrough = heldThrough
    self.acknowledgedThrough = acknowledgedThrough
    self.removedAt = removedAt
  }

  /// Returns the id of the link between two devices.
  public static func id(tracker: String, companion: String) -> String {
    String(SHA256Digest.hexadecimal(of: "companion\u{0}\(tracker)\u{0}\(companion)").prefix(32))
  }
}

extension CompanionLink {
  /// Maximum accepted lead of a sequence number over the hub's clock: ten years, in milliseconds.
  private static let clockLead: Int64 = 10 * 366 * 86_400_000

  /// JSON representation of the link, as saved by storages.
  public var stored: JSONValue {
    var members: [String: JSONValue] = [
      "tracker": .string(tracker), "companion": .string(companion), "created": .int(createdAt.milliseconds),
      "held": .int(heldThrough), "acknowledged": .int(acknowledgedThrough),
    ]
    if let removedAt { members["removed"] = .int(removedAt.milliseconds) }
    if !announcedTrips.isEmpty {
      members["told"] = .object(
        announcedTrips.mapValues { ["open": .bool($0.isOpen), "at": .int($0.at.milliseconds)] })
    }
    return .object(members)
  }

  /// Decodes ``stored``, or returns `nil` if it is invalid.
  public init?(stored: JSONValue) {
    guard let members = stored.objectValue, let tracker = members["tracker"]?.stringValue,
      let companion = members["companion"]?.stringValue, let created = members["created"]?.intValue,
      let held = members["held"]?.storedCounter, let acknowledged = members["acknowledged"]?.storedCounter
    else { return nil }
    self.init(
      tracker: tracker, companion: companion, createdAt: Date(milliseconds: created), heldThrough: held,
      acknowledgedThrough: acknowledged, removedAt: members["removed"]?.intValue.map(Date.init(milliseconds:)))
    for (id, told) in members["told"]?.objectValue ?? [:] {
      guard let told = told.objectValue, let isOpen = told["open"]?.boolValue, let at = told["at"]?.intValue else {
        return nil
      }
      announcedTrips[id] = AnnouncedTrip(isOpen: isOpen, at: Date(milliseconds: at))
    }
  }
}

extension HubCore {
  /// Maximum number of undelivered notices that the hub stores for a companion. The tracker keeps later notices.
  static let waitingLimit: Int64 = 10_000

  /// Stores the notices from a tracker up to the first gap in their sequence numbers, skipping notices already stored.
  ///
  /// - Returns: The link with its updated delivery state.
  func receive(
    _ notices: [CompanionNotice], acknowledgedThrough: Int64, for known: CompanionLink,
    in transaction: any HubTransaction, now: Date
  ) throws -> CompanionLink {
    var companion = known
    // If the tracker reports a higher number than this hub has received, the hub was restored from a backup.
    companion.acknowledge(through: acknowledgedThrough, now: now)
    for notice in notices {
      guard notice.sequence > companion.heldThrough else { continue }
      guard notice.sequence == companion.heldThrough + 1,
        companion.heldThrough - companion.acknowledgedThrough < Self.waitingLimit
      else { break }
      try transaction.put(notice, companion: companion.id)
      companion.heldThrough = notice.sequence
    }
    guard companion != known else { return known }
    try transaction.forgetNotices(companion: companion.id, through: companion.acknowledgedThrough)
    try transaction.put(companion)
    return companion
  }

  /// Records that the companion has stored all notices up to a sequence number, and deletes those notices.
  func acknowledge(
    through sequence: Int64, for companion: CompanionLink, in transaction: any HubTransaction, now: Date
  ) throws {
    var companion = companion
    companion.acknowledge(through: sequence, now: now)
    try transaction.forgetNotices(companion: companion.id, through: companion.acknowledgedThrough)
    try transaction.put(companion)
  }
}

extension CompanionLink {
  /// Raises the acknowledged sequence number, up to a plausible limit.
  ///
  /// A tracker numbers its notices from 1. The hub uses timestamps in milliseconds, and its clock may once have been
  /// ahead. Without the limit, one bogus value could use up all sequence numbers.
  fileprivate mutating func acknowledge(through sequence: Int64, now: Date) {
    let latest = max(heldThrough, now.stamp + Self.clockLead)
    acknowledgedThrough = max(acknowledgedThrough, min(sequence, latest))
    heldThrough = max(heldThrough, acknowledgedThrough)
  }
}
