import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// State machine that detects the trips and visits of one device in its readings, which must be in chronological order.
///
/// The state machine is a value type and never reads a clock. Only the timestamps of the readings matter, so stored
/// readings yield the same result in batches of any size. A ``TripDetector`` detects trips in the fixes. Trip commands
/// from the device (``/TrendyProtocols/TripCommand``) take precedence: a ``TripTracker`` creates trips from the
/// commands, and detected trips that overlap these are discarded.
struct DetectionStateMachine: Hashable, Sendable, Codable {
  enum Effect: Hashable, Sendable {
    /// A trip ended. Sent again with the same id if the trip turns out to continue.
    case trip(TripRecord)
    /// The trip with this id, reported earlier, does not exist.
    case noTrip(id: String)
    case entered(geofenceId: String, at: Date)
    /// An exit. `enteredAt` is `nil` if the entry was not observed.
    case exited(geofenceId: String, enteredAt: Date?, at: Date)
  }

  private struct Span: Hashable, Sendable, Codable {
    var id: String
    var start: Date
    var end: Date

    init(_ trip: Trip) {
      id = trip.id
      start = trip.startTime
      end = trip.endTime ?? .distantFuture
    }

    func overlaps(_ other: Span) -> Bool { start < other.end && other.start < end }
  }

  private var movement: MovementDetector
  /// Intervals of the most recent trips created by commands, including cancelled trips.
  private var called: [Span] = []
  /// Intervals of the most recent detected trips.
  private var detected: [Span] = []
  private var tracker: TripTracker?
  /// Entry time for each place that contains the device, by geofence id.
  private(set) var openVisits: [String: Date] = [:]
  /// Time of the last reading.
  private(set) var time: Date?

  init(device: String) {
    // Use no device id for a recording, which must lead to the same trip ids on every device that imports it.
    let deviceId = Recording.isRecording(device: device) ? "" : device
    movement = MovementDetector(trips: TripDetector(configuration: .init(deviceId: deviceId)))
  }

  /// Sets the places and the duration of a stop that ends a trip, for all following readings.
  mutating func update(geofences: [Geofence], stop: TripStop) {
    movement.trips.configuration.stopSeconds = stop.seconds
    let skipPlaces = geofences.filter(\.isSkipPlace).map(\.coordinate)
    movement.places.update(geofences)
    let watched = Set(geofences.filter(\.isActive).map(\.id))
    openVisits = openVisits.filter { watched.contains($0.key) }
    movement.trips.configuration.skipPlaces = skipPlaces
    tracker?.configuration.skipPlaces = skipPlaces
  }

  /// Copy for a checkpoint, without the settings that ``update(geofences:stop:)`` restores.
  ///
  /// Places that the device has not visited take no space.
  var withoutSettings: DetectionStateMachine {
    var machine = self
    machine.movement.places = movement.places.withoutIdlePlaces
    machine.movement.trips.configuration.skipPlaces = []
    machine.movement.trips.configuration.stopSeconds = TripStop.standard.seconds
    machine.tracker?.configuration.skipPlaces = []
    return machine
  }

  var currentRecord: TripRecord? {
    tracker?.currentRecord ?? movement.trips.currentRecord.flatMap { isCalled(Span($0.trip)) ? nil : $0 }
  }

  /// Returns the current state of the device for a live display.
  func presence(of device: String) -> DevicePresence {
    var presence = DevicePresence(device: device, lastFix: movement.trips.lastFix, visits: openVisits)
    presence.trip = currentRecord
    guard presence.trip != nil else { return presence }
    if let tracker, tracker.currentRecord != nil {
      // Only cars send trip commands.
      presence.mode = .automotive
      presence.isPaused = tracker.phase == .paused
    } else {
      presence.mode = movement.trips.currentMode ?? .unknown
      presence.isPaused = movement.trips.isPaused
    }
    return presence
  }

  mutating func take(_ reading: TrackReading) -> [Effect] {
    time = reading.timestamp
    switch reading {
    case .motion(let activity):
      movement.trips.onMotion(activity)
      // Trips created by commands do not use motion samples.
      return []
    case .fix(let fix):
      let effects = movement.onLocation(fix, onTripSince: tracker?.currentTrip?.startTime)
      return visits(effects.crossings) + tracked { $0.onLocation(fix) } + found(effects.trips)
    case .call(let call):
      return take(call)
    }
  }

  /// Returns the effects of the time between the last reading and `date`, assuming that no readings arrive late.
  ///
  /// Call this method on a copy, because late readings may still arrive.
  mutating func settle(at date: Date) -> [Effect] {
    let effects = movement.onTick(at: date, onTripSince: tracker?.currentTrip?.startTime)
    return visits(effects.crossings) + tracked { $0.onTick(at: date) } + found(effects.trips)
  }

  /// Returns the effects of the end of a recording, where a trip in progress ends at the last reading. Call this method
  /// on a copy.
  mutating func finish() -> [Effect] {
    let effects = movement.finish(onTripSince: tracker?.currentTrip?.startTime)
    return visits(effects.crossings) + found(effects.trips)
  }

  private mutating func take(_ call: TripCommand) -> [Effect] {
    if tracker == nil {
      tracker = TripTracker(configuration: Self.configuration(movement.trips.configuration))
      // Start the trip at the fix sent with the command, which has already been processed.
      if let fix = movement.trips.lastFix { tracker?.onLocation(fix) }
    }
    let date = call.timestamp
    switch call.kind {
    case .start: return tracked { $0.onCarLink(isConnected: true, at: date) }
    case .end: return tracked { $0.onCarLink(isConnected: false, at: date) }
    case .finalize: return close(at: date)
    case .cancel:
      let id = tracker?.currentTrip?.id
      return close(at: date).map { effect in
        if case .trip(let record) = effect, record.trip.id == id { .noTrip(id: record.trip.id) } else { effect }
      }
    }
  }

  private mutating func close(at date: Date) -> [Effect] {
    tracked { tracker in
      // The trip ends at its last movement, as it does after a long gap.
      let effects = tracker.onCarLink(isConnected: false, at: date)
      return effects + tracker.onTick(at: date + tracker.configuration.silenceSeconds)
    }
  }

  private mutating func tracked(_ body: (inout TripTracker) -> [TripTracker.Effect]) -> [Effect] {
    guard var tracker else { return [] }
    let effects = body(&tracker)
    self.tracker = tracker
    return effects.flatMap { effect -> [Effect] in
      guard let record = tracker.closedRecord else { return [] }
      switch effect {
      case .ended:
        let span = Span(record.trip)
        called = called.suffix(Self.memory) + [span]
        let others = detected.filter { $0.overlaps(span) }
        detected.removeAll { $0.overlaps(span) }
        return others.map { .noTrip(id: $0.id) } + [.trip(record)]
      case .cancelled: return [.noTrip(id: record.trip.id)]
      default: return []
      }
    }
  }

  private mutating func found(_ effects: [TripDetector.Effect]) -> [Effect] {
    effects.compactMap { effect in
      switch effect {
      case .started, .paused, .resumed: return nil
      case .cancelled(let record):
        detected.removeAll { $0.id == record.trip.id }
        return .noTrip(id: record.trip.id)
      case .ended(let record):
        let span = Span(record.trip)
        detected.removeAll { $0.id == span.id }
        guard !isCalled(span) else { return .noTrip(id: span.id) }
        detected = detected.suffix(Self.memory) + [span]
        return .trip(record)
      }
    }
  }

  /// Returns whether a trip created by commands overlaps this interval.
  private func isCalled(_ span: Span) -> Bool {
    called.contains { $0.overlaps(span) } || tracker?.currentTrip.map { Span($0).overlaps(span) } ?? false
  }

  /// Number of intervals to remember, because commands may arrive late.
  private static let memory = 16

  private mutating func visits(_ crossings: [GeofenceMonitor.Effect]) -> [Effect] {
    crossings.map { crossing in
      switch crossing {
      case .entered(let id, let fix):
        openVisits[id] = fix.timestamp
        return .entered(geofenceId: id, at: fix.timestamp)
      case .exited(let id, let fix):
        return .exited(geofenceId: id, enteredAt: openVisits.removeValue(forKey: id), at: fix.timestamp)
      }
    }
  }

  private static func configuration(_ detector: TripDetector.Configuration) -> TripConfiguration {
    TripConfiguration(
      skipPlaces: detector.skipPlaces, skipRadiusMeters: detector.skipRadius,
      // The suffix makes the id differ from that of a detected trip that begins at the same fix.
      deviceId: detector.deviceId + "/car",
      // Use a wider filter, because commands and the fixes sent with them may be minutes apart. The default filter
      // would discard most of the path.
      distanceFilter: DistanceFilterConfig(maxJumpDistance: 5000, maxAccuracy: detector.maximumAccuracy),
      silenceSeconds: detector.silenceSeconds)
  }
}
