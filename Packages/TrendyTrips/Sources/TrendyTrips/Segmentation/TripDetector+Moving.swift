import TrendyFoundation
import TrendyModels

extension TripDetector {
  /// State of the detector during a trip, including fixes that may be the beginning of a stop.
  struct MovingState: Hashable, Sendable, Codable {
    private(set) var record: TripRecord
    private(set) var now: TripProgress
    /// Straight-line distance from the start to the last fix, in metres.
    private var fromStart: Double
    /// Progress at the first fix in a circle that contains all later fixes, and at each of the later fixes. If the trip
    /// ends now, it ends in this circle.
    private var stay: [TripProgress]
    /// Progress at a single fix outside the circle, which may be an outlier. A second fix outside shows that the trip
    /// continues.
    private var stray: TripProgress?
    private var lastRoutePoint: Date
    /// Minimum time in seconds between two points of the route.
    private var routeSpacing: TimeInterval = 15
    /// First fix of the current speed measurement. Over only a few seconds, the speed would be mostly noise.
    private var speedBase: Location
    /// Last fix that contributed to the path length. Inaccurate fixes near this fix do not contribute.
    private var measured: Location
    /// Last fix used for the path length that is measured every 30 s.
    private var coarseBase: Location
    private var legFinder = LegFinder()
    private var drift: StraightnessEstimator
    private(set) var course: DirectionalPersistence
    private(set) var hops: PositionJumpDetector
    /// Progress at the first fix in each recent cell of ``StraightnessEstimator``.
    private var cells: [TripProgress]
    /// Mean deviation of a fix from the line between its neighbours, in metres.
    private var zigzag = 0.0
    private var lastTwo: [Location]
    private var isNoisyStop = false
    /// Noise at the start of the trip, in metres.
    private let noise: Double
    private var decisions: DecisionLog
    /// Whether the user reached the start by an unknown route.
    let appeared: Bool
    /// Whether the trip took place during a gap, and the user was stationary after the gap.
    private let isUnseen: Bool
    /// Whether the user is at a skip place and has been there since the first fix of `stay`.
    private(set) var isPaused = false
    /// Time when the user came near a skip place.
    private var skipSince: Date?
    /// First fix outside the skip place, which may be an outlier.
    private var leaving: Location?
    /// Fixes of the last two minutes at a position to which the stationary receiver appears to be displaced.
    var aside: [Location] = []
    /// Independent error of the current fix.
    var error: FixAverager.Error
    private var wayLength = PathLengthEstimator()
    /// Time of the first fix of a stop where gaps count as stationary time.
    private var parkedSince: Date?
    /// Whether a gap ended the trip. The trip is reopened if the user was riding for the whole gap.
    var isClosed = false

    /// Creates the state of a trip that starts at the stay point, not at one of the fixes around it.
    /// - Parameter origin: recorded fix from which the trip's id is derived.
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
      isUnseen = departure.decisions.all.last?.rule == .unseen
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

    /// Time in seconds for which the fixes have been within the circle, or 0 outside the circle.
    // Inlined, because a call would copy the whole state.
    @inline(__always)
    var restingSeconds: TimeInterval {
      guard stray == nil else { return 0 }
      return now.fix.timestamp.timeIntervalSince(stay[0].fix.timestamp) - (now.unheard - stay[0].unheard)
    }

    /// Time in seconds since the first fix within the circle, including gaps, or 0 outside the circle.
    private var secondsAtStop: TimeInterval {
      stray == nil ? now.fix.timestamp.timeIntervalSince(stay[0].fix.timestamp) : 0
    }

    /// Whether there was a gap without reception at the current stop, or gaps there count as stationary time.
    var hasGapAtStop: Bool {
      stray == nil && (now.unheard > stay[0].unheard || parkedSince == stay[0].fix.timestamp)
    }

    /// Counts all gaps at the current stop, including earlier ones, as stationary time.
    mutating func countGapsAsRest() {
      parkedSince = stay[0].fix.timestamp
      now.unheard = stay[0].unheard
      for index in stay.indices { stay[index].unheard = now.unheard }
      for index in cells.indices { cells[index].unheard = min(cells[index].unheard, now.unheard) }
    }

    /// Returns whether the stop is long enough to end the trip. Time counts from the arrival at the final position,
    /// because the approach is part of the trip.
    @inline(__always)
    func hasStood(for seconds: TimeInterval) -> Bool {
      guard restingSeconds >= seconds else { return false }
      // After twice the time, a user who walks around at a place has arrived as well.
      guard restingSeconds < 2 * seconds else { return true }
      let arrival = arrival
      return now.fix.timestamp.timeIntervalSince(arrival.fix.timestamp) - (now.unheard - arrival.unheard) >= seconds
    }

    /// Returns the time when the user left a stop during the gap before the last fix, estimated from the speed to
    /// the next fix. Returns `nil` if there was no stop or no such gap.
    @inline(__always)
    private func leftUnheard(by next: Location, _ configuration: Configuration) -> Date? {
      guard let first = stray, !isPaused, let last = stay.last, now.unheard == last.unheard,
        last.fix.timestamp.timeIntervalSince(stay[0].fix.timestamp) >= Self.noteworthyStop,
        isOutside(stay[0], next, configuration)
      else { return nil }
      // Ignore longer gaps, after which the speed does not show whether there was a stop.
      let silence = first.fix.timestamp.timeIntervalSince(last.fix.timestamp)
      guard silence > StationaryState.silence, silence <= configuration.silentStopSeconds else { return nil }
      let gone = StationaryState.secondsGone(from: place, to: [first.fix, next])
      return max(last.fix.timestamp, first.fix.timestamp.addingTimeInterval(-gone))
    }

    /// Ends the trip at a stop that the user left during a gap, if the stop was long enough.
    /// - Returns: the end of the trip and the later fixes, or `nil` if the stop was too short.
    mutating func endUnheard(by next: Location, _ configuration: Configuration) -> StepResult? {
      guard let left = leftUnheard(by: next, configuration), let first = stray,
        left.timeIntervalSince(arrival.fix.timestamp) >= configuration.stopSeconds
      else { return nil }
      now = stay[stay.count - 1]
      stray = nil
      return StepResult(effects: [ended(.stopped, at: left, configuration)], rest: rest, later: [first.fix, next])
    }

    /// Progress of the trip at the arrival: at the first fix that is as close to the stop as most of the later fixes.
    private var arrival: TripProgress {
      let place = place
      let away = stay.map { Geodesic.shortMeters(from: $0.fix.coordinate, to: place) }
      let scatter = max(StationaryState.scatter, away.sorted()[away.count / 2])
      return stay[away.firstIndex { $0 <= scatter } ?? 0]
    }

    /// Returns whether the user is back at the start without having been far away. If so, the movement was noise.
    func isBack(_ configuration: Configuration) -> Bool {
      let isSoon = now.fix.timestamp.timeIntervalSince(record.trip.startTime) < configuration.errorSeconds
      return (isSoon || now.reach < configuration.minimumLoopReach) && !now.course.isKept
        && Geodesic.shortMeters(from: record.trip.startCoordinate, to: now.fix.coordinate)
          <= 2 * max(StationaryState.scatter, noise)
    }

    /// Returns whether a jump leads back to the start soon after the departure. If so, the departure and the jump were
    /// errors.
    func isThrownBack(to fix: Location, _ configuration: Configuration) -> Bool {
      fix.timestamp.timeIntervalSince(record.trip.startTime) < configuration.errorSeconds
        && Geodesic.shortMeters(from: record.trip.startCoordinate, to: fix.coordinate)
          <= max(configuration.restRadius, 4 * noise)
    }

    /// Returns whether a small jump during movement may be a displacement of the receiver.
    func isDisplaced(to fix: Location, after seconds: TimeInterval, _ configuration: Configuration) -> Bool {
      now.reach >= configuration.departureDistance && !isPaused && !isClosed && seconds <= Self.displacedSeconds
        && Geodesic.shortMeters(from: now.fix.coordinate, to: fix.coordinate) <= configuration.maximumDisplacement
        && !isThrownBack(to: fix, configuration)
    }

    /// Whether the user has been stationary for longer than at a traffic light.
    var isStanding: Bool { restingSeconds >= Self.noteworthyStop }

    /// Last fix of the path, ignoring displaced fixes.
    var seen: Location { now.fix }

    func isAtStop(_ fix: Location, _ configuration: Configuration) -> Bool {
      !isOutside(stay[0], fix, configuration)
    }

    /// Continues from another position that the user reached by an unknown route.
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

    /// Stay point where the trip would end now.
    var rest: StationaryState {
      StationaryState(at: place, fixes: stay.map(\.fix), isNoisy: isNoisyStop, noise: now.reach < 500 ? noise : 0)
    }

    /// Stay point assumed during a gap: the current stop if it has lasted a minute, otherwise the last fix.
    var lastRest: StationaryState { secondsAtStop >= 60 ? rest : StationaryState(at: now.fix) }

    var soFar: TripRecord {
      var record = record
      record.decisions = decisions.all
      return record
    }

    var mode: MotionState? {
      legFinder.legs(from: record.trip.startTime, to: now.fix.timestamp, distance: now.distance).last?.mode
    }

    mutating func note(_ decision: TripDecision) {
      decisions.add(decision)
      if decision.isOfDisplacement { hops.noteDisplacement() }
    }

    /// Adds the seconds of a gap without reception.
    mutating func noteSilence(_ seconds: TimeInterval) { now.unheard += seconds }

    /// Returns the time when the trip ends if there are no further fixes.
    func closingDate(_ configuration: Configuration) -> Date {
      (isPaused ? stay[0].fix.timestamp : now.fix.timestamp).addingTimeInterval(configuration.silenceSeconds)
    }

    /// Ends the trip if there have been no fixes for long enough.
    mutating func onTick(at date: Date, _ configuration: Configuration) -> [Effect] {
      guard !isClosed, date >= closingDate(configuration) else { return [] }
      isClosed = true
      return [ended(.silence, at: date, configuration)]
    }

    /// Returns whether the user has been at a skip place for the duration of a stop, stationary or walking around.
    func isLingering(_ configuration: Configuration) -> Bool {
      skipSince.map { now.fix.timestamp.timeIntervalSince($0) >= configuration.stopSeconds } ?? false
    }

    /// Pauses the trip if `place` is a skip place, and returns whether `place` is one.
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
      now.fixCount += 1
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
      // Require two distant fixes, because a single one may be an outlier.
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
        // Use only short times, because bends in the path would otherwise contribute to the deviation.
        let isQuick = fix.timestamp.timeIntervalSince(lastTwo[0].timestamp) <= 6
        zigzag += ((isQuick ? min(30, Geodesic.shortMeters(from: middle, to: last)) : 0) - zigzag) / 20
        lastTwo.removeFirst()
      }
      lastTwo.append(fix)
    }

    /// Returns whether the recent cells are stationary despite their noise. The stop then begins with the first cell.
    mutating func restsInNoise(_ configuration: Configuration) -> Bool {
      // Exclude laps, because a user who runs laps also returns to the same positions.
      guard cells.count > 1, !(now.course - cells[0].course).isKept, cells[cells.count - 1].fix == now.fix,
        drift.isResting(for: configuration.restSecondsInNoise, radius: configuration.stopRadius)
      else { return false }
      stay = cells
      stray = nil
      isNoisyStop = true
      return true
    }

    /// Removes every other point from a long route to limit its size.
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

    /// Adds the distance travelled at a measured ground speed. The speed applies to the steps before and after its fix,
    /// because WiFi fixes between satellite fixes have no speed.
    private mutating func noteMeasured(to fix: Location) {
      let speed = max(now.fix.speed ?? 0, fix.speed ?? 0)
      guard speed >= Self.measuredPace else { return }
      let seconds = fix.timestamp.timeIntervalSince(now.fix.timestamp)
      guard seconds <= StationaryState.silence else { return }
      now.measuredMetres += min(Geodesic.shortMeters(from: now.fix.coordinate, to: fix.coordinate), speed * seconds)
    }

    /// Speed in m/s that no stationary receiver measures for long: four times the error of a good receiver.
    private static let measuredPace = 2.0

    private mutating func noteStay(_ configuration: Configuration) {
      guard isOutside(stay[0], now.fix, configuration) else {
        stray = nil
        // Two fixes per second are enough to determine a position.
        if now.fix.timestamp.timeIntervalSince(stay[stay.count - 1].fix.timestamp) >= 0.5 { stay.append(now) }
        return
      }
      guard let first = stray else {
        stray = now
        return
      }
      let stood = first.fix.timestamp.timeIntervalSince(stay[0].fix.timestamp)
      // Require several fixes, because a single fix, such as the start of a trip during a gap, is not a stop.
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

    /// Median position of the stop, which is insensitive to outliers.
    var place: Coordinate { .median(of: stay.map(\.fix.coordinate)) }

    /// Maximum time in seconds between the last fix before a displacement and the fix that confirms it.
    static let displacedSeconds: TimeInterval = 120
    /// Minimum duration in seconds of a stop to be reported.
    private static let noteworthyStop: TimeInterval = 60

    /// Ends the trip at its stop or at its last fix, unless the trip is rejected.
    /// - Parameter date: time of the fix that led to the end.
    func ended(_ rule: TripDecision.Rule, at date: Date, _ configuration: Configuration) -> Effect {
      let isAtStop = isPaused || secondsAtStop >= 60
      var end = now
      var endPlace = now.fix.coordinate
      if isAtStop {
        endPlace = place
        end = arrival
        // The trip has only one fix, the first one after the gap, whose position is confirmed by the fixes of the stop.
        if isUnseen {
          end.reach = max(end.reach, Geodesic.shortMeters(from: record.trip.startCoordinate, to: endPlace))
        }
        end.distance += Geodesic.shortMeters(from: end.fix.coordinate, to: endPlace)
      }
      var record = soFar
      record.trip.endTime = end.fix.timestamp
      record.trip.endCoordinate = endPlace
      record.trip.distanceMeters = end.distance + end.estimate.added
      record.topSpeed = end.topSpeed
      record.fixCount = end.fixCount
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
        if let acceptance = acceptance(end, record, configuration, isLeap: rule == .leapt) {
          record.decisions.append(acceptance)
        }
        return .ended(record)
      }
      record.decisions.append(refusal)
      return .cancelled(record)
    }

    func cancelled(_ rule: TripDecision.Rule, at date: Date) -> Effect {
      var record = soFar
      record.trip.endTime = now.fix.timestamp
      record.decisions.append(
        TripDecision(rule, at: date, seconds: date.timeIntervalSince(record.trip.startTime)))
      return .cancelled(record)
    }
  }
}
