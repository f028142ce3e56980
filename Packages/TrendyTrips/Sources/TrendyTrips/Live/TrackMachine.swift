import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Makes trips and visits of one device's readings, which come in their order.
///
/// A value without a clock: the readings' own times decide, so that stored readings give the same again, in whatever steps they
/// are read. A ``TripDetector`` finds trips in the fixes; where the device says itself when a drive begins and ends
/// (``/TrendyProtocols/TripCall``), it is believed: a ``TripTracker`` makes that trip, and what was found in its time is none.
struct TrackMachine: Hashable, Sendable, Codable {
  enum Effect: Hashable, Sendable {
    /// A trip that is over; told again with the same id when it went on after all.
    case trip(TripRecord)
    /// There was no such trip, even if it was told before.
    case noTrip(id: String)
    case entered(geofenceId: String, at: Date)
    /// `enteredAt` is missing where the entry was not seen.
    case exited(geofenceId: String, enteredAt: Date?, at: Date)
  }

  /// A time that a device spoke of, or that a trip was found in.
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

  private var detector: TripDetector
  /// The last drives of which the device spoke, those that it took back included, and the last trips that were found.
  private var called: [Span] = []
  private var detected: [Span] = []
  private var tracker: TripTracker?
  private var monitor: GeofenceMonitor
  /// Places the person is in, and since when.
  private(set) var openVisits: [String: Date] = [:]
  /// The time of the last reading.
  private(set) var time: Date?

  init(device: String) {
    // What was recorded elsewhere is the same trip for whoever imports it.
    detector = TripDetector(configuration: .init(deviceId: Recording.isRecording(device: device) ? "" : device))
    monitor = GeofenceMonitor()
  }

  /// Takes the places, and how long a stop ends a trip, as they are from here on.
  mutating func update(geofences: [Geofence], stop: TripStop) {
    detector.configuration.stopSeconds = stop.seconds
    let skipPlaces = geofences.filter(\.isSkipPlace).map(\.coordinate)
    monitor.update(geofences)
    let watched = Set(geofences.filter(\.isActive).map(\.id))
    openVisits = openVisits.filter { watched.contains($0.key) }
    detector.configuration.skipPlaces = skipPlaces
    tracker?.configuration.skipPlaces = skipPlaces
  }

  /// As it is kept: without what ``update(geofences:stop:)`` gives back. Of a place that nothing is to be remembered of, nothing is
  /// kept, so that a thousand places cost no more than the one that the person is in.
  var withoutSettings: TrackMachine {
    var machine = self
    machine.monitor = monitor.withoutIdlePlaces
    machine.detector.configuration.skipPlaces = []
    machine.detector.configuration.stopSeconds = TripStop.standard.seconds
    machine.tracker?.configuration.skipPlaces = []
    return machine
  }

  /// The trip that goes on.
  var currentRecord: TripRecord? {
    tracker?.currentRecord ?? detector.currentRecord.flatMap { isCalled(Span($0.trip)) ? nil : $0 }
  }

  /// What stands here of the device by now.
  func presence(of device: String) -> DevicePresence {
    var presence = DevicePresence(device: device, lastFix: detector.lastFix, visits: openVisits)
    presence.trip = currentRecord
    guard presence.trip != nil else { return presence }
    if let tracker, tracker.currentRecord != nil {
      // Who has calls made is a car.
      presence.mode = .automotive
      presence.isPaused = tracker.phase == .paused
    } else {
      presence.mode = detector.currentMode ?? .unknown
      presence.isPaused = detector.isPaused
    }
    return presence
  }

  mutating func take(_ reading: TrackReading) -> [Effect] {
    time = reading.timestamp
    switch reading {
    case .motion(let activity):
      detector.onMotion(activity)
      // What a car says of itself needs no sensor beside it.
      return []
    case .fix(let fix):
      return visits(monitor.onTick(at: fix.timestamp)) + visits(monitor.onLocation(fix))
        + tracked { $0.onLocation(fix) } + found(detector.onLocation(fix))
    case .call(let call):
      return take(call)
    }
  }

  /// What is so by a moment after the last reading, if none is missing. To be asked of a copy: readings may come late.
  mutating func settle(at date: Date) -> [Effect] {
    visits(monitor.onTick(at: date)) + tracked { $0.onTick(at: date) } + found(detector.onTick(at: date))
  }

  /// What is so where nothing more can be told, as of a recording: its last trip ends with it. To be asked of a copy.
  mutating func finish() -> [Effect] { found(detector.finish()) }

  private mutating func take(_ call: TripCall) -> [Effect] {
    if tracker == nil {
      tracker = TripTracker(configuration: Self.configuration(detector.configuration))
      // The call's own fix, which stands before it, is where the drive begins.
      if let fix = detector.lastFix { tracker?.onLocation(fix) }
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
      // As if nothing more were heard: it ends at its last movement.
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

  /// Whether the device itself spoke of a drive in that time.
  private func isCalled(_ span: Span) -> Bool {
    called.contains { $0.overlaps(span) } || tracker?.currentTrip.map { Span($0).overlaps(span) } ?? false
  }

  /// How many drives are remembered: those that a device speaks of late.
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
      // Of the same first fix there may be a trip that was found.
      deviceId: detector.deviceId + "/car",
      // Calls may come minutes apart; a live display's filter would leave out most of such a way.
      distanceFilter: DistanceFilterConfig(maxJumpDistance: 5000, maxAccuracy: detector.maximumAccuracy),
      silenceSeconds: detector.silenceSeconds)
  }
}
