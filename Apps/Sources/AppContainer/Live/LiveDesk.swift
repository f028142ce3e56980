public import CommandSupport
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import TrendyModels
import TrendyProtocols
public import TrendyTrips

/// Shows, while an agent runs, what goes on: keeps the status file, puts notices on the desktop, tells companions.
///
/// It decides nothing. What goes on is read from the track log, of which the record's events are made too: so a restart, a fix that
/// comes late or another process that adds some show the same trip as the one that will be written.
public actor LiveDesk {
  /// What is read of the world each time.
  public struct Sources: Sendable {
    /// Where the devices are.
    public var presences: @Sendable () async throws -> [DevicePresence]
    /// How sync stands.
    public var sync: @Sendable () async throws -> AgentStatus.Sync?
    /// Shows a notice to the person, in the place of the last one of its topic; `nil` where they want none.
    public var notify: (@Sendable (_ summary: String, _ body: String, _ topic: String?) -> Void)?
    /// Called when there is something for companions, who are told by others.
    public var onTold: @Sendable () -> Void

    public init(
      presences: @escaping @Sendable () async throws -> [DevicePresence],
      sync: @escaping @Sendable () async throws -> AgentStatus.Sync?,
      notify: (@Sendable (_ summary: String, _ body: String, _ topic: String?) -> Void)? = nil,
      onTold: @escaping @Sendable () -> Void = {}
    ) {
      self.presences = presences
      self.sync = sync
      self.notify = notify
      self.onTold = onTold
    }
  }

  /// How long a trip that is over stays in sight: as ``/TrendyTrips/TripConfiguration`` has it.
  private static let keepVisibleSeconds = TripConfiguration().keepVisibleSeconds

  private struct Day: Equatable {
    var presences: [String: DevicePresence] = [:]

    func trip(_ id: String) -> DevicePresence? { presences.values.first { $0.trip?.trip.id == id } }

    /// The trip that is shown: of several the one that was heard of last.
    var shown: DevicePresence? {
      presences.values.filter { $0.trip != nil }.max {
        ($0.lastFix?.timestamp ?? .distantPast, $0.device) < ($1.lastFix?.timestamp ?? .distantPast, $1.device)
      }
    }
  }

  private let app: AppContainer
  private let sources: Sources
  private let file: StatusFile
  private let board: LiveBoard
  /// As of the last look; `nil` before the first.
  private var day: Day?
  /// Metres a second, by device, where its fixes do not say.
  private var speeds: [String: Double] = [:]
  private var hasEnded = false
  private var lastLook: Task<Void, Never>?
  /// Opened when there is a companion, and anew after it failed.
  private var companions: (store: CompanionStore, channel: CompanionChannel)?

  /// - Parameters:
  ///   - pid: of this process.
  ///   - board: is shown each document.
  public init(app: AppContainer, files: RuntimeFiles, sources: Sources, pid: Int32, board: LiveBoard) {
    self.app = app
    self.sources = sources
    file = StatusFile(
      url: files.status, status: AgentStatus(pid: pid, store: app.storeDirectory.path, startedAt: app.clock.now),
      clock: app.clock
    ) { board.show($0) }
    self.board = board
  }

  /// Whether a trip goes on, so that it is worth looking often.
  public var isTripOpen: Bool { file.isActivityRunning }

  /// What the status file could last not be written for.
  public var failure: OwnerOnlyFile.WriteError? { file.failure }

  /// Looks at everything again, and shows what changed. One look at a time: an older one must not undo what a newer one saw.
  /// - Throws: what could not be read; what could be is shown.
  public func look() async throws {
    let look = Task { [lastLook] in
      await lastLook?.value
      try await lookAlone()
    }
    lastLook = Task { _ = try? await look.value }  // its error is for who asked for it
    try await look.value
  }

  private func lookAlone() async throws {
    var problem: (any Error)?
    var presences: [DevicePresence] = []
    var sync: AgentStatus.Sync?
    do {
      presences = try await sources.presences()
      sync = try await sources.sync()
    } catch {
      problem = error
    }
    // The end may have come meanwhile.
    guard !hasEnded else { return }
    file.together {
      do {
        if problem == nil {
          try take(presences)
          file.status.sync = sync
        }
        file.status.today = try TodaySnapshot(store: app.makeStore(), now: app.clock.now)
      } catch {
        problem = problem ?? error
      }
    }
    if let problem { throw problem }
  }

  /// Says that the agent has ended. Nothing is shown any more.
  public func end() {
    guard !hasEnded else { return }
    hasEnded = true
    file.status.hasEnded = true
    file.write()
    board.show(board.notice.text, isLast: true)
  }

  // MARK: What changed

  private func take(_ presences: [DevicePresence]) throws {
    let now = Day(presences: Dictionary(presences.map { ($0.device, $0) }, uniquingKeysWith: { $1 }))
    let before = day ?? Day()
    for presence in presences { note(presence, after: before.presences[presence.device]) }
    let store = app.makeStore()
    // What was so before this agent began is no news.
    let isNews = day != nil
    for presence in presences.sorted(by: { $0.device < $1.device }) {
      guard let trip = presence.trip, before.trip(trip.trip.id) == nil, isNews else { continue }
      // A late fix showed that it had begun elsewhere: no news either.
      if let last = before.presences[presence.device]?.trip?.trip.id, try store.findEvent(id: last) == nil { continue }
      notify(
        "Trip started", Self.words([try place(trip.trip.startCoordinate, store), vehicle(of: presence, store)]),
        topic: trip.trip.id)
    }
    for presence in before.presences.values.sorted(by: { $0.device < $1.device }) {
      guard let id = presence.trip?.trip.id, now.trip(id) == nil else { continue }
      guard let event = try store.findEvent(id: id), let trip = TripEvent(event) else {
        if now.presences[presence.device]?.trip == nil { notify("No trip", "What had begun was none.", topic: id) }
        continue
      }
      notify(
        "Trip ended",
        Self.words([
          LiveText.kilometres(trip.distance), TimePhrase.words(trip.end.timeIntervalSince(trip.start)),
          try place(trip.endPlace, store),
        ]), topic: id)
    }
    if isNews { try notifyOfPlaces(from: before, to: now, store) }
    day = now
    try show(now, after: before, store)
    do {
      if companions == nil, CompanionStore.exists(storeDirectory: app.storeDirectory) {
        let store = try CompanionStore(storeDirectory: app.storeDirectory)
        companions = (store, CompanionChannel(store: store, clock: app.clock))
      }
      guard let companions else { return }
      try tell(companions.channel, now, store)
      file.status.trackers = try companions.store.trackers()
    } catch {
      companions = nil
      throw error
    }
  }

  private func tell(_ channel: CompanionChannel, _ now: Day, _ store: any DataStoreProtocol) throws {
    let open = now.presences.values.sorted { $0.device < $1.device }.compactMap { presence in
      presence.trip.map {
        CompanionChannel.DeviceTrip(id: $0.trip.id, device: presence.device, start: $0.trip.startTime)
      }
    }
    let isNew = try channel.tell(open: open) { id in
      guard let event = try store.findEvent(id: id), let trip = TripEvent(event) else { return nil }
      return [
        "start": .string(RFC3339.string(from: trip.start)), "end": .string(RFC3339.string(from: trip.end)),
        "distance_m": .double(trip.distance), "duration_s": .double(trip.end.timeIntervalSince(trip.start)),
      ]
    }
    if isNew { sources.onTold() }
  }

  private func show(_ now: Day, after before: Day, _ store: any DataStoreProtocol) throws {
    guard let presence = now.shown, let record = presence.trip else {
      if file.isActivityRunning {
        if let id = file.status.trip?.id, let event = try store.findEvent(id: id), let trip = TripEvent(event) {
          // As it was written, which may be less than what was shown last.
          file.status.trip?.distance = trip.distance
          file.status.trip?.elapsed = trip.end.timeIntervalSince(trip.start)
          file.endActivity(keepVisibleForSeconds: Self.keepVisibleSeconds)
        } else {
          file.endActivity(keepVisibleForSeconds: 0)
        }
      }
      return
    }
    let vehicle = vehicle(of: presence, store)
    if !file.isActivityRunning || file.status.trip?.id != record.trip.id {
      file.endActivity(keepVisibleForSeconds: 0)
      file.startActivity(carName: vehicle ?? "", startTime: record.trip.startTime)
    }
    file.status.trip?.id = record.trip.id
    file.status.trip?.device = presence.device
    file.status.trip?.mode = presence.mode
    file.status.trip?.vehicle = vehicle
    file.status.trip?.fixedAt = presence.lastFix?.timestamp
    file.updateActivity(
      state: LiveActivityState(
        distanceMeters: record.trip.distanceMeters,
        durationSeconds: max(0, app.clock.now.timeIntervalSince(record.trip.startTime)),
        speedMetersPerSecond: presence.isPaused ? 0 : speeds[presence.device], isPaused: presence.isPaused))
  }

  /// Keeps how fast a device goes.
  private func note(_ presence: DevicePresence, after before: DevicePresence?) {
    guard let fix = presence.lastFix, app.clock.now.timeIntervalSince(fix.timestamp) <= Self.speedHolds else {
      speeds[presence.device] = nil
      return
    }
    if let speed = fix.speed {
      speeds[presence.device] = speed
    } else if let last = before?.lastFix, last.timestamp < fix.timestamp {
      let seconds = fix.timestamp.timeIntervalSince(last.timestamp)
      speeds[presence.device] =
        seconds <= Self.speedHolds
        ? Geodesic.distanceMeters(from: last.coordinate, to: fix.coordinate) / seconds : nil
    }
  }

  /// Seconds.
  private static let speedHolds: TimeInterval = 120

  private func notifyOfPlaces(from before: Day, to now: Day, _ store: any DataStoreProtocol) throws {
    for presence in now.presences.values.sorted(by: { $0.device < $1.device }) {
      let known = before.presences[presence.device]?.visits ?? [:]
      for id in presence.visits.keys.sorted() where known[id] == nil {
        guard let place = try store.findGeofence(id: id), place.notifyOnEntry else { continue }
        notify("Entered \(place.name)", "")
      }
      for (id, since) in known.sorted(by: { $0.key < $1.key }) where presence.visits[id] == nil {
        guard let place = try store.findGeofence(id: id), place.notifyOnExit else { continue }
        let end = presence.lastFix?.timestamp ?? app.clock.now
        notify("Left \(place.name)", "after \(TimePhrase.words(max(0, end.timeIntervalSince(since))))")
      }
    }
  }

  private func notify(_ summary: String, _ body: String, topic: String? = nil) { sources.notify?(summary, body, topic) }

  private func place(_ coordinate: Coordinate?, _ store: any DataStoreProtocol) throws -> String? {
    AppContainer.places(at: coordinate, among: try store.fetchAllGeofences()).first?.name
  }

  private func vehicle(of presence: DevicePresence, _ store: any DataStoreProtocol) -> String? {
    guard presence.mode == .automotive || presence.mode == .unknown else { return nil }
    // A display without the car's name is better than none.
    let vehicles = (try? AppContainer.vehicles(in: store)) ?? []
    return VehicleIdentity(devices: [presence.device], among: vehicles).vehicle?.name
  }

  private static func words(_ parts: [String?]) -> String {
    parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

/// A live trip in the words of a person.
public enum LiveText: Sendable {
  /// `7.45 km`.
  public static func kilometres(_ metres: Double) -> String {
    let hundredths = Int(max(0, min(metres, 1e12) / 10).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) km"
  }

  /// `12m  7.45 km  48 km/h  automotive  Van  since 09:37`.
  public static func line(_ trip: AgentStatus.LiveTrip, now: Date, in local: LocalTime) -> String {
    let elapsed = trip.state == .ended ? trip.elapsed : max(trip.elapsed, now.timeIntervalSince(trip.start))
    var parts = [TimePhrase.words(elapsed), kilometres(trip.distance)]
    switch trip.state {
    case .ended: parts.append("ended")
    case .paused: parts.append("paused")
    case .going: if let speed = trip.speed { parts.append("\(Int((speed * 3.6).rounded())) km/h") }
    }
    if trip.mode != .unknown { parts.append(trip.mode.rawValue) }
    if let vehicle = trip.vehicle { parts.append(vehicle) }
    parts.append("since \(local.time(trip.start))")
    if let fixedAt = trip.fixedAt, now.timeIntervalSince(fixedAt) > 120 {
      parts.append("last heard of \(TimePhrase.words(now.timeIntervalSince(fixedAt))) ago")
    }
    return parts.joined(separator: "  ")
  }
}
