public import TrendyAgent
public import Foundation
import Synchronization
public import TrendyHub
public import TrendyModels
public import TrendyPersistence
public import TrendyProtocols
public import TrendyTrips

/// A hub's ingest. Keeps a track log for each user and writes detected trips and visits to the user's record.
public final class HubIngest: Ingest {
  private let storage: any HubStorage
  private let clock: any TimeSource
  private let intakes: Mutex<Intakes>

  private struct Intakes {
    /// Queues of all users, including closed ones. All requests for a user share one queue.
    var all: [String: IntakeQueue] = [:]
    var open: RecentlyUsed
    var erased: Set<String> = []
    /// Users with no trips left to end or announce, with the time of the last check.
    var settled: [String: Date] = [:]
  }

  /// Creates an ingest.
  ///
  /// - Parameters:
  ///   - storage: The hub's storage.
  ///   - clock: Clock that determines when a gap ends a trip.
  ///   - openTracks: Maximum number of track logs to keep open.
  public init(storage: any HubStorage, clock: any TimeSource, openTracks: Int) {
    self.storage = storage
    self.clock = clock
    intakes = Mutex(Intakes(open: RecentlyUsed(limit: openTracks)))
  }

  /// Appends posted readings to the user's track log and runs trip detection.
  public func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestResponse {
    guard let desk = sender.desk else { preconditionFailure("a hub's ingest needs the user's record") }
    let intake = try intake(for: desk)
    intakes.withLock { $0.settled[desk.user] = nil }
    var answer = try await translating { try await request.take(into: intake, sender: sender.device, at: clock.now) }
    // If detection was postponed, its trips are announced after it has run.
    guard answer.added > 0, answer.delay == nil else { return answer }
    do {
      try await intake.run { [clock] in
        try HubCompanionNotifier(desk: desk, intake: $0, now: clock.now).notify(of: sender.device)
      }
    } catch {
      answer.delay = "cannot notify companions yet: \(error)"
    }
    return answer
  }

  /// Returns the trips in progress on the user's trackers, sorted by device.
  public func liveTrips(for desk: UserRecordService) async throws -> [APILiveTrip] {
    // Do not create a log for a user without posts.
    guard try storage.hasTracks(of: desk.user) else { return [] }
    return try await run(for: desk) { intake in
      try intake.presences().sorted { $0.device < $1.device }.compactMap { presence in
        guard let record = presence.trip else { return nil }
        return APILiveTrip(
          id: record.trip.id, deviceId: presence.device, deviceName: try desk.name(ofDevice: presence.device) ?? "",
          isPaused: presence.isPaused, mode: presence.mode, start: record.trip.startTime,
          distance: (record.trip.distanceMeters * 10).rounded() / 10, speed: presence.lastFix?.speed,
          fixedAt: presence.lastFix?.timestamp)
      }
    }
  }

  /// Returns the route of a trip in progress up to the last fix, or `nil` if the trip is not in progress.
  public func route(ofLiveTrip id: String, for desk: UserRecordService) async throws -> [Coordinate]? {
    guard try storage.hasTracks(of: desk.user) else { return nil }
    return try await run(for: desk) { intake in
      guard let presence = try intake.presences().first(where: { $0.trip?.trip.id == id }) else { return nil }
      return (presence.trip?.route ?? []) + [presence.lastFix?.coordinate].compactMap(\.self)
    }
  }

  /// Returns the decisions behind a detected event, or `nil` if it was not detected in posted readings.
  public func explanation(ofEvent id: String, for desk: UserRecordService) async throws -> APIExplanation? {
    guard try storage.hasTracks(of: desk.user) else { return nil }
    return try await run(for: desk) { intake in
      guard let found = try intake.explanation(eventId: id) else { return nil }
      return APIExplanation(
        id: id, deviceId: found.device, deviceName: try desk.name(ofDevice: found.device) ?? "", start: found.start,
        end: found.end, readings: found.readings, isSettled: found.isSettled, isPersonal: found.isPersonal,
        decisions: found.decisions.map {
          APIExplanation.Decision(
            time: $0.time, rule: $0.rule.rawValue, seconds: $0.seconds, meters: $0.meters, limit: $0.limit,
            words: $0.words)
        })
    }
  }

  /// Returns the fixes in a time span if they all come from one device.
  public func fixes(in span: ClosedRange<Date>, for desk: UserRecordService) async throws -> [Location] {
    guard try storage.hasTracks(of: desk.user) else { return [] }
    return try await run(for: desk) { try $0.fixesOfOneDevice(in: span) }
  }

  /// Returns the page of posted readings after a position.
  public func readings(
    in span: ClosedRange<Date>?, after position: PostedReadings.Position?, for desk: UserRecordService
  ) async throws -> PostedReadings {
    guard try storage.hasTracks(of: desk.user) else { return PostedReadings() }
    return try await run(for: desk) { intake in
      let part = try intake.part(in: span, after: position.map { ($0.device, $0.moment) })
      return PostedReadings(
        records: part.records, next: part.end.map { PostedReadings.Position(device: $0.device, moment: $0.moment) })
    }
  }

  /// Returns the rejected posts from the user's trackers, sorted by device.
  public func leftOut(for desk: UserRecordService) async throws -> [APILeftOut] {
    guard try storage.hasTracks(of: desk.user) else { return [] }
    let posts = try await run(for: desk) { $0.refusedPosts.load() }
    return try posts.sorted { $0.key < $1.key }.map { device, entry in
      APILeftOut(
        deviceId: device, deviceName: try desk.name(ofDevice: device) ?? "", count: entry.count, first: entry.first,
        last: entry.last, reason: entry.reason, isHeldBySender: entry.isHeldBySender)
    }
  }

  /// Ends trips after a gap and notifies companions, for every user with a track log.
  ///
  /// A user without posts for days is checked only once an hour until the next post. The check is necessary, because
  /// another hub may have received a post.
  ///
  /// - Throws: The first error, once the remaining users have been processed, with store errors as `HubStorageError`.
  ///   If the task is cancelled, `CancellationError` between two users.
  public func tick(at server: HubServer) async throws {
    var failure: (any Error)?
    for user in try server.accounts.users().map(\.id).sorted() {
      try Task.checkCancellation()
      let settledAt = intakes.withLock { $0.erased.contains(user) ? .distantFuture : $0.settled[user] }
      guard settledAt.map({ clock.now.timeIntervalSince($0) > Self.lookSeconds }) ?? true else { continue }
      do {
        guard try storage.hasTracks(of: user) else {
          intakes.withLock { $0.settled[user] = clock.now }
          continue
        }
        try await tick(at: server.ingestDesk(user: user))
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func tick(at desk: UserRecordService) async throws {
    // Set this before the check, because a post that arrives in the meantime clears it.
    intakes.withLock { $0.settled[desk.user] = clock.now }
    do {
      let isSettled = try await run(for: desk) { [clock] in
        let isChanged = try $0.tick()
        try HubCompanionNotifier(desk: desk, intake: $0, now: clock.now).notifyOfAll()
        return try !isChanged && $0.lastReading().map { clock.now.timeIntervalSince($0) > Self.settlingSeconds } ?? true
      }
      if !isSettled { intakes.withLock { $0.settled[desk.user] = nil } }
    } catch {
      intakes.withLock { $0.settled[desk.user] = nil }
      throw error
    }
  }

  /// Seconds without readings after which a user has no trips left to end or announce.
  private static let settlingSeconds: TimeInterval = 3 * 86_400
  private static let lookSeconds: TimeInterval = 3600

  /// Closes the track log of a user whose data is being erased. Later posts for the user are rejected.
  public func erase(user: String) {
    intakes.withLock {
      $0.erased.insert(user)
      $0.all[user] = nil
      $0.open.onClosed(user)
    }
  }

  /// Returns the user's queue, and closes idle queues if too many are open.
  private func intake(for desk: UserRecordService) throws -> IntakeQueue {
    let (intake, surplus) = try intakes.withLock { intakes in
      if intakes.erased.contains(desk.user) { throw HubStorageError.erased(user: desk.user) }
      let existing = intakes.all[desk.user]
      let intake = existing ?? makeIntake(for: desk)
      intakes.all[desk.user] = intake
      return (intake, intakes.open.onUse(desk.user))
    }
    close(surplus)
    return intake
  }

  private func makeIntake(for desk: UserRecordService) -> IntakeQueue {
    let (storage, clock) = (storage, clock)
    return IntakeQueue { [weak self] in
      func open() throws -> TrackIntake {
        let rows = try storage.tracks(of: desk.user)
        return TrackIntake(rows: rows, journal: HubDetectedEventStore(desk: desk, rows: rows), clock: clock)
      }
      do {
        return try open()
      } catch let error as StorageError where error.isShortOfDescriptors {
        guard let self, closeIdle(but: desk.user) else { throw error }
        return try open()
      }
    }
  }

  /// Closes about half of the logs to free file descriptors, except those in use.
  ///
  /// - Returns: Whether any log was closed.
  private func closeIdle(but user: String) -> Bool {
    close(intakes.withLock { $0.open.leastRecent($0.open.count / 2 + 1, but: user) }) > 0
  }

  @discardableResult
  private func close(_ users: [String]) -> Int {
    var count = 0
    for user in users {
      let isClosed = intakes.withLock { intakes in
        guard intakes.all[user]?.closeIfIdle() ?? true else { return false }
        intakes.open.onClosed(user)
        return true
      }
      if isClosed { count += 1 }
    }
    return count
  }

  /// Runs `body` with the user's intake, with store errors converted to `HubStorageError`. Calls for one user run in
  /// order of arrival.
  private func run<Result: Sendable>(
    for desk: UserRecordService, _ body: @Sendable (TrackIntake) throws -> Result
  ) async throws -> Result {
    try await translating { try await intake(for: desk).run(body) }
  }

  private func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as StorageError {
      throw HubStorageError(error)
    }
  }
}

/// An agent's ingest, which receives posts without a hub.
public struct AgentIngest: Ingest {
  private let intake: IntakeQueue
  private let clock: any TimeSource
  private let onTaken: @Sendable (_ isRecordChanged: Bool) -> Void

  /// Creates an ingest.
  ///
  /// - Parameters:
  ///   - intake: Queue for the agent's track log.
  ///   - clock: Clock for detecting timestamps in the future.
  ///   - onTaken: Called after readings have been stored, with whether the record may have changed.
  public init(
    intake: IntakeQueue, clock: any TimeSource, onTaken: @escaping @Sendable (_ isRecordChanged: Bool) -> Void
  ) {
    self.intake = intake
    self.clock = clock
    self.onTaken = onTaken
  }

  /// Appends posted readings to the track log and runs trip detection.
  public func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestResponse {
    let answer = try await request.take(into: intake, sender: sender.device, at: clock.now)
    if answer.added > 0 { onTaken(answer.isRecordChanged) }
    return answer
  }
}

/// Cached part of a user's record, reloaded after an entity of its kind has changed.
private final class RecordPart<Value: Sendable>: Sendable {
  private let kind: SyncedKind
  private let content = Mutex<(position: SourcePosition, value: Value)?>(nil)

  init(_ kind: SyncedKind) { self.kind = kind }

  func value(at desk: UserRecordService, _ read: () throws -> Value) throws -> Value {
    let cached = content.withLock { $0 }
    let (position, hasChanged) = try desk.changes(of: kind, since: cached?.position)
    if let cached, !hasChanged {
      content.withLock { $0 = (position, cached.value) }
      return cached.value
    }
    // Read after the position was determined, so a concurrent write only causes a redundant reload.
    let value = try read()
    content.withLock { $0 = (position, value) }
    return value
  }
}

extension HubIngest {
  /// Returns a store that writes events detected in track rows to a user's record.
  public static func journal(at desk: UserRecordService, of rows: any TrackRows) -> any DetectedEventStore {
    HubDetectedEventStore(desk: desk, rows: rows)
  }

  /// Schedules another check of a user after data was imported into the track log.
  public func onImported(for user: String) { intakes.withLock { $0.settled[user] = nil } }
}

extension UserRecordService {
  /// Returns an event from the record, or `nil` if it does not exist or is deleted.
  public func event(id: String) throws -> Event? {
    let wire: APIEvent? = try find(.event, id: id)
    return wire.map { Event($0) }
  }
}

struct HubDetectedEventStore: DetectedEventStore {
  let desk: UserRecordService
  // Cached, because the places and the stop duration are needed for every fix.
  private let places = RecordPart<[Geofence]>(.geofence)
  private let stop = RecordPart<TripStop>(.setting)

  /// `rows` are the track rows in which the events are detected.
  init(desk: UserRecordService, rows: any TrackRows) { self.desk = desk.asReader(of: rows) }

  func geofences() throws -> [Geofence] {
    try places.value(at: desk) {
      let wire: [APIGeofence] = try desk.list(.geofence)
      return wire.map { Geofence($0) }
    }
  }

  func tripStop() throws -> TripStop {
    try stop.value(at: desk) {
      let settings = try desk.records(.setting).map { SyncedRecord(id: $0.id, kind: .setting, fields: $0.members) }
      return TripStop(setting: settings.settingValues[TripStop.key])
    }
  }

  func tripTypeId() throws -> String {
    let wire: [APIEventType] = try desk.list(.eventType)
    return try BuiltInType.trip.find(among: wire.map { EventType($0) }) { type, definitions in
      do {
        try desk.create(.eventType, type.createRequest)
      } catch let problem as Problem where problem.kind == "entity_deleted" {
        return false
      }
      for definition in definitions { try desk.create(.propertyDefinition, definition.createRequest) }
      return true
    }.id
  }

  func event(id: String) throws -> Event? { try desk.event(id: id) }

  func create(_ event: Event) throws -> Bool {
    do {
      try desk.create(.event, event.createRequest)
      return true
    } catch let problem as Problem where (400..<500).contains(problem.status) && problem.status != 429 {
      // The event or its type was deleted. A retry would not help, and the remaining events must still be written.
      return false
    }
  }

  func update(_ event: Event, from held: Event) throws -> Bool {
    guard let request = event.updateRequest(from: held) else { return true }
    return try desk.update(.event, id: held.id, request) { (wire: APIEvent) in Event(wire) == held }
  }

  func delete(_ held: Event) throws -> Bool {
    try desk.delete(.event, id: held.id) { (wire: APIEvent) in Event(wire) == held }
  }

  /// Returns a trip with its vehicle filled in. A vehicle refers to its device by name or by the hub's device id.
  func completed(_ trip: Event, device: String) throws -> Event {
    TripEvent.completing(
      trip, devices: [device, try desk.name(ofDevice: device)].compactMap(\.self),
      vehicles: try desk.records(.vehicle).compactMap { Vehicle(id: $0.id, fields: $0.members) },
      rules: try desk.records(.tripRule).compactMap { TripRule(id: $0.id, fields: $0.members) }.inAskingOrder,
      places: try geofences())
  }
}
