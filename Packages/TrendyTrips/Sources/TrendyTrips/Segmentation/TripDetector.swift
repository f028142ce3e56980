public import TrendyFoundation
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
    /// Places at which a stop does not end a trip, any number: a school gate, a day nursery.
    public var skipPlaces: [Coordinate] = []
    /// Metres around a skip place.
    public var skipRadius = 200.0
    /// Seconds without movement that close a trip, also one paused at a skip place. A ride that shows after more than that
    /// opens it again.
    public var silenceSeconds: TimeInterval = 7200
    /// Metres about the place of rest that a resting receiver's fixes keep to, or their own accuracy if that is more.
    public var restRadius = 60.0
    /// Metres from the place of rest that must be reached for a departure.
    public var departureDistance = 150.0
    /// Seconds from the first fix outside the place of rest to the one that confirms the departure, at least.
    public var departureSeconds: TimeInterval = 10
    /// Metres about a place on the way within which one stands still.
    public var stopRadius = 50.0
    /// Seconds of standing still that end a trip: longer than a red light, a level crossing or a pump. A person may set it
    /// (`TripStop`).
    public var stopSeconds: TimeInterval = TripStop.standard.seconds
    /// Seconds of standing still that end a trip where the fixes are thrown about, or twice ``stopSeconds`` if that is more.
    public var noisyStopSeconds: TimeInterval = 600
    /// Seconds for which a receiver may be wrong about its place: thrown out, and back.
    public var errorSeconds: TimeInterval = 300
    /// Seconds without a fix, or ``stopSeconds`` if that is more, that end a trip, unless the next fix shows that it went on.
    public var gapSeconds: TimeInterval = 300
    /// Seconds without a fix after which only a ride can have gone on.
    public var maximumGapSeconds: TimeInterval = 1800
    /// Seconds for which a recorder that writes each few seconds may lose reception on the way: a building, an underground station.
    public var receptionSeconds: TimeInterval = 600
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
    /// Metres; a shorter hop is as likely the receiver's as the person's, and waits for the next fix.
    public var minimumHop = 5.0
    /// Seconds for which a hop waits until it is three times as far as the fixes zigzag.
    public var hopSeconds: TimeInterval = 15
    /// Metres a second; faster is a fault of the receiver, unless a minute of fixes agrees on the speed of a train.
    public var maximumSpeed = 70.0
    /// Metres a second of the fastest train.
    public var maximumTrainSpeed = 100.0
    /// Metres a second, each second, kept up for more than 200 m: more than a car in traffic does.
    public var maximumAcceleration = 3.0
    /// Metres by which the receiver of somebody on the way is displaced at most: in a street of high houses, by a reflection.
    public var maximumDisplacement = 1500.0
    /// Metres a second after a silence of more than ``maximumGapSeconds``: an aeroplane is one in which a phone says nothing.
    public var maximumFlightSpeed = 300.0
    /// Metres, exclusive: fixes this uncertain or worse are passed over.
    public var maximumAccuracy = 200.0
    /// Seconds from start to end; shorter was no trip.
    public var minimumSeconds: TimeInterval = 60
    /// Metres along the way; shorter was no trip.
    public var minimumDistance = 100.0
    /// Metres from the start as the crow flies; what never got so far was a drifting receiver.
    public var minimumReach = 170.0
    /// The same for a trip that ends where it began.
    public var minimumLoopReach = 450.0

    public init(deviceId: String = "") { self.deviceId = deviceId }

    /// Seconds of rest that end a trip where the fixes are thrown about.
    var restSecondsInNoise: TimeInterval { max(noisyStopSeconds, 2 * stopSeconds) }

    /// Seconds without a fix that are a stop, if nothing shows that the trip went on.
    var silentStopSeconds: TimeInterval { max(gapSeconds, stopSeconds) }

    /// Between good fixes an uncertain one only makes a zigzag.
    func counts(_ fix: Location, hop: Double) -> Bool {
      fix.horizontalAccuracy <= certainAccuracy || hop >= 2 * fix.horizontalAccuracy
    }

    func isSkipPlace(_ place: Coordinate) -> Bool {
      skipPlaces.contains { Geodesic.shortMeters(from: $0, to: place) <= skipRadius }
    }
  }

  public enum Effect: Hashable, Sendable {
    /// A departure is certain; the trip began with an earlier fix.
    case started(Trip)
    /// It stands at a skip place.
    case paused(Trip)
    /// It left the skip place; or a ride that silence had closed shows again, and its end is told a second time.
    case resumed(Trip)
    case ended(TripRecord)
    /// What was started got nowhere: it is no trip, and was none if it had ended before.
    case cancelled(TripRecord)

    /// Brings a list of closed trips up to date.
    public func apply(to trips: inout [TripRecord]) {
      switch self {
      case .started, .paused, .resumed: break
      case .ended(let record), .cancelled(let record):
        // Only the last one can have been closed before: by a silence in which it went on.
        if trips.last?.trip.id == record.trip.id { trips.removeLast() }
        if case .ended = self { trips.append(record) }
      }
    }
  }

  /// What counts from the next fix on.
  public internal(set) var configuration: Configuration
  /// At rest, on the way, or before the first fix neither. Each is changed where it is, as its lists and its size make copies dear.
  private var rest: StationaryState?
  private var way: MovingState?
  private(set) var lastFix: Location?
  /// Makes of a receiver that scatters one that does not.
  private var smoothing = FixAverager()
  /// The last fix, or mean of fixes, that decided.
  private var lastSeen: Location?
  /// A fix that could only be reached at an impossible speed: an error if the next one is back, a new place if it is not.
  private var suspect: Location?
  /// Metres a second from the fix before the last one to it.
  private var pace: Double?
  private var cruise = SustainedSpeedDetector()
  /// Passes over what no receiver measured.
  private var masts = CellTowerFilter()
  /// Passes over what a better receiver contradicts.
  private var precision = AccuracyFilter()
  /// Passes over where nobody went.
  private var displacements = DisplacementFilter()
  private var cadence = SamplingInterval()
  private var motion = MotionHistory()

  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// The trip that is open.
  public var currentTrip: Trip? { openWay?.record.trip }

  /// The open trip with its route and what was decided about it so far.
  public var currentRecord: TripRecord? { openWay?.soFar }

  /// In which way the open trip is gone just now, as the last minutes tell.
  public var currentMode: MotionState? { openWay?.mode }

  /// Whether the open trip stands at a skip place.
  public var isPaused: Bool { openWay?.isPaused ?? false }

  /// What was decided at rest in the last half hour, while nothing came of it.
  public var restingDecisions: [TripDecision] { rest?.decisions.all ?? [] }

  /// When ``onTick(at:)`` closes the open trip if nothing more is heard.
  public var nextDeadline: Date? { openWay?.closingDate(configuration) }

  /// Takes the next fix.
  public mutating func onLocation(_ location: Location) -> [Effect] {
    guard let fix = location.checked, fix.horizontalAccuracy < configuration.maximumAccuracy else { return [] }
    if let lastFix, fix.timestamp <= lastFix.timestamp { return [] }
    lastFix = fix
    if masts.passes(fix) { return sift(fix) }
    let (passed, passedOver) = masts.add(fix)
    for mast in passedOver { note(mast: mast) }
    return passed.flatMap { sift($0) }
  }

  private mutating func sift(_ fix: Location) -> [Effect] {
    if precision.passes(fix) { return place(fix) }
    let (passed, outweighed) = precision.add(fix)
    for other in outweighed { note(outweighed: other, by: fix) }
    return passed.flatMap { place($0) }
  }

  private mutating func place(_ fix: Location) -> [Effect] {
    if displacements.passes(fix) { return smooth(fix) }
    let (passed, displaced) = displacements.add(fix)
    if let displaced { note(displaced) }
    return passed.flatMap { smooth($0) }
  }

  private mutating func smooth(_ fix: Location) -> [Effect] {
    if smoothing.passes(fix) { return see(fix) }
    let before = smoothing.add(fix).map { see($0) } ?? []
    return before + (smoothing.take().map { see($0) } ?? [])
  }

  /// Takes the next fix, or mean of fixes.
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

  /// Takes a fix that is no error. A leap leads to it by no way that anybody went.
  private mutating func take(_ fix: Location, after last: Location, metres: Double, isLeap: Bool) -> [Effect] {
    suspect = nil
    defer { lastSeen = fix }
    pace = isLeap ? nil : metres / max(1, fix.timestamp.timeIntervalSince(last.timestamp))
    if isLeap { cruise.leap(to: fix) } else { cruise.add(fix) }
    defer { cadence.add(seconds: fix.timestamp.timeIntervalSince(last.timestamp)) }
    return step(from: last, to: fix, metres: metres, isLeap: isLeap)
  }

  /// Takes the fixes of a fast train, which were held to be errors one by one.
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

  /// Tells that every fix up to a moment has come: a trip of which nothing was heard for
  /// ``Configuration/silenceSeconds`` is over.
  ///
  /// The trips do not depend on when it is called, or whether: the next fix has the same effect. Where fixes come late, older
  /// than a tick, they are to be detected again.
  public mutating func onTick(at date: Date) -> [Effect] {
    var effects: [Effect] = []
    if let fix = masts.take(at: date) { effects += sift(fix) }
    effects += precision.take(at: date).flatMap { place($0) }
    effects += displacements.take(at: date).flatMap { smooth($0) }
    if smoothing.isDue(at: date), let mean = smoothing.take(isLast: true) { effects += see(mean) }
    return effects + (way?.onTick(at: date, configuration) ?? [])
  }

  /// Takes a reading of the motion sensor: evidence, not a verdict. Readings come before the fixes that are later.
  public mutating func onMotion(_ activity: MotionActivity) { motion.add(activity) }

  /// Closes an open trip at the end of a recording, where no more fixes can come.
  public mutating func finish() -> [Effect] {
    var effects = masts.take().map { sift($0) } ?? []
    effects += precision.take().flatMap { place($0) }
    effects += displacements.take().flatMap { smooth($0) }
    effects += smoothing.take(isLast: true).map { see($0) } ?? []
    guard let way, let last = lastSeen else { return effects }
    self.way = nil
    rest = StationaryState(at: last)
    return way.isClosed ? effects : effects + [way.ended(.recordingEnded, at: last.timestamp, configuration)]
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
      for effect in detector.onLocation(fix) { effect.apply(to: &trips) }
    }
    for effect in detector.finish() { effect.apply(to: &trips) }
    return trips
  }
}

extension TripDetector {
  /// The trip that is open and not closed by silence.
  private var openWay: MovingState? { way?.isClosed == false ? way : nil }

  private mutating func note(mast fix: Location) {
    guard let lastSeen else { return }
    let decision = TripDecision(
      .cell, at: fix.timestamp, meters: Geodesic.shortMeters(from: lastSeen.coordinate, to: fix.coordinate))
    rest?.note(decision)
    way?.note(decision)
  }

  /// What differs by no more than it is uncertain is not worth telling.
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

  /// - Parameter pace: metres a second up to the first of the two, if known.
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

  /// Back where it rests, after a leap that was none.
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
    // Those that were held back follow from the new place.
    var before = stop.last
    for later in taken.later {
      let metres = Geodesic.shortMeters(from: before.coordinate, to: later.coordinate)
      effects += step(from: before, to: later, metres: metres, isLeap: isLeap && later == fix)
      before = later
    }
    return effects
  }
}
