public import Foundation
public import TrendyModels
import TrendyProtocols

/// Announcements of the hub itself to a companion, for a tracker that posts fixes and cannot send notices.
///
/// They use a separate link, beside the one on which the device's own agent sends. Its sequence numbers are the time in
/// milliseconds, increased if necessary above the previous one, so that a hub restored from a backup assigns none
/// twice.
public struct HubAnnouncements: Hashable, Sendable {
  /// Id of the companion.
  public let companion: String
  /// Time at which the link was created.
  public let since: Date
  /// Trips that were announced, by event id.
  public var told: [String: CompanionLink.AnnouncedTrip]
  /// The announced trips as they were read, to detect changes by another hub.
  let known: [String: CompanionLink.AnnouncedTrip]

  /// Kind and content of a notice that has no sequence number yet.
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
  /// Returns the companions of a device with the trips that were announced to each.
  public func tellings(ofDevice device: String) throws -> [HubAnnouncements] {
    try records.storage.read(user: user) { reading in
      try reading.companions().filter { $0.tracker == device && $0.removedAt == nil }.map { companion in
        let own = try reading.companion(id: companion.toldByHub.id)
        let told = own?.toldTrips ?? [:]
        return HubAnnouncements(companion: companion.companion, since: companion.createdAt, told: told, known: told)
      }
    }
  }

  /// Queues notices for a companion and stores the announced trips, in one write.
  ///
  /// - Returns: `false` if another hub has announced trips since ``tellings(ofDevice:)``; nothing was written then.
  @discardableResult
  public func tell(_ drafts: [HubAnnouncements.Draft], of device: String, as telling: HubAnnouncements) throws -> Bool {
    let now = records.clock.now
    let isTold: Bool? = try records.storage.write(user: user) { transaction in
      let id = CompanionLink.id(tracker: device, companion: telling.companion)
      // The link was ended meanwhile.
      guard let companion = try transaction.companion(id: id), companion.removedAt == nil else { return nil }
      var own = try transaction.companion(id: companion.toldByHub.id) ?? companion.toldByHub
      guard own.toldTrips == telling.known else { return false }
      own.removedAt = nil
      for draft in drafts {
        own.heldThrough = max(own.heldThrough + 1, now.stamp).clamped(to: SyncRange.counter)
        try transaction.put(
          CompanionNotice(sequence: own.heldThrough, kind: draft.kind, at: now, data: draft.data), companion: own.id)
      }
      own.toldTrips = telling.told
      try transaction.put(own)
      return true
    }
    if isTold == true, !drafts.isEmpty { records.announceNotice(for: telling.companion) }
    return isTold ?? true
  }
}

extension CompanionLink {
  /// The link on which the hub itself sends to the same companion.
  var toldByHub: CompanionLink {
    CompanionLink(tracker: APICompanion.hub(of: tracker), companion: companion, createdAt: createdAt)
  }
}
