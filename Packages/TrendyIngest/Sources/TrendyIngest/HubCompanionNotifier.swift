import TrendyAgent
import Foundation
import TrendyHub
import TrendyModels
import TrendyTrips

/// Notifies companions of trips by trackers that post to the hub.
///
/// Notices are derived from the track log, the record and the earlier announcements, which are updated in the same
/// transaction as the notices. If a run is interrupted, the next one sends the remaining notices, each once, even if
/// there are several hubs.
struct HubCompanionNotifier {
  let desk: UserRecordService
  let intake: TrackIntake
  let now: Date

  func notifyOfAll() throws {
    for device in try intake.devices() { try notify(of: device) }
  }

  func notify(of device: String) throws {
    // If another hub has announced trips at the same time, start again, so no trip is announced twice.
    for _ in 0..<Self.attempts {
      let announcements = try desk.tellings(ofDevice: device)
      guard !announcements.isEmpty else { return }
      let open = try intake.openTrip(device: device)?.trip
      var isOvertaken = false
      for announcement in announcements {
        var updated = announcement
        let drafts = try drafts(device: device, open: open, announcements: &updated)
        guard updated != announcement else { continue }
        if try !desk.tell(drafts, of: device, as: updated) { isOvertaken = true }
      }
      guard isOvertaken else { return }
    }
  }

  /// Maximum number of attempts, after which the next run sends the remaining notices.
  private static let attempts = 5

  /// Returns the new notices for a companion in chronological order.
  private func drafts(device: String, open: Trip?, announcements: inout HubAnnouncements) throws -> [HubAnnouncements
    .Draft]
  {
    let wasActive = announcements.told.values.contains { $0.isOpen }
    let name = try desk.name(ofDevice: device) ?? device
    var endings: [(end: Date, id: String, drafts: [HubAnnouncements.Draft])] = []
    for (id, told) in announcements.told where told.isOpen && id != open?.id {
      let ending = try ended(id, name)
      endings.append(
        (ending?.end ?? told.at, id, [ending?.draft ?? draft(CompanionNotice.Kind.tripCancelled, id, name)]))
    }
    // Trips that began and ended between two runs, such as a drive posted in one request. Older trips are not
    // announced.
    let horizon = max(announcements.since, now - Self.newsSeconds)
    for trip in try intake.trips(device: device, since: horizon)
    where announcements.told[trip.eventId] == nil && trip.eventId != open?.id {
      // Skip trips that the user has deleted.
      guard let ending = try ended(trip.eventId, name) else { continue }
      let begun = started(trip.eventId, name, ending.start, end: ending.end)
      endings.append((ending.end, trip.eventId, [begun, ending.draft]))
    }
    endings.sort { ($0.end, $0.id) < ($1.end, $1.id) }
    var drafts = endings.flatMap(\.drafts)
    for ending in endings { announcements.told[ending.id] = .init(isOpen: false, at: ending.end) }
    if let open, announcements.told[open.id]?.isOpen != true {
      drafts.append(started(open.id, name, open.startTime))
      announcements.told[open.id] = .init(isOpen: true, at: open.startTime)
    }
    if (open != nil) != wasActive {
      drafts.append(.init(kind: CompanionNotice.Kind.tripActive, data: ["active": .bool(open != nil)]))
    }
    // Forget trips that are too old to be announced again.
    guard !drafts.isEmpty else { return [] }
    announcements.told = announcements.told.filter { $0.value.isOpen || $0.value.at > now - 2 * Self.newsSeconds }
    return drafts
  }

  private func started(_ id: String, _ device: String, _ start: Date, end: Date? = nil) -> HubAnnouncements.Draft {
    var draft = draft(CompanionNotice.Kind.tripStarted, id, device)
    draft.data["start"] = .string(RFC3339.string(from: start))
    if let end { draft.data["end"] = .string(RFC3339.string(from: end)) }
    return draft
  }

  /// Returns the notice for a finished trip, or `nil` if the trip is not in the record.
  private func ended(_ id: String, _ device: String) throws -> (start: Date, end: Date, draft: HubAnnouncements.Draft)?
  {
    let wire: APIEvent? = try desk.find(.event, id: id)
    guard let event = wire.map({ Event($0) }), let trip = TripEvent(event) else { return nil }
    var draft = draft(CompanionNotice.Kind.tripEnded, id, device)
    draft.data["start"] = .string(RFC3339.string(from: trip.start))
    draft.data["end"] = .string(RFC3339.string(from: trip.end))
    draft.data["distance_m"] = .double(trip.distance)
    draft.data["duration_s"] = .double(trip.end.timeIntervalSince(trip.start))
    return (trip.start, trip.end, draft)
  }

  private func draft(_ kind: String, _ id: String, _ device: String) -> HubAnnouncements.Draft {
    .init(kind: kind, data: ["id": .string(id), "device": .string(device)])
  }

  /// Maximum age in seconds at which a finished trip is still announced.
  private static let newsSeconds: TimeInterval = 2 * 86_400
}
