#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels

/// Finds trips in fixes alone: recorded tracks, and devices that say nothing of motion.
///
/// It goes from rest to a trip when fixes leave the place of rest and keep going, and back to rest when they stay within
/// a small circle for minutes. Start and end are found backwards: the fix at which the place of rest was left, the fix
/// at which the circle was entered. Fixes come in the order of their time; older ones are passed over. What it
/// remembers does not grow with the track, but for the thinned route of the open trip.
public struct TripDetector: Hashable, Sendable, Codable {
  /// What counts as rest and what as going. Metres and seconds.
  public struct Configuration: Hashable, Sendable, Codable {
    /// Part of the id of every trip.
    public var deviceId = ""
    /// Metres about the place of rest that a resting receiver's fixes keep to, or their own accuracy if that is more.
    public var restRadius = 60.0
    /// Metres from the place of rest that must be reached for a departure.
    public var departureDistance = 150.0
    /// Seconds from the first fix outside the place of rest to the one that confirms the departure, at least.
    public var departureSeconds: TimeInterval = 10
    /// Metres about a place on the way within which one stands still.
    public var stopRadius = 50.0
    /// Seconds of standing still that end a trip: longer than a red light, a level crossing or a pump.
    public var stopSeconds: TimeInterval = 300
    /// Seconds without a fix that end a trip, unless the next fix shows that it went on.
    public var gapSeconds: TimeInterval = 300
    /// Seconds without a fix after which only a ride can have gone on.
    public var maximumGapSeconds: TimeInterval = 1800
    /// Metres a second, as the crow flies between two fixes: nobody keeps that up on foot, nor after a long rest.
    public var rideSpeed = 5.0
    /// Seconds without a fix that end a trip in any case.
    public var maximumRideSeconds: TimeInterval = 14400
    /// Metres that a phone may go before it wakes and gives a first fix.
    public var wakingDistance = 500.0
    /// Metres that are believed against a motion sensor that says that nobody moves.
    public var undeniableDistance = 1000.0
    /// Metres; a fix more uncertain than that counts towards the way only if it is twice as far as it is uncertain.
    public var certainAccuracy = 30.0
    /// Metres a second; faster is a fault of the receiver.
    public var maximumSpeed = 70.0
    /// Metres, exclusive: fixes this uncertain or worse are passed over.
    public var maximumAccuracy = 200.0
    /// Seconds from start to end; shorter was no trip.
    public var minimumSeconds: TimeInterval = 60
    /// Metres along the way; shorter was no trip.
    public var minimumDistance = 100.0
    /// Metres from the start as the crow flies; what never got so far was a drifting receiver.
    public var minimumReach = 200.0
    /// The same for a trip that ends where it began.
    public var minimumLoopReach = 450.0

    public init(deviceId: String = "") { self.deviceId = deviceId }

    /// Between good fixes an uncertain one only makes a zigzag.
    func counts(_ fix: Location, hop: Double) -> Bool {
      fix.horizontalAccuracy <= certainAccuracy || hop >= 2 * fix.horizontalAccuracy
    }
  }

  public enum Effect: Hashable, Sendable {
    /// A departure is certain; the trip began with an earlier fix.
    case started(Trip)
    case ended(TripRecord)
    /// What was started got nowhere.
    case cancelled(Trip)
  }

  public let configuration: Configuration
  private var state = State.nowhere
  private var lastFix: Location?
  /// A fix that could only be reached at an impossible speed: an error if the next one is back, a new place if it is not.
  private var suspect: Location?
  private var motion = MotionHistory()

  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// The trip that is open.
  public var currentTrip: Trip? { if case .going(let way) = state { way.record.trip } else { nil } }

  /// Takes the next fix.
  public mutating func onLocation(_ location: Location) -> [Effect] {
    guard let fix = location.checked, fix.horizontalAccuracy < configuration.maximumAccuracy else { return [] }
    guard let last = lastFix else {
      lastFix = fix
      state = .resting(Rest(at: fix))
      return []
    }
    guard fix.timestamp > last.timestamp else { return [] }
    let isLeap = isImpossible(from: last, to: fix) && !isHome(fix)
    if isLeap, suspect.map({ isImpossible(from: $0, to: fix) }) ?? true {
      suspect = fix
      return []
    }
    suspect = nil
    defer { lastFix = fix }
    return step(from: last, to: fix, isLeap: isLeap)
  }

  /// Takes a reading of the motion sensor: evidence, not a verdict. Readings come before the fixes that are later.
  public mutating func onMotion(_ activity: MotionActivity) { motion.add(activity) }

  /// Closes an open trip at the end of a recording, where no more fixes can come.
  public mutating func finish() -> [Effect] {
    guard case .going(let way) = state, let last = lastFix else { return [] }
    state = .resting(Rest(at: last))
    return [way.ended(isAtStop: way.restingSeconds >= 60, configuration)]
  }

  /// The trips in a recording, with their legs, whatever order its fixes and readings of motion are in.
  public static func trips(
    in fixes: some Sequence<Location>, motion: some Sequence<MotionActivity> = EmptyCollection<MotionActivity>(),
    configuration: Configuration = Configuration()
  ) -> [TripRecord] {
    // Those of one moment keep the order of the file.
    let ordered = fixes.compactMap(\.checked).enumerated().sorted {
      ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
    }
    let readings = motion.enumerated().sorted {
      ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
    }
    var next = 0
    var detector = TripDetector(configuration: configuration)
    var trips: [TripRecord] = []
    for (_, fix) in ordered {
      while next < readings.count, readings[next].element.timestamp <= fix.timestamp {
        detector.onMotion(readings[next].element)
        next += 1
      }
      for case .ended(let record) in detector.onLocation(fix) { trips.append(record) }
    }
    for case .ended(let record) in detector.finish() { trips.append(record) }
    return trips
  }
}

extension TripDetector {
  private enum State: Hashable, Codable {
    case nowhere
    case resting(Rest)
    case going(Way)
  }

  private func isImpossible(from: Location, to: Location) -> Bool {
    let metres = Geodesic.shortMeters(from: from.coordinate, to: to.coordinate)
    let seconds = to.timestamp.timeIntervalSince(from.timestamp)
    return metres > 200 && metres > configuration.maximumSpeed * max(seconds, 1)
  }

  /// Back where it rests, after a leap that was none.
  private func isHome(_ fix: Location) -> Bool {
    guard case .resting(let rest) = state else { return false }
    return Geodesic.shortMeters(from: rest.center, to: fix.coordinate) <= configuration.restRadius
  }

  private mutating func step(from last: Location, to fix: Location, isLeap: Bool) -> [Effect] {
    let seconds = fix.timestamp.timeIntervalSince(last.timestamp)
    let before = state
    // Nobody else holds it while it changes, so that its lists are not copied.
    state = .nowhere
    switch consume before {
    case .nowhere:
      state = .resting(Rest(at: fix))
      return []
    case .resting(var rest):
      if let departed = rest.add(fix, configuration, motion, isLeap: isLeap) {
        let way = Way(departed, configuration, motion)
        state = .going(way)
        return [.started(way.record.trip)]
      }
      state = .resting(rest)
      return []
    case .going(let way) where isLeap:
      // After a leap that turned out to be none the hop between is not a way anybody went.
      state = .going(way)
      return end(at: fix)
    case .going(var way):
      let metres = Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
      if seconds > configuration.gapSeconds, !wentOn(metres, in: seconds) {
        // It stayed where it was last seen, until now.
        var rest = way.lastRest
        let ended = way.ended(isAtStop: way.restingSeconds >= 60, configuration)
        _ = rest.add(fix, configuration, motion)
        state = .resting(rest)
        return [ended]
      }
      way.add(fix, configuration, motion)
      if way.isBack(configuration) {
        state = .resting(Rest(at: way.record.trip.startCoordinate, fixes: [fix]))
        return [.cancelled(way.record.trip)]
      }
      guard way.restingSeconds >= configuration.stopSeconds else {
        state = .going(way)
        return []
      }
      state = .resting(way.rest)
      return [way.ended(isAtStop: true, configuration)]
    }
  }

  private func wentOn(_ metres: Double, in seconds: TimeInterval) -> Bool {
    if seconds <= configuration.maximumGapSeconds { return metres >= 2 * seconds }
    return seconds <= configuration.maximumRideSeconds && metres >= configuration.rideSpeed * seconds
  }

  private mutating func end(at fix: Location) -> [Effect] {
    defer { state = .resting(Rest(at: fix)) }
    guard case .going(let way) = state else { return [] }
    return [way.ended(isAtStop: way.restingSeconds >= 60, configuration)]
  }
}
