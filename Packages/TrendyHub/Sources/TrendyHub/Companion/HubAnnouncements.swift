public import Foundation
public import TrendyModels
import TrendyProtocols

/// Trip announcements that the hub sends to a companion for a tracker that cannot send notices.
///
/// Announcements use their own link, separate from the link of the device's agent. Sequence numbers are timestamps in
/// milliseconds, incremented where necessary to make them unique, so a hub restored from a backup never reuses a
/// number.
public struct HubAnnouncements: Hashable, Sendable {
  /// Id of the companion.
  public let companion: String
  /// Creation time of the link.
  public let since: Date
  /// Announced trips by event id.
  public var told: [String: CompanionLink.AnnouncedTrip]
  /// Announced trips as last read, for detecting changes by another hub process.
  let known: [String: CompanionLink.AnnouncedTrip]

  /// A notice that has no sequence number yet.
  public struct Draft: Hashable, Sendable {
    public var kind: String
    public var data: [String: JSONValue]

    public init(kind: String, data: [String: JSONValue]) {
      self.kind = kind
      self.data = data
    }
  }
}

extension UserRecordService {
  /// Returns the announcement state of each companion of a device.
  public func tellings(ofDevice device: String) throws -> [HubAnnouncements] {
    try records.storage.read(user: user) { reading in
      try reading.companions().filter { $0.tracker == device && $0.removedAt == nil }.map { companion in
        let own = try reading.companion(id: companion.announcedByHub.id)
        let told = own?.announcedTrips ?? [:]
        return HubAnnouncements(companion: companion.companion, since: companion.createdAt, told: told, known: told)
      }
    }
  }

  /// Queues notices for a companion and saves the announced trips, in one write.
  ///
  /// - Returns: `false`, with nothing written, if another hub process has announced trips since
  ///   ``tellings(ofDevice:)``.
  @discardableResult
  public func tell(_ drafts: [HubAnnouncements.Draft], of device: String, as telling: HubAnnouncements) throws -> Bool {
    let now = records.clock.now
    let isTold: Bool? = try records.storage.write(user: user) { transaction in
      let id = CompanionLink.id(tracker: device, companion: telling.companion)
      // The link may have been ended in the meantime.
      guard let companion = try transaction.companion(id: id), companion.removedAt == nil else { return nil }
      var own = try transaction.companion(id: companion.announcedByHub.id) ?? companion.announcedByHub
      guard own.announcedTrips == telling.known else { return false }
      own.removedAt = nil
      for draft in drafts {
        own.heldThrough = max(own.heldThrough + 1, now.stamp).clamped(to: SyncRange.counter)
        try transaction.put(
          CompanionNotice(sequence: own.heldThrough, kind: draft.kind, at: now, data: draft.data), companion: own.id)
      }
      own.announcedTrips = telling.told
      try transaction.put(own)
      return true
    }
    if isTold == true, !drafts.isEmpty { records.announceNotice(for: telling.companion) }
    return isTold ?? true
  }
}

extension CompanionLink {
  /// Link for the hub's own notices to the same companion.
  var announcedByHub: CompanionLink {
    CompanionLink(tracker: APICompanion.hub(of: tracker), companion: companion, createdAt: createdAt)
  }
}
