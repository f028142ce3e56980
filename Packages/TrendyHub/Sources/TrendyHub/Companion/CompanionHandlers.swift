import Foundation
import TrendyModels
import TrendyProtocols

/// Handlers for companion links between two devices of a user, and for notices in transit.
struct CompanionHandlers: Sendable {
  let records: HubRecords

  private var clock: any TimeSource { records.clock }

  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "companions", name: "listCompanions",
        summary: "Lists the companion links of the device in both directions, including removed ones.",
        answers: [.json(200, "the links", .list(.companion))], tag: .content, .device(list)),
      HubRoute(
        .post, "companions", name: "makeCompanion",
        summary: "Links this device to one that it notifies (companion_id), or to one that notifies it (tracker_id).",
        body: .object([.optional("companion_id", .string), .optional("tracker_id", .string)]),
        answers: [.json(201, "the link", .companion)], .device(make)),
      HubRoute(
        .delete, "companions/{id}", name: "removeCompanion", summary: "Removes a link. Either device can do so.",
        answers: [.nothing("removed")], .device(remove)),
      HubRoute(
        .get, "companions/{id}/notices", name: "listNotices",
        summary: "Returns the notices for a companion after a sequence number.",
        query: [
          .init("after", .counter, "highest sequence number that the device has stored; earlier notices are deleted"),
          .init("limit", .integer(1...500), "maximum number of notices; default 100"),
        ], answers: [.json(200, "the notices", .named("NoticesResponse"))], .device(deliver)),
      HubRoute(
        .post, "companions/{id}/notices", name: "sendNotices", summary: "Sends notices to a companion.",
        body: .named("NoticesRequest"), answers: [.json(200, "the link", .companion)], .device(receive)),
    ]
  }

  private func list(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let companions = try await records.store.read(user: sender.user) { try $0.companions() }
      .filter { $0.tracker == sender.id || $0.companion == sender.id }
    return try .wire(await described(companions, user: sender.user))
  }

  /// Creates a link, or returns the existing one between the same two devices. Either device may request it.
  private func make(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let asked = try call.document(CompanionRequest.self)
    let (tracker, companion, other) =
      switch asked {
      case .tell(let companion): (sender.id, companion, companion)
      case .follow(let tracker): (tracker, sender.id, tracker)
      }
    guard companion != tracker else {
      throw Problem.invalid("\(asked.member): a device cannot be its own companion")
    }
    let devices = try await records.devices(of: sender.user)
    guard devices.contains(where: { $0.id == other && $0.revokedAt == nil }) else {
      throw Problem.notFound("you have no device with the id \"\(other.prefix(60))\"")
    }
    let now = clock.now
    let made = try await records.store.write(user: sender.user) { transaction in
      let new = CompanionLink(tracker: tracker, companion: companion, createdAt: now)
      var made = try transaction.companion(id: new.id) ?? new
      // A recreated link must not announce trips from the time when it did not exist.
      if made.removedAt != nil { made.createdAt = now }
      made.removedAt = nil
      try transaction.put(made)
      return made
    }
    records.announceNotice(for: companion)
    return try .wire(await described([made], user: sender.user)[0], status: 201)
  }

  /// Ends a link and discards its pending notices, including notices from the hub.
  ///
  /// The link is marked as ended rather than deleted, because a device would assume that a missing link was lost and
  /// recreate it.
  private func remove(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let now = clock.now
    let removed = try await records.store.write(user: sender.user) { transaction -> CompanionLink? in
      guard let named = try transaction.companion(id: call.id) else { return nil }
      let tracker = APICompanion.device(of: named.tracker)
      guard tracker == sender.id || named.companion == sender.id else { return nil }
      for teller in [tracker, APICompanion.hub(of: tracker)] {
        guard
          var companion = try transaction.companion(
            id: CompanionLink.id(tracker: teller, companion: named.companion))
        else { continue }
        companion.removedAt = companion.removedAt ?? now
        companion.acknowledgedThrough = companion.heldThrough
        companion.announcedTrips = [:]
        try transaction.forgetNotices(companion: companion.id, through: companion.heldThrough)
        try transaction.put(companion)
      }
      return named
    }
    if let removed { records.announceNotice(for: removed.companion) }
    return HTTPResponse(status: 204)
  }

  private func receive(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let handed = try call.document(CompanionNoticesRequest.self)
    try handed.check()
    let companion = try await records.store.write(user: sender.user) { [self] transaction in
      let companion = try link(call.id, in: transaction) { $0.tracker == sender.id }
      return try records.core.receive(
        handed.notices, acknowledgedThrough: handed.acknowledgedThrough, for: companion, in: transaction, now: clock.now
      )
    }
    if companion.heldThrough > companion.acknowledgedThrough { records.announceNotice(for: companion.companion) }
    return try .wire(await described([companion], user: sender.user)[0])
  }

  /// Deletes the notices that the companion has acknowledged, and returns the next ones.
  private func deliver(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let after = try call.integer("after", in: SyncRange.counter, default: 0)
    let limit = Int(try call.integer("limit", in: 1...500, default: 100))
    let (companion, notices) = try await records.store.read(user: sender.user) { [self] reading in
      let companion = try link(call.id, in: reading) { $0.companion == sender.id }
      return (companion, try reading.notices(companion: companion.id, after: after, limit: limit + 1))
    }
    if after > companion.acknowledgedThrough {
      try await records.store.write(user: sender.user) { [self] transaction in
        // Read the link again, because it may have changed in the meantime.
        let companion = try link(call.id, in: transaction) { $0.companion == sender.id }
        try records.core.acknowledge(through: after, for: companion, in: transaction, now: clock.now)
      }
    }
    return try .wire(
      CompanionNoticesResponse(notices: Array(notices.prefix(limit)), hasMore: notices.count > limit))
  }

  private func link(
    _ id: String, in reading: any HubReadTransaction, where isTheirs: (CompanionLink) -> Bool
  ) throws -> CompanionLink {
    guard let companion = try reading.companion(id: id), isTheirs(companion), companion.removedAt == nil else {
      throw Problem.notFound("companion link \"\(id.prefix(60))\" not found for this device in this direction")
    }
    return companion
  }

  private func described(_ companions: [CompanionLink], user: String) async throws -> [APICompanion] {
    // A device that was paired again appears twice, with the same id and name.
    let names = Dictionary(
      try await records.devices(of: user).map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    return companions.map {
      APICompanion(
        id: $0.id, trackerId: $0.tracker, trackerName: names[APICompanion.device(of: $0.tracker)] ?? "",
        companionId: $0.companion,
        companionName: names[$0.companion] ?? "", heldThrough: $0.heldThrough,
        acknowledgedThrough: $0.acknowledgedThrough, isRemoved: $0.removedAt != nil)
    }
  }
}

extension CompanionNoticesRequest {
  fileprivate func check() throws(Problem) {
    guard notices.count <= 500 else { throw .tooMany("notices", limit: 500, found: notices.count) }
    for (index, notice) in notices.enumerated() {
      guard notice.sequence > 0 else { throw .invalid("notices[\(index)].seq: expected a whole number of at least 1") }
      guard (1...64).contains(notice.kind.utf8.count) else {
        throw .invalid("notices[\(index)].kind: expected 1 to 64 bytes")
      }
    }
  }
}
