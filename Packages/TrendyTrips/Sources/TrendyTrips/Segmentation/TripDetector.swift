public import TrendyFoundation
public import TrendyModels

/// Detects trips from fixes alone, for recordings and for devices without a motion sensor.
///
/// A trip starts when the fixes leave the stay point and keep moving. It ends when the fixes stay within a small circle
/// for minutes. Both times are determined in retrospect: the trip starts at the fix where it left the stay point, and
/// ends at the fix where it entered the circle. Fixes must be in chronological order. Fixes older than the last one are
/// ignored. The size of the state is bounded, except for the thinned route of the trip in progress.
public struct TripDetector: Hashable, Sendable, Codable {
  /// Thresholds in metres and seconds.
  public struct Configuration: Hashable, Sendable, Codable {
    /// Device id, which is part of the id of every trip.
    public var deviceId = ""
    /// Places where a stop does not end a trip, such as a school.
    public var skipPlaces: [Coordinate] = []
    /// Radius of a skip place in metres.
    public var skipRadius = 200.0
    /// Time in seconds without fixes, or at a skip place, after which a trip ends. The trip is reopened if the next fix
    /// shows that the user was riding for the whole gap.
    public var silenceSeconds: TimeInterval = 7200
    /// Radius in metres around a stay point. The accuracy of a fix is used instead if it is larger.
    public var restRadius = 60.0
    /// Minimum distance in metres from the stay point for a departure.
    public var departureDistance = 150.0
    /// Minimum time in seconds between the first fix outside the stay point and the confirmation of a departure.
    public var departureSeconds: TimeInterval = 10
    /// Radius in metres of a stop.
    public var stopRadius = 50.0
    /// Duration in seconds of a stop that ends a trip, longer than a wait at a traffic light or refuelling. The user
    /// can change it (`TripStop`).
    public var stopSeconds: TimeInterval = TripStop.standard.seconds
    /// Duration in seconds of a noisy stop that ends a trip, unless twice ``stopSeconds`` is longer.
    public var noisyStopSeconds: TimeInterval = 600
    /// Maximum duration in seconds of a receiver error.
    public var errorSeconds: TimeInterval = 300
    /// Duration in seconds of a gap that counts as a stop, unless ``stopSeconds`` is longer or the next fix shows that
    /// the trip continued.
    public var gapSeconds: TimeInterval = 300
    /// Duration in seconds of a gap after which the trip can only have continued as a ride.
    public var maximumGapSeconds: TimeInterval = 1800
    /// Maximum duration in seconds of a loss of reception during a trip, for a receiver with a short sampling interval.
    public var receptionSeconds: TimeInterval = 600
    /// Straight-line speed in m/s above which a movement during a gap is a ride.
    public var rideSpeed = 5.0
    /// Duration in seconds of a gap that always ends a trip.
    public var maximumRideSeconds: TimeInterval = 14400
    /// Minimum distance in metres between the stationary positions before and after a gap that contains a trip.
    public var minimumUnseenDistance = 2000.0
    /// Maximum duration in seconds of a gap that contains a trip.
    public var maximumUnseenSeconds: TimeInterval = 43200
    /// Maximum distance in metres that a sleeping phone moves before it wakes up.
    public var wakingDistance = 500.0
    /// Minimum distance in metres of a movement that is accepted even if the motion sensor reports none.
    public var undeniableDistance = 1000.0
    /// Accuracy in metres above which a fix contributes to the path length only if the step is twice as long as the
    /// accuracy.
    public var certainAccuracy = 30.0
    /// Minimum length in metres of a step that contributes to the path length. A shorter step is combined with the next
    /// one.
    public var minimumHop = 5.0
    /// Time in seconds after which a step contributes even if it is shorter than three times the deviation of the
    /// fixes.
    public var hopSeconds: TimeInterval = 15
    /// Maximum speed in m/s, unless the fixes of a whole minute have a train's speed.
    public var maximumSpeed = 70.0
    /// Maximum speed of a train in m/s.
    public var maximumTrainSpeed = 100.0
    /// Maximum acceleration in m/s² over more than 200 m.
    public var maximumAcceleration = 3.0
    /// Maximum distance in metres that a receiver is displaced while the user is moving, for example by reflections.
    public var maximumDisplacement = 1500.0
    /// Maximum speed in m/s during a gap longer than ``maximumGapSeconds``, in which the user may have been flying.
    public var maximumFlightSpeed = 300.0
    /// Upper bound for the accuracy in metres, exclusive. Less accurate fixes are ignored.
    public var maximumAccuracy = 200.0
    /// Minimum duration of a trip in seconds.
    public var minimumSeconds: TimeInterval = 60
    /// Minimum length of a trip in metres.
    public var minimumDistance = 100.0
    /// Minimum straight-line distance in metres that a trip must reach from its start.
    public var minimumReach = 170.0
    /// Minimum straight-line distance in metres that a trip must reach from its start if it ends near its start.
    public var minimumLoopReach = 450.0

    /// Creates the default thresholds.
    public init(deviceId: String = "") { self.deviceId = deviceId }

    /// Minimum time in seconds without movement that ends a trip despite noise.
    var restSecondsInNoise: TimeInterval { max(noisyStopSeconds, 2 * stopSeconds) }

    /// Minimum duration in seconds of a gap that counts as a stop if nothing shows that the trip continued.
    var silentStopSeconds: TimeInterval { max(gapSeconds, stopSeconds) }

    /// Returns whether a fix contributes to the path length. Inaccurate fixes between accurate ones would only add a
    /// zigzag.
    func counts(_ fix: Location, hop: Double) -> Bool {
      fix.horizontalAccuracy <= certainAccuracy || hop >= 2 * fix.horizontalAccuracy
    }

    func isSkipPlace(_ place: Coordinate) -> Bool {
      skipPlaces.contains { Geodesic.shortMeters(from: $0, to: place) <= skipRadius }
    }
  }

  /// Change to the current trip.
  public enum Effect: Hashable, Sendable {
    /// A trip started. Reported when the departure is confirmed, although the trip starts at an earlier fix.
    case started(Trip)
    /// The trip paused at a skip place.
    case paused(Trip)
    /// The user left the skip place, or the trip continued after a gap that had ended it. The trip will end again.
    case resumed(Trip)
    /// The trip ended.
    case ended(TripRecord)
    /// The movement was not a trip, even if it was reported as a trip that ended.
    case cancelled(TripRecord)

    /// Adds or removes the trip in a list of finished trips.
    public func apply(to trips: inout [TripRecord]) {
      switch self {
      case .started, .paused, .resumed: break
      case .ended(let record), .cancelled(let record):
        // The last trip may already be in the list, because a trip that a gap ended can be reopened and end again.
        if trips.last?.trip.id == record.trip.id { trips.removeLast() }
        if case .ended = self { trips.append(record) }
      }
    }
  }

  /// Thresholds, which apply from the next fix.
  public internal(set) var configuration: Configuration
  /// Stationary state, or `nil` during a trip and before the first fix. Both states are modified in place, because
  /// copies are expensive.
  private var rest: StationaryState?
  /// State during a trip, or `nil` while stationary.
  private var way: MovingState?
  private(set) var lastFix: Location?
  private var smoothing = FixAverager()
  /// Last fix, or mean of several fixes, that was used for detection.
  private var lastSeen: Location?
  /// Fix that is unreachable at any plausible speed. The fix is an outlier if the next one is back near the fixes
  /// before it.
  private var suspect: Location?
  /// Speed in m/s of the last step.
  private var pace: Double?
  private var cruise = SustainedSpeedDetector()
  private var outliers = OutlierFilter()
  private var cadence = SamplingInterval()
  private var motion = MotionHistory()

  /// Creates a detector that has processed no fixes.
  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// Trip in progress, or `nil`.
  public var currentTrip: Trip? { openWay?.record.trip }

  /// Trip in progress with its route and the decisions so far, or `nil`.
  public var currentRecord: TripRecord? { openWay?.soFar }

  /// Transport mode of the trip in progress in the last few minutes, or `nil`.
  public var currentMode: MotionState? { openWay?.mode }

  /// Whether the trip in progress is paused at a skip place.
  public var isPaused: Bool { openWay?.isPaused ?? false }

  /// Decisions made at the stay point in the last half hour. Empty during a trip.
  public var restingDecisions: [TripDecision] { rest?.decisions.all ?? [] }

  /// Time when ``onTick(at:)`` ends the trip in progress if there are no further fixes.
  public var nextDeadline: Date? { openWay?.closingDate(configuration) }

  /// Whether any fixes are delayed because they may be outliers.
  var isHoldingFixes: Bool { outliers.isHolding }

  /// Processes the next fix. Ignores a fix that is invalid, too inaccurate, or not later than the last one.
  public mutating func onLocation(_ location: Location) -> [Effect] { onLocation(location) { _ in } }

  /// Processes the next fix.
  /// - Parameter accept: called with each fix that passes the outlier filter, in order of time.
  mutating func onLocation(_ location: Location, accept: (Location) -> Void) -> [Effect] {
    guard let fix = location.checked, fix.horizontalAccuracy < configuration.maximumAccuracy else { return [] }
    if let lastFix, fix.timestamp <= lastFix.timestamp { return [] }
    lastFix = fix
    var outputs: [OutlierFilter.Output] = []
    if outliers.passes(fix, otherwise: &outputs) {
      accept(fix)
      return smooth(fix)
    }
    return process(outputs, accept: accept)
  }

  private mutating func process(_ outputs: [OutlierFilter.Output], accept: (Location) -> Void) -> [Effect] {
    var effects: [Effect] = []
    for output in outputs {
      switch output {
      case .fix(let fix):
        accept(fix)
        effects += smooth(fix)
      case .cell(let fix): note(cell: fix)
      case .outweighed(let fix, let precise): note(outweighed: fix, by: precise)
      case .displaced(let displacement): note(displacement)
      }
    }
    return effects
  }

  private mutating func smooth(_ fix: Location) -> [Effect] {
    if smoothing.passes(fix) { return see(fix) }
    let before = smoothing.add(fix).map { see($0) } ?? []
    return before + (smoothing.take().map { see($0) } ?? [])
  }

  /// Processes the next fix, or the mean of several fixes.
  private mutating func see(_ fix: Location) -> [Effect] {
    guard let last = lastSeen else {
      lastSeen = fix
      rest = StationaryState(at: fix)
      return []
    }
    let metres = Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
    let isLeap = isImpossible(metres, from: last, to: fix, pace: pace) && !isHome(fix)
    let isNewlyFast = suspect.map { suspect in
      isImpossible(Geodesic.shortMeters(from: suspect.coordinate, to: fix.coordinate), from: suspect, to: fix)
        || SustainedSpeedDetector.isFast(from: suspect, to: fix, maximumSpeed: configuration.maximumTrainSpeed)
    }
    if isLeap, isNewlyFast ?? true {
      suspect = fix
      guard let way = cruise.agreed(on: fix, maximumSpeed: configuration.maximumTrainSpeed) else { return [] }
      return follow(way)
    }
    if isLeap, let way = cruise.braked(on: fix) { return follow(way) }
    if let passed = suspect, !isLeap { note(passedOver: passed, after: last) }
    return take(fix, after: last, metres: metres, isLeap: isLeap)
  }

  /// Processes a fix that is not an outlier. If `isLeap`, the speed since the last fix is not used, because the path
  /// across a jump is unknown.
  private mutating func take(_ fix: Location, after last: Location, metres: Double, isLeap: Bool) -> [Effect] {
    suspect = nil
    defer { lastSeen = fix }
    pace = isLeap ? nil : metres / max(1, fix.timestamp.timeIntervalSince(last.timestamp))
    if isLeap { cruise.leap(to: fix) } else { cruise.add(fix) }
    defer { cadence.add(seconds: fix.timestamp.timeIntervalSince(last.timestamp)) }
    return step(from: last, to: fix, metres: metres, isLeap: isLeap)
  }

  /// Processes the fixes from a fast train that had been rejected one by one.
  private mutating func follow(_ way: [Location]) -> [Effect] {
    var effects: [Effect] = []
    for (index, fix) in way.enumerated() {
      guard let last = lastSeen else { continue }
      let metres = Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
      let seconds = max(1, fix.timestamp.timeIntervalSince(last.timestamp))
      effects += take(
        fix, after: last, metres: metres, isLeap: index == 0 && metres > configuration.maximumTrainSpeed * seconds)
    }
    return effects
  }

  /// Processes the passage of time, given that all fixes up to `date` have been processed. A trip ends after
  /// ``Configuration/silenceSeconds`` without fixes.
  ///
  /// Detected trips do not depend on these calls, because the next fix has the same effect. If fixes arrive that are
  /// older than a tick, detection must be repeated.
  public mutating func onTick(at date: Date) -> [Effect] { onTick(at: date) { _ in } }

  /// Processes the passage of time.
  /// - Parameter accept: called with each delayed fix that passes the outlier filter, in order of time.
  mutating func onTick(at date: Date, accept: (Location) -> Void) -> [Effect] {
    var effects = process(outliers.take(at: date), accept: accept)
    if smoothing.isDue(at: date), let mean = smoothing.take(isLast: true) { effects += see(mean) }
    return effects + (way?.onTick(at: date, configuration) ?? [])
  }

  /// Processes a reading of the motion sensor. Must be called before later fixes are processed.
  public mutating func onMotion(_ activity: MotionActivity) { motion.add(activity) }

  /// Ends the trip in progress at the end of a recording.
  public mutating func finish() -> [Effect] { finish { _ in } }

  /// Ends the trip in progress at the end of a recording.
  /// - Parameter accept: called with each delayed fix that passes the outlier filter, in order of time.
  mutating func finish(accept: (Location) -> Void) -> [Effect] {
    var effects = process(outliers.take(), accept: accept)
    effects += smoothing.take(isLast: true).map { see($0) } ?? []
    guard let way, let last = lastSeen else { return effects }
    self.way = nil
    rest = StationaryState(at: last)
    return way.isClosed ? effects : effects + [way.ended(.recordingEnded, at: last.timestamp, configuration)]
  }

  /// Returns the trips in a recording, with their legs. Fixes and motion readings may be in any order.
  public static func trips(
    in fixes: some Sequence<Location>, motion: some Sequence<MotionActivity> = EmptyCollection<MotionActivity>(),
    configuration: Configuration = Configuration()
  ) -> [TripRecord] {
    // Fixes with equal timestamps keep their order.
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
      for effect in detector.onLocation(fix) { effect.apply(to: &trips) }
    }
    for effect in detector.finish() { effect.apply(to: &trips) }
    return trips
  }
}

extension TripDetector {
  /// State of the trip in progress, unless a gap has ended the trip.
  private var openWay: MovingState? { way?.isClosed == false ? way : nil }

  private mutating func note(cell fix: Location) {
    guard let lastSeen else { return }
    let decision = TripDecision(
      .cell, at: fix.timestamp, meters: Geodesic.shortMeters(from: lastSeen.coordinate, to: fix.coordinate))
    rest?.note(decision)
    way?.note(decision)
  }

  private mutating func note(outweighed fix: Location, by precise: Location) {
    let meters = Geodesic.shortMeters(from: fix.coordinate, to: precise.coordinate)
    guard meters > 2 * fix.horizontalAccuracy else { return }
    let decision = TripDecision(
      .outweighed, at: fix.timestamp, meters: meters, limit: precise.horizontalAccuracy)
    rest?.note(decision)
    way?.note(decision)
  }

  private mutating func note(_ displaced: Displacement) {
    let decision = TripDecision(
      .displaced, at: displaced.from.timestamp, seconds: displaced.seconds,
      meters: Geodesic.shortMeters(from: displaced.from.coordinate, to: displaced.to.coordinate))
    rest?.note(decision)
    way?.note(decision)
  }

  private mutating func note(passedOver fix: Location, after last: Location) {
    let decision = TripDecision(
      .passedOver, at: fix.timestamp, seconds: fix.timestamp.timeIntervalSince(last.timestamp),
      meters: Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate))
    rest?.note(decision)
    way?.note(decision)
  }

  /// Returns whether a distance is too great for the time between two fixes.
  /// - Parameter pace: speed in m/s of the previous step, if known.
  private func isImpossible(_ metres: Double, from: Location, to: Location, pace: Double? = nil) -> Bool {
    guard metres > 200 else { return false }
    let seconds = max(1, to.timestamp.timeIntervalSince(from.timestamp))
    let isSilence = seconds > configuration.maximumGapSeconds
    let ground = cruise.isFast ? configuration.maximumTrainSpeed : configuration.maximumSpeed
    let speed = isSilence ? configuration.maximumFlightSpeed : ground
    var most = speed * seconds
    if let pace, !cruise.isFast { most = min(most, (pace + configuration.maximumAcceleration / 2 * seconds) * seconds) }
    return metres > most
  }

  /// Returns whether a fix is back at the stay point after a jump.
  private func isHome(_ fix: Location) -> Bool {
    guard let rest else { return false }
    return Geodesic.shortMeters(from: rest.center, to: fix.coordinate) <= configuration.restRadius
  }

  private mutating func step(
    from last: Location, to fix: Location, metres: Double, isLeap: Bool
  ) -> [Effect] {
    if let departures = rest?.add(fix, configuration, motion, isLeap: isLeap) {
      guard let departed = departures.first else { return [] }
      rest = nil
      let begun = MovingState(
        departed, configuration, motion, error: smoothing.error, origin: smoothing.origin(of: departed.name))
      way = begun
      return [.started(begun.record.trip)]
    }
    way?.error = smoothing.error
    let hop = Hop(from: last, to: fix, metres: metres, isLeap: isLeap)
    guard let taken = way?.take(hop, configuration, motion, cadence) else {
      rest = StationaryState(at: fix)
      return []
    }
    guard let stop = taken.rest else { return taken.effects }
    rest = stop
    way = nil
    var effects = taken.effects
    // Delayed fixes are processed again from the new stay point.
    var before = stop.last
    for later in taken.later {
      let metres = Geodesic.shortMeters(from: before.coordinate, to: later.coordinate)
      effects += step(from: before, to: later, metres: metres, isLeap: isLeap && later == fix)
      before = later
    }
    return effects
  }
}
