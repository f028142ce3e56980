import TrendyFoundation
import TrendyModels

extension TripDetector {
  /// From one fix to the next.
  struct Hop {
    let from: Location
    let to: Location
    let metres: Double
    /// No way leads from the one to the other.
    let isLeap: Bool

    var seconds: TimeInterval { to.timestamp.timeIntervalSince(from.timestamp) }
  }
}

extension TripDetector.MovingState {
  /// What a fix leads to.
  struct StepResult {
    var effects: [TripDetector.Effect]
    /// Fixes that were held back, to be taken from the place of rest on.
    var later: [Location]
    /// Of none or one: a place of rest is large, and hardly a fix leads to one.
    private var places: [TripDetector.StationaryState]

    init(effects: [TripDetector.Effect], rest: TripDetector.StationaryState? = nil, later: [Location] = []) {
      self.effects = effects
      self.later = later
      places = rest.map { [$0] } ?? []
    }

    /// The place of rest at which the trip ended, if it did.
    var rest: TripDetector.StationaryState? {
      get { places.first }
      set { places = newValue.map { [$0] } ?? [] }
    }
  }

  /// Takes the next fix: the way goes on, pauses, or ends.
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
    // At a skip place one may sit with a phone that sleeps.
    if isSilent, !wentOn, !isClosed, !isPaused, pause(at: hop.from.coordinate, configuration) {
      taken.effects.append(.paused(record.trip))
    }
    let isUnheard =
      !isPaused && !isClosed && Self.isUnheard(seconds, configuration, cadence) && !stands(over: hop, configuration)
    if isPaused ? isClosed : isSilent && !wentOn && !isUnheard {
      // It stayed where it was last seen, until now.
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

  /// Ends or pauses it, if it is back where it began or stood for long enough.
  private mutating func rest(at fix: Location, _ taken: inout StepResult, _ configuration: TripDetector.Configuration) {
    if isBack(configuration) {
      // A lap may be shorter than what tells going from noise.
      taken.rest = TripDetector.StationaryState(at: record.trip.startCoordinate, fixes: [fix], course: course)
      taken.effects.append(cancelled(.back, at: fix.timestamp))
      return
    }
    guard !isPaused else { return }
    let isLingering = isLingering(configuration)
    // One by one: `||` would copy the way for what stands behind it.
    if !isLingering, !hasStood(for: configuration.stopSeconds), !restsInNoise(configuration) { return }
    if pause(at: isLingering ? fix.coordinate : place, configuration) {
      taken.effects.append(.paused(record.trip))
      return
    }
    taken.rest = rest
    taken.effects.append(ended(.stopped, at: fix.timestamp, configuration))
  }

  /// Takes a fix while a receiver that stood is displaced: back at the place it stood there all along, elsewhere it goes on, and after a
  /// while the trip had ended before the leap.
  /// - Returns: what the fix leads to, or `nil` if it is to be taken as any other.
  private mutating func takeAside(
    _ hop: TripDetector.Hop, _ configuration: TripDetector.Configuration, _ motion: MotionHistory
  ) -> StepResult? {
    guard let first = aside.first else { return nil }
    let fix = hop.to
    let away = Geodesic.shortMeters(from: first.coordinate, to: fix.coordinate)
    let seconds = fix.timestamp.timeIntervalSince(seen.timestamp)
    guard seconds <= Self.displacedSeconds else {
      // Nobody went there.
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
    // After a leap that turned out to be none the hop between is not a way anybody went.
    taken.rest = TripDetector.StationaryState(at: fix)
    guard !isClosed else { return taken }
    note(TripDecision(.leapt, at: hop.from.timestamp, seconds: hop.seconds, meters: hop.metres))
    let isBack = isThrownBack(to: fix, configuration)
    taken.effects.append(
      isBack ? cancelled(.back, at: fix.timestamp) : ended(.leapt, at: fix.timestamp, configuration))
    return taken
  }

  /// Whether it stood where it fell silent, and is there when it is heard again: it stood there all along, as a recorder does that sleeps
  /// once it has stood for a while.
  private func stands(over hop: TripDetector.Hop, _ configuration: TripDetector.Configuration) -> Bool {
    hop.seconds > Self.noteworthySilence && isStanding && isAtStop(hop.to, configuration)
  }

  /// Whether a silence is that of a recorder that has no reception: it would have written at rest too.
  private static func isUnheard(
    _ seconds: TimeInterval, _ configuration: TripDetector.Configuration, _ cadence: SamplingInterval
  ) -> Bool {
    // The median is dear, and asked for at a silence only.
    seconds > noteworthySilence && seconds <= configuration.receptionSeconds && cadence.isDense
  }

  /// Seconds without a fix from which on a recorder that writes each few seconds is silent.
  private static let noteworthySilence: TimeInterval = 60

  private static func wentOn(_ hop: TripDetector.Hop, _ configuration: TripDetector.Configuration) -> Bool {
    if hop.seconds <= configuration.maximumGapSeconds { return hop.metres >= 2 * hop.seconds }
    return hop.seconds <= configuration.maximumRideSeconds && hop.metres >= configuration.rideSpeed * hop.seconds
  }
}
