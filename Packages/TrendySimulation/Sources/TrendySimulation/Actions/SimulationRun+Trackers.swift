import Foundation
import HubTesting
import TrendyHub
import TrendyIngest
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

// MARK: Trackers: no fix is lost, and the detected events equal those of a hub without faults
extension SimulationRun {
  func beginTrackers() throws {
    let accounts = hub.server.accounts
    let user = try accounts.createPerson(name: "Clara").id
    let trackers = try TrackerScenario.days(seed: seed).enumerated().map { number, batches in
      let made = try accounts.createToken(user: user, deviceName: "tracker \(number + 1)")
      return TrackerScenario.Tracker(deviceId: made.device.id, token: made.token, batches: batches, taken: [])
    }
    let page = try accounts.createToken(user: user, deviceName: "page").token
    try Self.furnish(hub.server.ingestDesk(user: user), home: trackers.first?.batches.first?.first)
    tracking = TrackerScenario(user: user, token: page, trackers: trackers)
  }

  /// Creates a place where the days begin, so that there are visits.
  private static func furnish(_ desk: UserRecordService, home: Location?) throws {
    guard let home else { return }
    try desk.create(
      .eventType, CreateEventTypeRequest(id: "at-home", name: "At home", color: "#102030", icon: "house"))
    try desk.create(
      .geofence,
      CreateGeofenceRequest(
        id: "home", name: "Home", latitude: home.coordinate.latitude, longitude: home.coordinate.longitude, radius: 150,
        eventTypeEntryId: "at-home"))
  }

  /// Performs or begins an action. Returns whether it was possible.
  func carryOutTracking(_ action: Action, begin: (Undertaking) -> Void) async -> Bool {
    guard let tracking else { return false }
    switch action {
    case .post(let tracker, let batch):
      guard tracking.trackers.indices.contains(tracker), tracking.trackers[tracker].batches.indices.contains(batch)
      else { return false }
      self.tracking?.underWay += 1
      begin(.post(tracker: tracker, batch: batch))
      return true
    case .lookThrough:
      self.tracking?.underWay += 1
      begin(.look)
      return true
    case .touchFinding(let choice): return await touchFinding(choice)
    default: return false
    }
  }

  func post(tracker: Int, batch: Int) async {
    defer { tracking?.underWay -= 1 }
    guard let status = await postOnce(tracker: tracker, batch: batch) else { return }
    tell("  tracker \(tracker + 1) posted batch \(batch + 1): \(status)")
  }

  /// Posts a batch. Returns the status of the response, or `nil` if there is no tracker.
  private func postOnce(tracker: Int, batch: Int) async -> Int? {
    guard let sender = tracking?.trackers[tracker],
      let request = try? TrackerScenario.post(sender.batches[batch], token: sender.token)
    else { return nil }
    if restartHubIfOff() { return 503 }
    let server = hub.nextServer()
    let losses = hub.losses
    let status = await server.handle(request).status
    // A hub that was killed or lost power confirms nothing. A confirmed batch that was lost is posted again.
    if restartHubIfOff() || losses != hub.losses || !hub.isServing(server) { return 503 }
    if status >= 500 { onFailure(of: request, status: status) }
    if status < 300 { tracking?.trackers[tracker].taken.insert(batch) }
    return status
  }

  /// Runs detection on one of the hubs, as each hub does once a minute.
  func lookThrough() async {
    defer { tracking?.underWay -= 1 }
    if restartHubIfOff() { return }
    do {
      try await hub.lookThrough(at: hub.nextServer())
    } catch is HubStorageError {
      // Detection runs again within a minute.
    } catch {
      if !hub.isOff { ledger.report(.trackersAreRecordedOnce, "a hub cannot run the detection: \(error)") }
    }
    _ = restartHubIfOff()
  }

  private func touchFinding(_ choice: UInt64) async -> Bool {
    var generator = SeededGenerator(seed: choice)
    guard let tracking, !hub.isOff,
      let event = events(of: tracking.user).randomElement(using: &generator)
    else { return false }
    let isDeleted = Bool.random(using: &generator)
    let note = "note-\(choice % 10_000)"
    let status = await plainRequest(
      isDeleted ? "DELETE" : "PATCH", "/events/\(event.id)", isDeleted ? [:] : ["notes": .string(note)],
      token: tracking.token)
    guard status < 300 || status == 503 else { return false }
    tell("  \(Self.words(event)) is \(isDeleted ? "deleted" : "written into")")
    if self.tracking?.touches[event.id]?.note == nil, self.tracking?.touches[event.id]?.isSure == true { return true }
    self.tracking?.touches[event.id] = TrackerScenario.Touch(
      span: event.timestamp...max(event.timestamp, event.endDate ?? .distantFuture), note: isDeleted ? nil : note,
      isSure: status < 300)
    return true
  }

  private func events(of user: String) -> [Event] { events(of: user) { $0.isAlive } }

  private func events(of user: String, where isIncluded: (HubEntry) -> Bool) -> [Event] {
    let entries = hub.entries(of: user).filter { $0.kind == SyncedKind.event.name && isIncluded($0) }
    return entries.compactMap { entry -> Event? in
      let wire = try? ChangeEntryData(rawData: entry.document(user: user)).decode(APIEvent.self)
      return wire.map { Event($0) }
    }.sorted { $0.id < $1.id }
  }

  // MARK: Final checks

  func checkTrackersAtRest() async {
    guard let tracking else { return }
    for tracker in tracking.trackers.indices {
      for batch in tracking.trackers[tracker].batches.indices
      where !(self.tracking?.trackers[tracker].taken.contains(batch) ?? true) {
        // The claim of a hub that was killed during detection expires after a minute.
        let status = await postOnce(tracker: tracker, batch: batch)
        if status != 200 {
          ledger.report(
            .trackersAreRecordedOnce,
            "a hub responds with \(status ?? 0) to a post of tracker \(tracker + 1) after the last fault")
        }
      }
    }
    await clock.advance(by: .seconds(90))
    do {
      for server in hub.servers { try await hub.lookThrough(at: server) }
      try checkLog(of: tracking)
      try await checkFindings(of: tracking)
    } catch {
      ledger.report(.trackersAreRecordedOnce, "the detection fails after the last fault: \(error)")
    }
  }

  /// Checks that each posted fix is in the log exactly once.
  private func checkLog(of tracking: TrackerScenario) throws {
    let log = TrackLog(rows: try hub.tracks(of: tracking.user))
    for (number, tracker) in tracking.trackers.enumerated() {
      var kept: [Int64: Int] = [:]
      try log.forEach(device: tracker.deviceId, after: nil, through: nil) {
        kept[Self.milliseconds($0.timestamp), default: 0] += 1
      }
      let posted = Set(tracker.batches.joined().map { Self.milliseconds($0.timestamp) })
      let missing = posted.subtracting(kept.keys).count
      if missing > 0 {
        ledger.report(.trackersAreRecordedOnce, "\(missing) fixes of tracker \(number + 1) are lost")
      }
      if kept.contains(where: { $0.value > 1 }) || kept.count > posted.count {
        ledger.report(.trackersAreRecordedOnce, "fixes of tracker \(number + 1) are stored twice")
      }
    }
  }

  private static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }

  /// Checks that the record has the events that a hub without faults detects, apart from the user's changes.
  private func checkFindings(of tracking: TrackerScenario) async throws {
    let expected = try await quietFindings(of: tracking)
    let found = events(of: tracking.user)
    var open = expected
    for event in found {
      if let place = open.firstIndex(where: { Self.content($0) == Self.content(event) }) {
        open.remove(at: place)
      } else if tracking.touches[event.id] == nil {
        ledger.report(.trackersAreRecordedOnce, "the hubs detected \(Self.words(event)), unlike a hub without faults")
      }
    }
    // A hub may have changed an event after the user chose it and before the user's change arrived.
    let touched =
      tracking.touches.values.map(\.span)
      + events(of: tracking.user) { tracking.touches[$0.id] != nil }.map { Self.span($0) }
    for event in open where !touched.contains(where: { $0.overlaps(Self.span(event)) }) {
      ledger.report(
        .trackersAreRecordedOnce, "the hubs did not detect \(Self.words(event)), unlike a hub without faults")
    }
    for (id, touch) in tracking.touches.sorted(by: { $0.key < $1.key }) where touch.isSure {
      let event = found.first { $0.id == id }
      if let note = touch.note {
        if event?.notes != note {
          ledger.report(.trackersAreRecordedOnce, "the user's note \(note) of a detected event is lost")
        }
      } else if event != nil {
        ledger.report(.trackersAreRecordedOnce, "a detected event that the user deleted reappeared")
      }
    }
  }

  /// Returns the events that a single in-memory hub detects in the same fixes.
  private func quietFindings(of tracking: TrackerScenario) async throws -> [Event] {
    let storage = MemoryHubStorage()
    let ingest = HubIngest(storage: storage, clock: hub.clock, openTracks: 4)
    let server = HubServer(
      storage: storage, ingest: ingest, clock: hub.clock, generator: SeededGenerator(seed: seed),
      configuration: HubConfiguration(requestsPerMinute: nil), tasks: executor)
    let user = try server.accounts.createPerson(name: "quiet").id
    try Self.furnish(server.ingestDesk(user: user), home: tracking.trackers.first?.batches.first?.first)
    for tracker in tracking.trackers {
      let token = try server.accounts.createToken(user: user, deviceName: "tracker").token
      let status = await server.handle(try TrackerScenario.post(Array(tracker.batches.joined()), token: token)).status
      if status != 200 {
        ledger.report(.trackersAreRecordedOnce, "a hub without faults responds with \(status) to a tracker")
      }
    }
    try await ingest.tick(at: server)
    let entries = try storage.read(user: user) { try $0.entries(after: 0, limit: .max) }
    return try entries.filter { $0.kind == SyncedKind.event.name && $0.isAlive }.map { entry in
      Event(try ChangeEntryData(rawData: entry.document(user: user)).decode(APIEvent.self))
    }
  }

  /// Visible properties of a detected event, without its id and its device, which differ between hubs.
  private static func content(_ event: Event) -> String {
    let properties = event.properties.filter { $0.key != "device" }
      .sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return "\(words(event)) \(event.sourceType) \(properties)"
  }

  private static func words(_ event: Event) -> String {
    let end = event.endDate.map { RFC3339.string(from: $0) } ?? "open"
    return
      "\(event.geofenceId.map { "a visit to \($0)" } ?? "a trip") \(RFC3339.string(from: event.timestamp)) to \(end)"
  }

  private static func span(_ event: Event) -> ClosedRange<Date> {
    event.timestamp...max(event.timestamp, event.endDate ?? .distantFuture)
  }
}
