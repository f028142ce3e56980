import TrendyFoundation
import TrendyModels

extension TripDetector {
  /// On the way, with what may be the beginning of a stop.
  struct MovingState: Hashable, Sendable, Codable {
    private(set) var record: TripRecord
    private(set) var now: TripProgress
    /// Metres of the last fix from where it began, as the crow flies.
    private var fromStart: Double
    /// Since the first fix of a circle that all later ones keep to: where the trip ends if it ends.
    private var stay: [TripProgress]
    /// One fix outside that circle may be an error; with a second the way went on.
    private var stray: TripProgress?
    private var lastRoutePoint: Date
    /// Seconds between two places of the route, at least.
    private var routeSpacing: TimeInterval = 15
    /// From where speed is measured: a hop of a few seconds says more of the receiver's noise.
    private var speedBase: Location
    /// The last fix that the way is measured to: an uncertain one nearby is none.
    private var measured: Location
    /// The last fix of those twice a minute.
    private var coarseBase: Location
    private var legFinder = LegFinder()
    private var drift: StraightnessEstimator
    private(set) var course: DirectionalPersistence
    private(set) var hops: PositionJumpDetector
    /// As the way was with the first fix of each of the recent cells of ``StraightnessEstimator``.
    private var cells: [TripProgress]
    /// Metres by which a fix lies beside the line from the one before to the next, on average.
    private var zigzag = 0.0
    private var lastTwo: [Location]
    private var isNoisyStop = false
    /// Metres by which the receiver scattered where the trip began.
    private let noise: Double
    private var decisions: DecisionLog
    /// No way led to where it began.
    let appeared: Bool
    /// It stands at a skip place, since the first of `stay`.
    private(set) var isPaused = false
    /// Since when it has been near a skip place.
    private var skipSince: Date?
    /// The first fix outside the skip place it stands at, which may be an error.
    private var leaving: Location?
    /// Where a receiver is displaced to that stood until a moment ago, of the last two minutes.
    var aside: [Location] = []
    /// By what each fix errs on its own.
    var error: FixAverager.Error
    private var wayLength = PathLengthEstimator()
    /// Silence closed it; a ride over all of that opens it again.
    var isClosed = false

    /// The way begins at the place of rest, and not at one of the fixes that scatter about it.
    /// - Parameter origin: the recorded fix that names the trip.
    init(
      _ departure: StationaryState.Departure, _ configuration: Configuration, _ motion: MotionHistory,
      error: FixAverager.Error,
      origin: Location
    ) {
      let place = departure.place
      let first = departure.fixes[0]
      noise = departure.noise
      self.error = error
      decisions = departure.decisions
      appeared = departure.decisions.all.last?.rule == .appeared
      record = TripRecord(
        trip: Trip(
          id: NaturalKey.trip(deviceId: configuration.deviceId, start: origin), startTime: first.timestamp,
          startCoordinate: place),
        route: [place])
      fromStart = Geodesic.shortMeters(from: place, to: first.coordinate)
      now = TripProgress(fix: first, distance: fromStart)
      stay = [now]
      lastRoutePoint = first.timestamp
      speedBase = first
      measured = first
      coarseBase = first
      drift = StraightnessEstimator(at: first, error: error.mean)
      course = DirectionalPersistence(at: first)
      hops = PositionJumpDetector(
        at: first, lastSeen: departure.lastSeen, displacements: decisions.all.count { $0.isOfDisplacement })
      cells = [now]
      lastTwo = [first]
      legFinder.add(first, distance: 0, motion: motion)
      for fix in departure.fixes.dropFirst() { add(fix, configuration, motion) }
    }

    /// Seconds for which the fixes have kept together, 0 while they do not.
    // Inlined as what it is used for: a call would copy the way.
    @inline(__always)
    var restingSeconds: TimeInterval {
      guard stray == nil else { return 0 }
      return now.fix.timestamp.timeIntervalSince(stay[0].fix.timestamp) - (now.unheard - stay[0].unheard)
    }

    /// Whether it has stood for so long that the trip is over: from the fix that first came to the very place on, as the way to a stop is
    /// not part of it.
    @inline(__always)
    func hasStood(for seconds: TimeInterval) -> Bool {
      guard restingSeconds >= seconds else { return false }
      // Who strolls about a place has come there.
      guard restingSeconds < 2 * seconds else { return true }
      let arrival = arrival
      return now.fix.timestamp.timeIntervalSince(arrival.fix.timestamp) - (now.unheard - arrival.unheard) >= seconds
    }

    /// When it left a place at which it stood, if that was in the silence before the last fix: reckoned back from there at the pace to
    /// the next one. `nil` if it was on its way all the time, or would have been heard.
    @inline(__always)
    private func leftUnheard(by next: Location, _ configuration: Configuration) -> Date? {
      guard let first = stray, !isPaused, let last = stay.last, now.unheard == last.unheard,
        last.fix.timestamp.timeIntervalSince(stay[0].fix.timestamp) >= Self.noteworthyStop,
        isOutside(stay[0], next, configuration)
      else { return nil }
      // After a longer silence the way in it says whether it stood.
      let silence = first.fix.timestamp.timeIntervalSince(last.fix.timestamp)
      guard silence > StationaryState.silence, silence <= configuration.silentStopSeconds else { return nil }
      let gone = StationaryState.secondsGone(from: place, to: [first.fix, next])
      return max(last.fix.timestamp, first.fix.timestamp.addingTimeInterval(-gone))
    }

    /// Ends it at a place that it left unheard after as long as a stop takes.
    /// - Returns: the end and the fixes since, or `nil` if it did not stand for so long.
    mutating func endUnheard(by next: Location, _ configuration: Configuration) -> StepResult? {
      guard let left = leftUnheard(by: next, configuration), let first = stray,
        left.timeIntervalSince(arrival.fix.timestamp) >= configuration.stopSeconds
      else { return nil }
      now = stay[stay.count - 1]
      stray = nil
      return StepResult(effects: [ended(.stopped, at: left, configuration)], rest: rest, later: [first.fix, next])
    }

    /// The first fix at the very place at which it stands; those after it scatter.
    private var arrival: TripProgress {
      let place = place
      let away = stay.map { Geodesic.shortMeters(from: $0.fix.coordinate, to: place) }
      let scatter = max(StationaryState.scatter, away.sorted()[away.count / 2])
      return stay[away.firstIndex { $0 <= scatter } ?? 0]
    }

    /// It is where it began and was not far: the receiver was thrown about and nobody left. Whoever passes their door
    /// so soon after leaving it begins there again.
    func isBack(_ configuration: Configuration) -> Bool {
      let isSoon = now.fix.timestamp.timeIntervalSince(record.trip.startTime) < configuration.errorSeconds
      return (isSoon || now.reach < configuration.minimumLoopReach) && !now.course.isKept
        && Geodesic.shortMeters(from: record.trip.startCoordinate, to: now.fix.coordinate)
          <= 2 * max(StationaryState.scatter, noise)
    }

    /// A leap leads to where it began so soon: the receiver was thrown out and is thrown back.
    func isThrownBack(to fix: Location, _ configuration: Configuration) -> Bool {
      fix.timestamp.timeIntervalSince(record.trip.startTime) < configuration.errorSeconds
        && Geodesic.shortMeters(from: record.trip.startCoordinate, to: fix.coordinate)
          <= max(configuration.restRadius, 4 * noise)
    }

    /// Whether a leap is the receiver's alone: it went on until a moment ago, and goes on elsewhere.
    func isDisplaced(to fix: Location, after seconds: TimeInterval, _ configuration: Configuration) -> Bool {
      now.reach >= configuration.departureDistance && !isPaused && !isClosed && seconds <= Self.displacedSeconds
        && Geodesic.shortMeters(from: now.fix.coordinate, to: fix.coordinate) <= configuration.maximumDisplacement
        && !isThrownBack(to: fix, configuration)
    }

    /// Whether it has stood for longer than at a light.
    var isStanding: Bool { restingSeconds >= Self.noteworthyStop }

    /// The last fix of the way, before it was displaced if it is.
    var seen: Location { now.fix }

    /// Whether a fix lies where it stands.
    func isAtStop(_ fix: Location, _ configuration: Configuration) -> Bool {
      !isOutside(stay[0], fix, configuration)
    }

    /// Goes on from another place. Nobody went the way there.
    mutating func move(to fix: Location, _ configuration: Configuration, _ motion: MotionHistory) {
      measured = fix
      wayLength = PathLengthEstimator()
      coarseBase = fix
      course.move(to: fix)
      speedBase = fix
      lastTwo = [fix]
      stay = [TripProgress(now, at: fix)]
      stray = nil
      legFinder.move(to: fix, motion: motion)
      go(on: fix, configuration, motion)
    }

    /// The stop, as rest begins there.
    var rest: StationaryState {
      StationaryState(at: place, fixes: stay.map(\.fix), isNoisy: isNoisyStop, noise: now.reach < 500 ? noise : 0)
    }

    /// The place of the last fix, as rest begins there where nothing more was heard.
    var lastRest: StationaryState { restingSeconds >= 60 ? rest : StationaryState(at: now.fix) }

    /// The trip as it is now, with what was decided so far.
    var soFar: TripRecord {
      var record = record
      record.decisions = decisions.all
      return record
    }

    /// That of the last leg, if the trip ended now.
    var mode: MotionState? {
      legFinder.legs(from: record.trip.startTime, to: now.fix.timestamp, distance: now.distance).last?.mode
    }

    mutating func note(_ decision: TripDecision) {
      decisions.add(decision)
      if decision.isOfDisplacement { hops.noteDisplacement() }
    }

    /// Seconds until the next fix in which the recorder had no reception.
    mutating func noteSilence(_ seconds: TimeInterval) { now.unheard += seconds }

    /// When it closes if nothing more is heard.
    func closingDate(_ configuration: Configuration) -> Date {
      (isPaused ? stay[0].fix.timestamp : now.fix.timestamp).addingTimeInterval(configuration.silenceSeconds)
    }

    /// The end, when silence closes it.
    mutating func onTick(at date: Date, _ configuration: Configuration) -> [Effect] {
      guard !isClosed, date >= closingDate(configuration) else { return [] }
      isClosed = true
      return [ended(.silence, at: date, configuration)]
    }

    /// Whether it has been at a skip place for as long as a stop takes, standing or walking about.
    func isLingering(_ configuration: Configuration) -> Bool {
      skipSince.map { now.fix.timestamp.timeIntervalSince($0) >= configuration.stopSeconds } ?? false
    }

    /// Lets it stand where it is, if a stop there does not end a trip.
    mutating func pause(at place: Coordinate, _ configuration: Configuration) -> Bool {
      guard configuration.isSkipPlace(place) else { return false }
      isPaused = true
      stray = nil
      note(TripDecision(.paused, at: stay[0].fix.timestamp))
      return true
    }

    mutating func add(_ fix: Location, _ configuration: Configuration, _ motion: MotionHistory) {
      guard isPaused else { return go(on: fix, configuration, motion) }
      guard !configuration.isSkipPlace(fix.coordinate) else {
        leaving = nil
        now.paused += fix.timestamp.timeIntervalSince(now.fix.timestamp)
        now.fix = fix
        fromStart = Geodesic.shortMeters(from: record.trip.startCoordinate, to: fix.coordinate)
        legFinder.add(fix, distance: 0, motion: motion)
        return
      }
      guard let first = leaving else {
        leaving = fix
        return
      }
      isPaused = false
      leaving = nil
      now.paused += first.timestamp.timeIntervalSince(now.fix.timestamp)
      now.fix.timestamp = first.timestamp
      note(
        TripDecision(
          .resumed, at: first.timestamp, seconds: first.timestamp.timeIntervalSince(stay[0].fix.timestamp)))
      go(on: first, configuration, motion)
      go(on: fix, configuration, motion)
    }

    private mutating func go(on fix: Location, _ configuration: Configuration, _ motion: MotionHistory) {
      let hop = Geodesic.shortMeters(from: measured.coordinate, to: fix.coordinate)
      noteZigzag(fix)
      course.add(fix)
      now.course = course.all
      hops.add(fix, error: error.mean)
      let waited = fix.timestamp.timeIntervalSince(measured.timestamp) >= configuration.hopSeconds
      let counts =
        configuration.counts(fix, hop: hop)
        && hop >= max(configuration.minimumHop, waited ? 0 : 3 * zigzag, 4 * error.mean)
      let way = counts ? PathLengthEstimator.metres(hop, error: error.mean) : 0
      if counts {
        now.distance += way
        if let spike = wayLength.add(way, from: measured, to: fix, error: error, to: &now.estimate) {
          now.distance -= spike.metres
          note(TripDecision(.displaced, at: spike.time, seconds: spike.seconds, meters: spike.away))
        }
        now.secondHop = max(now.secondHop, min(hop, now.longestHop))
        now.longestHop = max(now.longestHop, hop)
        measured = fix
      }
      if counts, fix.timestamp.timeIntervalSince(coarseBase.timestamp) >= 30 {
        now.coarse += Geodesic.shortMeters(from: coarseBase.coordinate, to: fix.coordinate)
        coarseBase = fix
      }
      legFinder.add(fix, distance: way, motion: motion)
      noteSpeed(fix, configuration)
      noteMeasured(to: fix)
      let before = fromStart
      fromStart = Geodesic.shortMeters(from: record.trip.startCoordinate, to: fix.coordinate)
      // One fix far out and back may be thrown there; two of them are not.
      now.reach = max(now.reach, min(fromStart, before))
      if fromStart > max(configuration.restRadius, 4 * noise) {
        now.away += fix.timestamp.timeIntervalSince(now.fix.timestamp)
      }
      now.fix = fix
      if !configuration.skipPlaces.isEmpty {
        skipSince = configuration.isSkipPlace(fix.coordinate) ? skipSince ?? fix.timestamp : nil
      }
      if fix.timestamp.timeIntervalSince(lastRoutePoint) >= routeSpacing {
        if record.route.count >= Self.routeLimit { thinRoute() }
        record.route.append(fix.coordinate)
        lastRoutePoint = fix.timestamp
      }
      now.routeCount = record.route.count
      record.trip.distanceMeters = now.distance + now.estimate.added
      record.trip.endCoordinate = fix.coordinate
      record.topSpeed = now.topSpeed
      if drift.add(fix, error: error.mean, keeping: configuration.restSecondsInNoise) {
        now.drift = drift.sums
        cells.append(now)
        cells.removeFirst(cells.count - drift.recent.count - 1)
      }
      noteStay(configuration)
    }

    private mutating func noteZigzag(_ fix: Location) {
      if lastTwo.count == 2 {
        let (before, last) = (lastTwo[0].coordinate, lastTwo[1].coordinate)
        let east = (fix.coordinate.longitude - before.longitude).remainder(dividingBy: 360)
        let middle = Coordinate(
          latitude: (before.latitude + fix.coordinate.latitude) / 2, longitude: before.longitude + east / 2)
        // Slower than that it is the bends of the way as well.
        let isQuick = fix.timestamp.timeIntervalSince(lastTwo[0].timestamp) <= 6
        zigzag += ((isQuick ? min(30, Geodesic.shortMeters(from: middle, to: last)) : 0) - zigzag) / 20
        lastTwo.removeFirst()
      }
      lastTwo.append(fix)
    }

    /// Whether it is at rest by the look of the last minutes, however far each fix is thrown; then the stop is theirs.
    mutating func restsInNoise(_ configuration: Configuration) -> Bool {
      // Who goes in rounds comes back to where they were too.
      guard cells.count > 1, !(now.course - cells[0].course).isKept, cells[cells.count - 1].fix == now.fix,
        drift.isResting(for: configuration.restSecondsInNoise, radius: configuration.stopRadius)
      else { return false }
      stay = cells
      stray = nil
      isNoisyStop = true
      return true
    }

    /// A route of many hours loses every other place, so that one of days takes no more room.
    private mutating func thinRoute() {
      routeSpacing *= 2
      record.route = record.route.indices.filter { $0.isMultiple(of: 2) }.map { record.route[$0] }
      for index in stay.indices { stay[index].routeCount = (stay[index].routeCount + 1) / 2 }
      if let count = stray?.routeCount { stray?.routeCount = (count + 1) / 2 }
    }

    private static let routeLimit = 4096

    private mutating func noteSpeed(_ fix: Location, _ configuration: Configuration) {
      var speed = fix.speed
      let seconds = fix.timestamp.timeIntervalSince(speedBase.timestamp)
      if seconds >= 5 {
        speed = speed ?? Geodesic.shortMeters(from: speedBase.coordinate, to: fix.coordinate) / seconds
        speedBase = fix
      }
      if let speed, speed <= configuration.maximumTrainSpeed { now.topSpeed = max(now.topSpeed ?? 0, speed) }
    }

    /// A receiver measures speed by the Doppler effect, which knows nothing of places: it holds for the way from the fix before and to the
    /// next, as fixes of WiFi between tell none.
    private mutating func noteMeasured(to fix: Location) {
      let speed = max(now.fix.speed ?? 0, fix.speed ?? 0)
      guard speed >= Self.measuredPace else { return }
      let seconds = fix.timestamp.timeIntervalSince(now.fix.timestamp)
      guard seconds <= StationaryState.silence else { return }
      now.measuredMetres += min(Geodesic.shortMeters(from: now.fix.coordinate, to: fix.coordinate), speed * seconds)
    }

    /// Metres a second that no receiver at rest measures for long: four times the error of a good one.
    private static let measuredPace = 2.0

    private mutating func noteStay(_ configuration: Configuration) {
      guard isOutside(stay[0], now.fix, configuration) else {
        stray = nil
        // Two a second are enough to know a place by, and keep the list short.
        if now.fix.timestamp.timeIntervalSince(stay[stay.count - 1].fix.timestamp) >= 0.5 { stay.append(now) }
        return
      }
      guard let first = stray else {
        stray = now
        return
      }
      let stood = first.fix.timestamp.timeIntervalSince(stay[0].fix.timestamp)
      // Who was seen there once, as where a trip begins in a silence, did not stand.
      if stay.count > 1, stood >= Self.noteworthyStop, stood < configuration.stopSeconds {
        note(TripDecision(.shortStop, at: stay[0].fix.timestamp, seconds: stood, limit: configuration.stopSeconds))
      }
      now.progress += Geodesic.shortMeters(from: stay[0].fix.coordinate, to: first.fix.coordinate)
      stay = [TripProgress(first, progress: now.progress)]
      stray = isOutside(first, now.fix, configuration) ? now : nil
      if stray == nil { stay.append(now) }
    }

    private func isOutside(_ stop: TripProgress, _ fix: Location, _ configuration: Configuration) -> Bool {
      Geodesic.shortMeters(from: stop.fix.coordinate, to: fix.coordinate)
        > max(configuration.stopRadius, 2 * fix.horizontalAccuracy, min(3 * noise, 3 * configuration.stopRadius))
    }

    /// Where it stands: the middle of the fixes, which one outlier does not move.
    var place: Coordinate { .median(of: stay.map(\.fix.coordinate)) }

    /// Seconds between the last fix before a displacement and the first one that confirms it, at most.
    static let displacedSeconds: TimeInterval = 120
    /// Seconds of standing from which a stop on the way is told of.
    private static let noteworthyStop: TimeInterval = 60

    /// The trip, closed at the stop or at the last fix; or cancelled, if it got nowhere.
    /// - Parameter date: when that became certain.
    func ended(_ rule: TripDecision.Rule, at date: Date, _ configuration: Configuration) -> Effect {
      let isAtStop = isPaused || restingSeconds >= 60
      var end = now
      var endPlace = now.fix.coordinate
      if isAtStop {
        endPlace = place
        end = arrival
        end.distance += Geodesic.shortMeters(from: end.fix.coordinate, to: endPlace)
      }
      var record = soFar
      record.trip.endTime = end.fix.timestamp
      record.trip.endCoordinate = endPlace
      record.trip.distanceMeters = end.distance + end.estimate.added
      record.topSpeed = end.topSpeed
      record.route.removeLast(record.route.count - end.routeCount)
      if record.route.last != endPlace { record.route.append(endPlace) }
      record.legs = legFinder.legs(
        from: record.trip.startTime, to: end.fix.timestamp, distance: end.distance, added: end.estimate.added)
      record.decisions += end.estimate.decisions(at: end.fix.timestamp, distance: end.distance)
      if rule != .leapt {
        record.decisions.append(
          TripDecision(
            rule, at: end.fix.timestamp, seconds: date.timeIntervalSince(end.fix.timestamp),
            meters: rule == .stopped ? configuration.stopRadius : nil,
            limit: rule == .stopped ? configuration.stopSeconds : nil))
      }
      guard let refusal = refusal(end, record, configuration, isLeap: rule == .leapt) else {
        if let witness = witness(end, record, configuration, isLeap: rule == .leapt) {
          record.decisions.append(witness)
        }
        return .ended(record)
      }
      record.decisions.append(refusal)
      return .cancelled(record)
    }

    /// What was begun is no trip.
    func cancelled(_ rule: TripDecision.Rule, at date: Date) -> Effect {
      var record = soFar
      record.trip.endTime = now.fix.timestamp
      record.decisions.append(
        TripDecision(rule, at: date, seconds: date.timeIntervalSince(record.trip.startTime)))
      return .cancelled(record)
    }
  }
}
