public import TrendyFoundation
public import TrendyModels

/// Decides when a trip starts, pauses, goes on and is over, reading by reading.
///
/// It reads no clock: the times of the readings decide, however late they arrive. All it knows is `Codable`, so that a
/// drive goes on after a restart as if there had been none. Fixes older than the last one are passed over.
public struct TripTracker: Hashable, Sendable, Codable {
  public enum Phase: String, Hashable, Sendable, Codable, CaseIterable {
    case idle
    /// Driving is seen but not yet confirmed, or confirmed before the first fix.
    case starting
    case driving
    /// Stopped; driving again goes on with the same trip.
    case paused
    /// The last trip is over and complete.
    case ended
    /// The last trip was too short to be one.
    case cancelled
  }

  public enum Effect: Hashable, Sendable {
    case started(Trip)
    case ping(Location)
    case paused(Trip)
    case resumed(Trip)
    case ended(Trip)
    case cancelled(Trip)
  }

  /// What counts from the next reading on.
  public internal(set) var configuration: TripConfiguration
  public private(set) var phase: Phase = .idle
  /// What was last closed, whether ended or cancelled.
  public private(set) var closedRecord: TripRecord?
  /// The fix at which what was last closed moved for the last time.
  public private(set) var closedLocation: Location?
  /// The latest moment any reading spoke of.
  public private(set) var latestTime: Date?

  private var debounce = MotionDebounce()
  private var lastMotion: Date?
  private var isCarLinked = false
  private var recent = RecentFixes()
  private var journey: TripJourney?

  public init(configuration: TripConfiguration) {
    self.configuration = configuration
  }

  /// The trip that is open, paused or not; its end is not known yet.
  public var currentTrip: Trip? { journey?.record.trip }
  public var currentRecord: TripRecord? { journey?.record }
  /// The newest fix taken.
  public var lastLocation: Location? { recent.latest }
  /// The fix at which the open trip began.
  // Not inlined: the optimiser of Swift 6.3.1 crashes on the borrow in TripCoordinator ("Found ownership error").
  @inline(never)
  public var startLocation: Location? { journey?.startLocation }
  /// The last fix that was part of the open trip.
  @inline(never)
  public var lastTripLocation: Location? { journey?.lastFix }
  /// Whether the open trip stands at a skip place, where only silence closes it.
  public var isPausedAtSkipPlace: Bool { phase == .paused && journey?.isAtSkipPlace == true }
  /// The next moment at which a tick changes something, if nothing else happens before.
  public var nextDeadline: Date? { deadline?.date }

  @discardableResult
  public mutating func onLocation(_ location: Location) -> [Effect] {
    guard let fix = location.checked, fix.timestamp > recent.latest?.timestamp ?? .distantPast else { return [] }
    var effects = advance(to: fix.timestamp)
    recent.add(fix)
    guard phase == .driving else {
      // After a trip that silence closed the verdict still stands: it takes movement to believe it again.
      if journey == nil, isDriving, phase == .starting || recent.movement(endingAt: fix.timestamp) != nil {
        effects += begin(at: fix.timestamp)
      }
      return effects
    }
    journey?.add(fix)
    if let last = journey?.lastPing, fix.timestamp.timeIntervalSince(last) >= configuration.pingIntervalSeconds {
      journey?.lastPing = fix.timestamp
      effects.append(.ping(fix))
    }
    return effects
  }

  /// Takes a raw reading and debounces it. Low confidence and unknown motion are no evidence.
  @discardableResult
  public mutating func onMotion(_ activity: MotionActivity) -> [Effect] {
    guard activity.confidence >= configuration.minimumConfidence, let answer = activity.state.drivingAnswer,
      activity.timestamp.timeIntervalSinceReferenceDate.isFinite, activity.timestamp >= lastMotion ?? .distantPast
    else { return [] }
    lastMotion = activity.timestamp
    // Driving in the very moment in which the window ends is in time.
    var effects = advance(to: activity.timestamp, butNotAt: answer)
    debounce.onAnswer(
      isAutomotive: answer, at: activity.timestamp,
      after: answer ? configuration.automotiveDebounceSeconds : configuration.nonAutomotiveDebounceSeconds)
    showStarting()
    effects += advance(to: activity.timestamp)
    return effects
  }

  /// Takes the verdict of a motion handler that debounced already; one at a date that is no number is passed over.
  @discardableResult
  public mutating func onConfirmedMotion(isAutomotive: Bool, at date: Date) -> [Effect] {
    guard date.timeIntervalSinceReferenceDate.isFinite else { return [] }
    var effects = advance(to: date, butNotAt: isAutomotive)
    debounce.force(isAutomotive)
    effects += settle(at: date)
    effects += advance(to: date)
    return effects
  }

  /// Takes whether the phone is connected to the car. While it is, standing still is a stop on the way, not its end.
  /// At a date that is no number it is passed over.
  @discardableResult
  public mutating func onCarLink(isConnected: Bool, at date: Date) -> [Effect] {
    guard date.timeIntervalSinceReferenceDate.isFinite else { return [] }
    var effects = advance(to: date, butNotAt: isConnected)
    isCarLinked = isConnected
    effects += settle(at: date)
    effects += advance(to: date)
    return effects
  }

  /// Tells that time has passed.
  @discardableResult
  public mutating func onTick(at date: Date) -> [Effect] { advance(to: date) }
}

extension TripTracker {
  private var isDriving: Bool { isCarLinked || debounce.isAutomotive }

  private enum Deadline {
    case verdict
    case close
  }

  private var deadline: (date: Date, what: Deadline)? {
    let verdict = debounce.pending
    guard let close = journey?.closingDate(configuration) else { return verdict.map { ($0.deadline, .verdict) } }
    guard let verdict else { return (close, .close) }
    // Driving that began inside the window waits for its verdict before the window shuts.
    let holdsOpen = verdict.isAutomotive && verdict.since <= close
    return holdsOpen || verdict.deadline <= close ? (verdict.deadline, .verdict) : (close, .close)
  }

  /// Lets happen, in their order, what was due by `date`. Each turn takes a pending verdict or an open trip away.
  private mutating func advance(to date: Date, butNotAt isExclusive: Bool = false) -> [Effect] {
    guard date.timeIntervalSinceReferenceDate.isFinite else { return [] }
    var effects: [Effect] = []
    while let (due, what) = deadline, isExclusive ? due < date : due <= date {
      switch what {
      case .verdict:
        _ = debounce.confirm(at: due)
        effects += settle(at: due)
      case .close:
        effects += close()
      }
    }
    latestTime = max(latestTime ?? date, date)
    return effects
  }

  /// Brings the phase in line with whether the person drives.
  private mutating func settle(at date: Date) -> [Effect] {
    switch (isDriving, phase) {
    case (true, .paused): return resume(at: date)
    case (true, .idle), (true, .starting), (true, .ended), (true, .cancelled): return begin(at: date)
    case (false, .driving): return pause(at: date)
    default:
      showStarting()
      return []
    }
  }

  private mutating func showStarting() {
    guard journey == nil else { return }
    if isDriving || debounce.pending?.isAutomotive == true {
      if phase != .starting, !isDriving { phase = .starting }
    } else if phase == .starting {
      phase = .idle
    }
  }

  private mutating func begin(at date: Date) -> [Effect] {
    guard let latest = recent.latest else {
      phase = .starting
      return []
    }
    let way = recent.movement(endingAt: max(date, latest.timestamp))
    // A fix of a minute ago was taken at rest where the movement began; one of an hour ago says where, but not when.
    let isFresh = date.timeIntervalSince(latest.timestamp) <= 60
    let startTime = way?.first?.timestamp ?? (isFresh ? latest.timestamp : date)
    let begun = TripJourney(way: way ?? [latest], startTime: startTime, configuration: configuration)
    journey = begun
    phase = .driving
    return [.started(begun.record.trip)]
  }

  private mutating func pause(at date: Date) -> [Effect] {
    guard var open = journey else { return [] }
    open.pause(at: date, isAtSkipPlace: configuration.isSkipPlace(open.place))
    journey = open
    phase = .paused
    return [.paused(open.record.trip)]
  }

  private mutating func resume(at date: Date) -> [Effect] {
    guard var open = journey else { return [] }
    let way = recent.movement(endingAt: date, notBefore: open.lastFix.timestamp) ?? recent.latest.map { [$0] } ?? []
    open.resume(at: date, way: way)
    journey = open
    phase = .driving
    return [.resumed(open.record.trip)]
  }

  private mutating func close() -> [Effect] {
    guard let open = journey else { return [] }
    let record = open.closed()
    closedRecord = record
    closedLocation = open.anchor
    journey = nil
    recent.forget()
    phase = open.isTrip(configuration) ? .ended : .cancelled
    let effect: Effect = phase == .ended ? .ended(record.trip) : .cancelled(record.trip)
    showStarting()
    return [effect]
  }
}
