public import TrendyFoundation
import TrendyInsights
public import TrendyModels
import TrendyPersistence
import TrendyProtocols
public import TrendyTrips

/// Updates the live status of a running agent, notifies the user, and sends notices to companions.
///
/// The service does not detect trips itself, but reads the same detection state from which trips are recorded. After a
/// restart, a late fix or a change by another process, the service therefore displays the trip that will be recorded.
public actor LiveStatusService {
  /// Inputs and outputs of the live status.
  public struct Sources: Sendable {
    /// Returns the state of each device.
    public var presences: @Sendable () async throws -> [DevicePresence]
    /// Returns the summary of sync.
    public var sync: @Sendable () async throws -> AgentStatus.Sync?
    /// Receives each notice, and whether the user wants to be notified, because each place has flags for entry and
    /// exit.
    public var notify: (@Sendable (_ notice: LiveNotice, _ isWanted: Bool) -> Void)?
    /// Returns the user's calendar, which determines when a day begins.
    public var local: @Sendable () -> LocalTime
    /// Folder in which daily counts are cached, or `nil` for no cache.
    public var cache: URL?
    /// Called when new notices to companions are pending.
    public var onTold: @Sendable () -> Void

    public init(
      presences: @escaping @Sendable () async throws -> [DevicePresence],
      sync: @escaping @Sendable () async throws -> AgentStatus.Sync?,
      notify: (@Sendable (_ notice: LiveNotice, _ isWanted: Bool) -> Void)? = nil,
      local: @escaping @Sendable () -> LocalTime = { LocalTime() }, cache: URL? = nil,
      onTold: @escaping @Sendable () -> Void = {}
    ) {
      self.presences = presences
      self.sync = sync
      self.notify = notify
      self.local = local
      self.cache = cache
      self.onTold = onTold
    }
  }

  private static let keepVisibleSeconds = TripConfiguration().keepVisibleSeconds

  private struct Day: Equatable {
    var presences: [String: DevicePresence] = [:]

    func trip(_ id: String) -> DevicePresence? { presences.values.first { $0.trip?.trip.id == id } }

    /// The trip to display. If several trips are in progress, the trip with the latest fix.
    var shown: DevicePresence? {
      presences.values.filter { $0.trip != nil }.max {
        ($0.lastFix?.timestamp ?? .distantPast, $0.device) < ($1.lastFix?.timestamp ?? .distantPast, $1.device)
      }
    }
  }

  private let record: DeviceRecord
  private let sources: Sources
  private let live: LiveStatus
  private var day: Day?
  /// Ground speed in m/s by device, estimated if the fixes contain none.
  private var speeds: [String: Double] = [:]
  private var hasEnded = false
  private var lastLook: Task<Void, Never>?
  /// Companion store and channel. Opened for the first companion, and opened again after an error.
  private var companions: (store: CompanionStore, channel: CompanionChannel)?

  /// Creates the live status of an agent. `onChange` receives each status, including the last one after the agent has
  /// ended.
  public init(
    _ record: DeviceRecord, sources: Sources, pid: Int32, onChange: @escaping @Sendable (AgentStatus) -> Void
  ) {
    self.record = record
    self.sources = sources
    live = LiveStatus(
      AgentStatus(pid: pid, store: record.directory.path, startedAt: record.clock.now), clock: record.clock,
      onChange: onChange)
  }

  /// Whether a trip is in progress, so that frequent updates are useful.
  public var isTripOpen: Bool { live.isActivityRunning }

  /// Time until the next update if nothing happens: 5 seconds during a trip, or one minute otherwise, but at most until
  /// the end of the user's day.
  public var lookInterval: Duration {
    let (now, local) = (record.clock.now, sources.local())
    let tomorrow = local.startOfDay(now, addingDays: 1)
    return min(isTripOpen ? .seconds(5) : .seconds(60), .seconds(max(0, tomorrow.timeIntervalSince(now))))
  }

  /// Updates and displays everything. Updates run one at a time, so an older state cannot replace a newer one.
  /// - Throws: The error from an input that could not be read. All other inputs are displayed.
  public func look() async throws {
    let look = Task { [lastLook] in
      await lastLook?.value
      try await lookAlone()
    }
    // Ignore the error here, because it is thrown to the caller below.
    lastLook = Task { _ = try? await look.value }
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
    guard !hasEnded else { return }
    live.together {
      do {
        if problem == nil {
          try take(presences)
          live.status.sync = sync
        }
        let (store, local) = (record.dataStoreFactory.makeLocalStore(), sources.local())
        let counted = LocalInsightSource(store: store, local: local, cache: sources.cache)
        var today = try TodaySnapshot(
          store: store, now: record.clock.now, in: local, counted: counted.histories(of:through:))
        today.trip = day?.shown.flatMap { presence in
          presence.trip.map {
            TodaySnapshot.Trip(
              eventId: $0.trip.id, since: $0.trip.startTime, distance: $0.trip.distanceMeters,
              isPaused: presence.isPaused)
          }
        }
        live.status.today = today
      } catch {
        problem = problem ?? error
      }
    }
    if let problem { throw problem }
  }

  /// Displays that the agent has ended. Later updates have no effect.
  public func end() {
    guard !hasEnded else { return }
    hasEnded = true
    live.status.hasEnded = true
    live.show()
  }

  // MARK: Changes

  private func take(_ presences: [DevicePresence]) throws {
    let now = Day(presences: Dictionary(presences.map { ($0.device, $0) }, uniquingKeysWith: { $1 }))
    let before = day ?? Day()
    for presence in presences { note(presence, after: before.presences[presence.device]) }
    let store = record.makeStore()
    // Do not send notices about the state at the agent's start.
    let isNews = day != nil
    for presence in presences.sorted(by: { $0.device < $1.device }) {
      guard let trip = presence.trip, before.trip(trip.trip.id) == nil, isNews else { continue }
      // Do not send notices about a trip whose start was only corrected by a late fix.
      if let last = before.presences[presence.device]?.trip?.trip.id, try store.findEvent(id: last) == nil { continue }
      notify(
        .tripStarted(
          id: trip.trip.id, place: try place(trip.trip.startCoordinate, store), vehicle: vehicle(of: presence, store)))
    }
    for presence in before.presences.values.sorted(by: { $0.device < $1.device }) {
      guard let id = presence.trip?.trip.id, now.trip(id) == nil else { continue }
      guard let event = try store.findEvent(id: id), let trip = TripEvent(event) else {
        if now.presences[presence.device]?.trip == nil { notify(.noTrip(id: id)) }
        continue
      }
      notify(
        .tripEnded(
          id: id, distance: trip.distance, duration: trip.end.timeIntervalSince(trip.start),
          place: try place(trip.endPlace, store)))
    }
    if isNews { try notifyOfPlaces(from: before, to: now, store) }
    day = now
    try show(now, after: before, store)
    do {
      if companions == nil, CompanionStore.exists(storeDirectory: record.directory) {
        let store = try CompanionStore(storeDirectory: record.directory)
        companions = (store, CompanionChannel(store: store, clock: record.clock))
      }
      guard let companions else { return }
      try tell(companions.channel, now, store)
      live.status.trackers = try companions.store.trackers()
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
      if live.isActivityRunning {
        if let id = live.status.trip?.id, let event = try store.findEvent(id: id), let trip = TripEvent(event) {
          // Use the recorded distance, which may be shorter than the displayed one.
          live.status.trip?.distance = trip.distance
          live.status.trip?.elapsed = trip.end.timeIntervalSince(trip.start)
          live.endActivity(keepVisibleForSeconds: Self.keepVisibleSeconds)
        } else {
          live.endActivity(keepVisibleForSeconds: 0)
        }
      }
      return
    }
    let vehicle = vehicle(of: presence, store)
    if !live.isActivityRunning || live.status.trip?.id != record.trip.id {
      live.endActivity(keepVisibleForSeconds: 0)
      live.startActivity(carName: vehicle ?? "", startTime: record.trip.startTime)
    }
    live.status.trip?.id = record.trip.id
    live.status.trip?.device = presence.device
    live.status.trip?.mode = presence.mode
    live.status.trip?.vehicle = vehicle
    live.status.trip?.fixedAt = presence.lastFix?.timestamp
    live.updateActivity(
      state: LiveActivityState(
        distanceMeters: record.trip.distanceMeters,
        durationSeconds: max(0, self.record.clock.now.timeIntervalSince(record.trip.startTime)),
        speedMetersPerSecond: presence.isPaused ? 0 : speeds[presence.device], isPaused: presence.isPaused))
  }

  private func note(_ presence: DevicePresence, after before: DevicePresence?) {
    guard let fix = presence.lastFix, record.clock.now.timeIntervalSince(fix.timestamp) <= Self.speedHolds else {
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

  private static let speedHolds: TimeInterval = 120

  private func notifyOfPlaces(from before: Day, to now: Day, _ store: any DataStoreProtocol) throws {
    for presence in now.presences.values.sorted(by: { $0.device < $1.device }) {
      let known = before.presences[presence.device]?.visits ?? [:]
      for id in presence.visits.keys.sorted() where known[id] == nil {
        guard let place = try store.findGeofence(id: id) else { continue }
        notify(.entered(place: place.name), isWanted: place.notifyOnEntry)
      }
      for (id, since) in known.sorted(by: { $0.key < $1.key }) where presence.visits[id] == nil {
        guard let place = try store.findGeofence(id: id) else { continue }
        let end = presence.lastFix?.timestamp ?? record.clock.now
        notify(.left(place: place.name, after: max(0, end.timeIntervalSince(since))), isWanted: place.notifyOnExit)
      }
    }
  }

  private func notify(_ notice: LiveNotice, isWanted: Bool = true) {
    sources.notify?(notice, isWanted)
  }

  private func place(_ coordinate: Coordinate?, _ store: any DataStoreProtocol) throws -> String? {
    try store.fetchAllGeofences().nearest(to: coordinate).first?.name
  }

  private func vehicle(of presence: DevicePresence, _ store: any DataStoreProtocol) -> String? {
    guard presence.mode == .automotive || presence.mode == .unknown else { return nil }
    // If the vehicles cannot be read, display the trip without a vehicle.
    let vehicles = (try? store.vehicles()) ?? []
    return VehicleIdentity(devices: [presence.device], among: vehicles).vehicle?.name
  }
}
