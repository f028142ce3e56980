import TrendyFoundation
import TrendyModels

extension TripDetector {
  struct Hop {
    let from: Location
    let to: Location
    let metres: Double
    /// Whether the fixes are so far apart that the path between them is unknown.
    let isLeap: Bool

    var seconds: TimeInterval { to.timestamp.timeIntervalSince(from.timestamp) }
  }
}

extension TripDetector.MovingState {
  struct StepResult {
    var effects: [TripDetector.Effect]
    /// Delayed fixes, which must be processed at the new stay point.
    var later: [Location]
    /// The optional stay point. An array instead of an optional, because the state is large and rarely present.
    private var places: [TripDetector.StationaryState]

    init(effects: [TripDetector.Effect], rest: TripDetector.StationaryState? = nil, later: [Location] = []) {
      self.effects = effects
      self.later = later
      places = rest.map { [$0] } ?? []
    }

    /// Stay point where the trip ended, or `nil` if the trip continues.
    var rest: TripDetector.StationaryState? {
      get { places.first }
      set { places = newValue.map { [$0] } ?? [] }
    }
  }

  mutating func take(
    _ hop: TripDetector.Hop, _ configuration: TripDetector.Configuration, _ motion: MotionHistory,
    _ cadence: SamplingInterval
  ) -> StepResult {
    if let taken = takeAside(hop, configuration, motion) { return taken }
    let seconds = hop.seconds
    var taken = StepResult(effects: onTick(at: hop.to.timestamp, configuration))
    if hop.isLeap { return leap(hop, taken, configuration, motion) }
    if !isClosed, var end = endUnheard(by: hop.to, configuration) {
      end.effects = taken.effects + end.effects
      return end
    }
    let isSilent = seconds > configuration.silentStopSeconds
    let wentOn = isSilent && Self.wentOn(hop, configuration) && (isPaused || !isNoise(configuration))
    // Pause the trip at a skip place, because the user may have stayed there while the phone slept.
    if isSilent, !wentOn, !isClosed, !isPaused, pause(at: hop.from.coordinate, configuration) {
      taken.effects.append(.paused(record.trip))
    }
    var isUnheard = !isPaused && !isClosed && Self.isUnheard(seconds, configuration, cadence)
    if isUnheard, stands(over: hop, configuration) { isUnheard = false }
    if isPaused ? isClosed : isSilent && !wentOn && !isUnheard {
      // Assume that the user stayed at the last position throughout the gap.
      var rest = lastRest
      if !isClosed { taken.effects.append(ended(.silence, at: hop.to.timestamp, configuration)) }
      _ = rest.add(hop.to, configuration, motion)
      taken.rest = rest
      return taken
    }
    if wentOn { note(TripDecision(.bridged, at: hop.from.timestamp, seconds: seconds, meters: hop.metres)) }
    if isUnheard {
      if isSilent, !wentOn {
        note(
          TripDecision(
            .unheard, at: hop.from.timestamp, seconds: seconds, meters: hop.metres, limit: cadence.usual))
      }
      noteSilence(seconds)
    }
    if isClosed {
      isClosed = false
      taken.effects.append(.resumed(record.trip))
    }
    let wasPaused = isPaused
    add(hop.to, configuration, motion)
    if wasPaused, !isPaused { taken.effects.append(.resumed(record.trip)) }
    rest(at: hop.to, &taken, configuration)
    return taken
  }

  /// Ends or pauses the trip if the user is at a stop. Rejects it if the user is back at the start.
  private mutating func rest(at fix: Location, _ taken: inout StepResult, _ configuration: TripDetector.Configuration) {
    if isBack(configuration) {
      // The fixes may be part of laps that are still too short to be distinguished from noise, so `course` continues.
      taken.rest = TripDetector.StationaryState(at: record.trip.startCoordinate, fixes: [fix], course: course)
      taken.effects.append(cancelled(.back, at: fix.timestamp))
      return
    }
    guard !isPaused else { return }
    let isLingering = isLingering(configuration)
    // Keep the conditions separate: `||` would copy the state to evaluate its right-hand side.
    if !isLingering, !hasStood(for: configuration.stopSeconds), !restsInNoise(configuration) { return }
    if pause(at: isLingering ? fix.coordinate : place, configuration) {
      taken.effects.append(.paused(record.trip))
      return
    }
    taken.rest = rest
    taken.effects.append(ended(.stopped, at: fix.timestamp, configuration))
  }

  /// Processes a fix while a stationary receiver appears to be displaced.
  ///
  /// If the fix is back at the stop, the stop continues. If it is at a third position, the trip continues there.
  /// After a while, the displacement counts as a real movement that began after the end of the trip.
  /// - Returns: the result, or `nil` if the receiver is not displaced.
  private mutating func takeAside(
    _ hop: TripDetector.Hop, _ configuration: TripDetector.Configuration, _ motion: MotionHistory
  ) -> StepResult? {
    guard let first = aside.first else { return nil }
    let fix = hop.to
    let away = Geodesic.shortMeters(from: first.coordinate, to: fix.coordinate)
    let seconds = fix.timestamp.timeIntervalSince(seen.timestamp)
    guard seconds <= Self.displacedSeconds else {
      // End the trip, because the path to the new position is unknown.
      let meters = Geodesic.shortMeters(from: seen.coordinate, to: first.coordinate)
      note(
        TripDecision(
          .leapt, at: seen.timestamp, seconds: first.timestamp.timeIntervalSince(seen.timestamp), meters: meters))
      let later = Array(aside.dropFirst()) + [fix]
      aside = []
      let end = ended(.leapt, at: first.timestamp, configuration)
      return StepResult(
        effects: isClosed ? [.resumed(record.trip), end] : [end], rest: TripDetector.StationaryState(at: first),
        later: later)
    }
    if isAtStop(fix, configuration) {
      noteDisplaced(to: first)
      aside = []
      add(fix, configuration, motion)
      var taken = StepResult(effects: [])
      rest(at: fix, &taken, configuration)
      return taken
    }
    guard hop.isLeap || away > 2 * configuration.stopRadius else {
      aside.append(fix)
      return StepResult(effects: [])
    }
    noteDisplaced(to: first)
    aside = []
    move(to: fix, configuration, motion)
    return StepResult(effects: [])
  }

  private mutating func noteDisplaced(to first: Location) {
    note(
      TripDecision(
        .displaced, at: seen.timestamp, seconds: first.timestamp.timeIntervalSince(seen.timestamp),
        meters: Geodesic.shortMeters(from: seen.coordinate, to: first.coordinate)))
  }

  private mutating func leap(
    _ hop: TripDetector.Hop, _ before: StepResult, _ configuration: TripDetector.Configuration, _ motion: MotionHistory
  ) -> StepResult {
    var taken = before
    let fix = hop.to
    if isStanding, isDisplaced(to: fix, after: hop.seconds, configuration) {
      aside = [fix]
      return taken
    }
    if isDisplaced(to: fix, after: hop.seconds, configuration) {
      note(TripDecision(.displaced, at: hop.from.timestamp, seconds: hop.seconds, meters: hop.metres))
      move(to: fix, configuration, motion)
      return taken
    }
    // Start a new stay point, because the path across the jump is unknown.
    taken.rest = TripDetector.StationaryState(at: fix)
    guard !isClosed else { return taken }
    note(TripDecision(.leapt, at: hop.from.timestamp, seconds: hop.seconds, meters: hop.metres))
    let isBack = isThrownBack(to: fix, configuration)
    taken.effects.append(
      isBack ? cancelled(.back, at: fix.timestamp) : ended(.leapt, at: fix.timestamp, configuration))
    return taken
  }

  /// Returns whether the receiver was stationary during a gap, although it usually records at short intervals.
  ///
  /// Either it was stationary before the gap and has not moved, or this is the second gap at the stop, as with the
  /// tracker of a parked car, which reports every few minutes. In the latter case, the first gap counts as stationary
  /// time too.
  private mutating func stands(over hop: TripDetector.Hop, _ configuration: TripDetector.Configuration) -> Bool {
    let isStill = isAtStop(hop.to, configuration)
    if hasGapAtStop, isStill || !Self.wentOn(hop, configuration) {
      countGapsAsRest()
      return true
    }
    return isStill && isStanding
  }

  /// Returns whether a gap is due to a lack of reception: this receiver would have recorded fixes even while
  /// stationary.
  private static func isUnheard(
    _ seconds: TimeInterval, _ configuration: TripDetector.Configuration, _ cadence: SamplingInterval
  ) -> Bool {
    // Evaluated last, because the median is expensive.
    seconds > noteworthySilence && seconds <= configuration.receptionSeconds && cadence.isDense
  }

  /// Duration in seconds above which a gap matters for a receiver with a short sampling interval.
  private static let noteworthySilence: TimeInterval = 60

  private static func wentOn(_ hop: TripDetector.Hop, _ configuration: TripDetector.Configuration) -> Bool {
    if hop.seconds <= configuration.maximumGapSeconds { return hop.metres >= 2 * hop.seconds }
    return hop.seconds <= configuration.maximumRideSeconds && hop.metres >= configuration.rideSpeed * hop.seconds
  }
}
