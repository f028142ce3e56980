public import Foundation
public import TrendyModels
import TrendyProtocols

/// What a hub itself tells a companion, of a device that posts its fixes there and may run nothing that tells.
///
/// Beside the way from the device to its companion, which the device's own agent uses, there is one from the hub: with sequences of the
/// hub, which are the moment of telling in milliseconds and above the one before. So a hub that was restored from a backup gives none again.
public struct HubTelling: Hashable, Sendable {
  /// The device that is told.
  public let companion: String
  /// When it became one.
  public let since: Date
  /// The trips that it was told of, by id.
  public var told: [String: HubCompanion.ToldTrip]
  /// Those as they were read.
  let known: [String: HubCompanion.ToldTrip]

  /// A notice without its sequence.
  public struct Draft: Hashable, Sendable {
    public var kind: String
    public var data: [String: JSONValue]

    public init(kind: String, data: [String: JSONValue]) {
      self.kind = kind
      self.data = data
    }
  }
}

extension HubDesk {
  /// Who is to be told of a device's trips, and what each was told.
  public func tellings(ofDevice device: String) throws -> [HubTelling] {
    try records.storage.read(person: person) { reading in
      try reading.companions().filter { $0.tracker == device && $0.removedAt == nil }.map { companion in
        let own = try reading.companion(id: companion.toldByHub.id)
        let told = own?.toldTrips ?? [:]
        return HubTelling(companion: companion.companion, since: companion.createdAt, told: told, known: told)
      }
    }
  }

  /// Puts notices behind those that wait for a companion, and notes what it was told of: one write.
  ///
  /// - Returns: `false` where another hub told it something since ``tellings(ofDevice:)``; nothing was written then.
  @discardableResult
  public func tell(_ drafts: [HubTelling.Draft], of device: String, as telling: HubTelling) throws -> Bool {
    let now = records.clock.now
    let isTold: Bool? = try records.storage.write(person: person) { transaction in
      let id = HubCompanion.id(tracker: device, companion: telling.companion)
      // Ended meanwhile.
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

extension HubCompanion {
  /// The way by which the hub tells the same companion of the same device.
  var toldByHub: HubCompanion {
    HubCompanion(tracker: APICompanion.hub(of: tracker), companion: companion, createdAt: createdAt)
  }
}
