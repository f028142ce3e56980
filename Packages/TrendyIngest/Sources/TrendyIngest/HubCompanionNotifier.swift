import TrendyAgent
import Foundation
import TrendyHub
import TrendyModels
import TrendyTrips

/// Tells companions of the trips of devices that post to the hub.
///
/// What is told follows from what stands in the log and the record, and from what was told before; the latter changes in one write with the
/// notices. So it may end anywhere, and the next look tells the rest, each once, also where several hubs look.
struct HubCompanionNotifier {
  let desk: HubDesk
  let intake: TrackIntake
  let now: Date

  func tellOfAll() throws {
    for device in try intake.devices() { try tell(of: device) }
  }

  func tell(of device: String) throws {
    // Another hub may tell at the same moment; what it told is not told again.
    for _ in 0..<Self.attempts {
      let tellings = try desk.tellings(ofDevice: device)
      guard !tellings.isEmpty else { return }
      let open = try intake.openTrip(device: device)?.trip
      var isOvertaken = false
      for telling in tellings {
        var told = telling
        let drafts = try drafts(device: device, open: open, telling: &told)
        guard told != telling else { continue }
        if try !desk.tell(drafts, of: device, as: told) { isOvertaken = true }
      }
      guard isOvertaken else { return }
    }
  }

  /// What is not told after these is told at the next look.
  private static let attempts = 5

  /// What a companion does not know yet, in the order of time.
  private func drafts(device: String, open: Trip?, telling: inout HubTelling) throws -> [HubTelling.Draft] {
    let wasActive = telling.told.values.contains { $0.isOpen }
    let name = try desk.name(ofDevice: device) ?? device
    var endings: [(end: Date, id: String, drafts: [HubTelling.Draft])] = []
    for (id, told) in telling.told where told.isOpen && id != open?.id {
      let ending = try ended(id, name)
      endings.append(
        (ending?.end ?? told.at, id, [ending?.draft ?? draft(CompanionNotice.Kind.tripCancelled, id, name)]))
    }
    // What began and was over before anybody looked, such as a drive that was posted in one go. What is older is no news.
    let horizon = max(telling.since, now - Self.newsSeconds)
    for trip in try intake.trips(device: device, since: horizon)
    where telling.told[trip.eventId] == nil && trip.eventId != open?.id {
      // Deleted by the person: nothing to tell of.
      guard let ending = try ended(trip.eventId, name) else { continue }
      let begun = started(trip.eventId, name, ending.start, end: ending.end)
      endings.append((ending.end, trip.eventId, [begun, ending.draft]))
    }
    endings.sort { ($0.end, $0.id) < ($1.end, $1.id) }
    var drafts = endings.flatMap(\.drafts)
    for ending in endings { telling.told[ending.id] = .init(isOpen: false, at: ending.end) }
    if let open, telling.told[open.id]?.isOpen != true {
      drafts.append(started(open.id, name, open.startTime))
      telling.told[open.id] = .init(isOpen: true, at: open.startTime)
    }
    if (open != nil) != wasActive {
      drafts.append(.init(kind: CompanionNotice.Kind.tripActive, data: ["active": .bool(open != nil)]))
    }
    // Longer than it could be news.
    guard !drafts.isEmpty else { return [] }
    telling.told = telling.told.filter { $0.value.isOpen || $0.value.at > now - 2 * Self.newsSeconds }
    return drafts
  }

  private func started(_ id: String, _ device: String, _ start: Date, end: Date? = nil) -> HubTelling.Draft {
    var draft = draft(CompanionNotice.Kind.tripStarted, id, device)
    draft.data["start"] = .string(RFC3339.string(from: start))
    if let end { draft.data["end"] = .string(RFC3339.string(from: end)) }
    return draft
  }

  /// `nil` for what is not in the record.
  private func ended(_ id: String, _ device: String) throws -> (start: Date, end: Date, draft: HubTelling.Draft)? {
    let wire: APIEvent? = try desk.find(.event, id: id)
    guard let event = wire.map({ Event($0) }), let trip = TripEvent(event) else { return nil }
    var draft = draft(CompanionNotice.Kind.tripEnded, id, device)
    draft.data["start"] = .string(RFC3339.string(from: trip.start))
    draft.data["end"] = .string(RFC3339.string(from: trip.end))
    draft.data["distance_m"] = .double(trip.distance)
    draft.data["duration_s"] = .double(trip.end.timeIntervalSince(trip.start))
    return (trip.start, trip.end, draft)
  }

  private func draft(_ kind: String, _ id: String, _ device: String) -> HubTelling.Draft {
    .init(kind: kind, data: ["id": .string(id), "device": .string(device)])
  }

  /// Seconds for which a trip that nobody saw going on is news.
  private static let newsSeconds: TimeInterval = 2 * 86_400
}
