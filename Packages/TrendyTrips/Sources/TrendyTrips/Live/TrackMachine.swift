#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols

/// Makes trips and visits of one device's readings, which come in their order.
///
/// A value without a clock: the readings' own times decide, so that stored readings give the same again, in whatever steps they
/// are read. A device that says itself when a drive begins and ends (``/TrendyProtocols/TripCall``) is believed: from its first
/// such word on its trips are those of a ``TripTracker``; of any other a ``TripDetector`` finds them.
struct TrackMachine: Hashable, Sendable, Codable {
  enum Effect: Hashable, Sendable {
    /// A trip that is over; told again with the same id when it went on after all.
    case trip(TripRecord)
    /// There was no such trip, even if it was told before.
    case noTrip(TripRecord)
    case entered(geofenceId: String, at: Date)
    /// `enteredAt` is missing where the entry was not seen.
    case exited(geofenceId: String, enteredAt: Date?, at: Date)
  }

  private var detector: TripDetector
  private var tracker: TripTracker?
  private var monitor: GeofenceMonitor
  /// Places the person is in, and since when.
  private(set) var openVisits: [String: Date] = [:]
  /// The time of the last reading.
  private(set) var time: Date?

  init(deviceId: String) {
    detector = TripDetector(configuration: .init(deviceId: deviceId))
    monitor = GeofenceMonitor()
  }

  /// Takes the places as they are from here on.
  mutating func update(geofences: [Geofence], skipPlaces: [Coordinate]) {
    monitor.update(geofences)
    let watched = Set(geofences.filter(\.isActive).map(\.id))
    openVisits = openVisits.filter { watched.contains($0.key) }
    detector.configuration.skipPlaces = skipPlaces
    tracker?.configuration.skipPlaces = skipPlaces
  }

  /// Whether nothing is open that later readings could change.
  var isResting: Bool { detector.currentTrip == nil && tracker?.currentTrip == nil }

  /// The trip that goes on.
  var currentRecord: TripRecord? { tracker.map(\.currentRecord) ?? detector.currentRecord }

  mutating func take(_ reading: TrackReading) -> [Effect] {
    time = reading.timestamp
    switch reading {
    case .motion(let activity):
      detector.onMotion(activity)
      // What a car says of itself needs no sensor beside it.
      return []
    case .fix(let fix):
      var effects = visits(monitor.onTick(at: fix.timestamp)) + visits(monitor.onLocation(fix))
      let found = detector.onLocation(fix).compactMap { Self.effect($0) }
      if tracker == nil { effects += found } else { effects += tracked { $0.onLocation(fix) } }
      return effects
    case .call(let call):
      return take(call)
    }
  }

  /// What is so by a moment after the last reading, if none is missing. To be asked of a copy: readings may come late.
  mutating func settle(at date: Date) -> [Effect] {
    var effects = visits(monitor.onTick(at: date))
    if tracker == nil {
      effects += detector.onTick(at: date).compactMap { Self.effect($0) }
    } else {
      effects += tracked { $0.onTick(at: date) }
    }
    return effects
  }

  /// When ``settle(at:)`` closes the trip that goes on, at the latest.
  var deadline: Date? { tracker.map(\.nextDeadline) ?? detector.nextDeadline }

  private mutating func take(_ call: TripCall) -> [Effect] {
    var effects: [Effect] = []
    if tracker == nil {
      // What was found before the first word stands.
      effects = detector.finish().compactMap { Self.effect($0) }
      tracker = TripTracker(configuration: Self.configuration(detector.configuration))
      // The call's own fix, which stands before it, is where the drive begins.
      if let fix = detector.lastFix { tracker?.onLocation(fix) }
    }
    let date = call.timestamp
    switch call.kind {
    case .start:
      return effects + tracked { $0.onCarLink(isConnected: true, at: date) }
    case .end:
      return effects + tracked { $0.onCarLink(isConnected: false, at: date) }
    case .finalize:
      return effects + close(at: date)
    case .cancel:
      let id = tracker?.currentTrip?.id
      return effects
        + close(at: date).map { effect in
          if case .trip(let record) = effect, record.trip.id == id { .noTrip(record) } else { effect }
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
    return effects.compactMap { effect in
      guard let record = tracker.closedRecord else { return nil }
      return switch effect {
      case .ended: .trip(record)
      case .cancelled: .noTrip(record)
      default: nil
      }
    }
  }

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

  private static func effect(_ effect: TripDetector.Effect) -> Effect? {
    switch effect {
    case .ended(let record): .trip(record)
    case .cancelled(let record): .noTrip(record)
    case .started, .paused, .resumed: nil
    }
  }

  private static func configuration(_ detector: TripDetector.Configuration) -> TripConfiguration {
    TripConfiguration(
      skipPlaces: detector.skipPlaces, skipRadiusMeters: detector.skipRadius, deviceId: detector.deviceId,
      // Calls may come minutes apart; a live display's filter would leave out most of such a way.
      distanceFilter: DistanceFilterConfig(maxJumpDistance: 5000, maxAccuracy: detector.maximumAccuracy),
      silenceSeconds: detector.silenceSeconds)
  }
}
