public import TrendyFoundation
public import TrendyModels

/// Determines the start, the pauses and the end of trips from motion readings and fixes.
///
/// Uses only the timestamps of the readings, never a clock, so delayed processing has the same result. The state is
/// `Codable`, so a trip can continue after a restart. Fixes older than the last one are ignored.
public struct TripTracker: Hashable, Sendable, Codable {
  /// Phase of the current or last trip.
  public enum Phase: String, Hashable, Sendable, Codable, CaseIterable {
    case idle
    /// Driving was detected but is not confirmed, or was confirmed before the first fix.
    case starting
    case driving
    /// Stopped. If the user drives again in time, the trip continues.
    case paused
    /// The last trip has finished.
    case ended
    /// The last movement was too short to be a trip.
    case cancelled
  }

  /// Change to the current trip.
  public enum Effect: Hashable, Sendable {
    case started(Trip)
    case ping(Location)
    case paused(Trip)
    case resumed(Trip)
    case ended(Trip)
    case cancelled(Trip)
  }

  /// Thresholds, which apply from the next reading.
  public internal(set) var configuration: TripConfiguration
  /// Phase of the current or last trip.
  public private(set) var phase: Phase = .idle
  /// Most recent trip that finished or was cancelled.
  public private(set) var closedRecord: TripRecord?
  /// Last fix of the trip in ``closedRecord`` while the user was moving.
  public private(set) var closedLocation: Location?
  /// Latest time of any reading or tick.
  public private(set) var latestTime: Date?

  private var debounce = MotionDebounce()
  private var lastMotion: Date?
  private var isCarLinked = false
  private var recent = RecentFixes()
  private var journey: TripJourney?

  /// Creates a tracker that has processed no readings.
  public init(configuration: TripConfiguration) {
    self.configuration = configuration
  }

  /// Trip in progress, possibly paused, or `nil`.
  public var currentTrip: Trip? { journey?.record.trip }
  /// Trip in progress with its route, or `nil`.
  public var currentRecord: TripRecord? { journey?.record }
  /// Last accepted fix, whether or not a trip is in progress.
  public var lastLocation: Location? { recent.latest }
  /// Fix at the start of the trip in progress, or `nil`.
  // Not inlined, because the optimiser of Swift 6.3.1 crashes on the borrow in TripCoordinator ("Found ownership
  // error").
  @inline(never)
  public var startLocation: Location? { journey?.startLocation }
  /// Last fix of the trip in progress, or `nil`.
  @inline(never)
  public var lastTripLocation: Location? { journey?.lastFix }
  /// Whether the trip in progress is paused at a skip place, where only a long gap ends it.
  public var isPausedAtSkipPlace: Bool { phase == .paused && journey?.isAtSkipPlace == true }
  /// Time of the next tick that has an effect if there are no further readings.
  public var nextDeadline: Date? { deadline?.date }

  /// Processes a fix. Ignores a fix that is invalid or not later than the last one.
  @discardableResult
  public mutating func onLocation(_ location: Location) -> [Effect] {
    guard let fix = location.checked, fix.timestamp > recent.latest?.timestamp ?? .distantPast else { return [] }
    var effects = advance(to: fix.timestamp)
    recent.add(fix)
    guard phase == .driving else {
      // Require movement for a new trip, because driving is still confirmed after a gap has ended a trip.
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

  /// Processes and debounces a motion reading. Ignores unknown readings and readings below the minimum confidence.
  @discardableResult
  public mutating func onMotion(_ activity: MotionActivity) -> [Effect] {
    guard activity.confidence >= configuration.minimumConfidence, let answer = activity.state.drivingAnswer,
      activity.timestamp.timeIntervalSinceReferenceDate.isFinite, activity.timestamp >= lastMotion ?? .distantPast
    else { return [] }
    lastMotion = activity.timestamp
    // Driving detected exactly at the end of the resume window still continues the trip.
    var effects = advance(to: activity.timestamp, butNotAt: answer)
    debounce.onAnswer(
      isAutomotive: answer, at: activity.timestamp,
      after: answer ? configuration.automotiveDebounceSeconds : configuration.nonAutomotiveDebounceSeconds)
    showStarting()
    effects += advance(to: activity.timestamp)
    return effects
  }

  /// Processes a motion state that has already been debounced. Ignores an invalid date.
  @discardableResult
  public mutating func onConfirmedMotion(isAutomotive: Bool, at date: Date) -> [Effect] {
    guard date.timeIntervalSinceReferenceDate.isFinite else { return [] }
    var effects = advance(to: date, butNotAt: isAutomotive)
    debounce.force(isAutomotive)
    effects += settle(at: date)
    effects += advance(to: date)
    return effects
  }

  /// Processes a change of the connection to the car. While the phone is connected, a stationary car counts as driving.
  /// Ignores an invalid date.
  @discardableResult
  public mutating func onCarLink(isConnected: Bool, at date: Date) -> [Effect] {
    guard date.timeIntervalSinceReferenceDate.isFinite else { return [] }
    var effects = advance(to: date, butNotAt: isConnected)
    isCarLinked = isConnected
    effects += settle(at: date)
    effects += advance(to: date)
    return effects
  }

  /// Processes the passage of time, which may end a trip.
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
    // If driving began within the resume window, the trip remains open until driving is confirmed or dismissed.
    let holdsOpen = verdict.isAutomotive && verdict.since <= close
    return holdsOpen || verdict.deadline <= close ? (verdict.deadline, .verdict) : (close, .close)
  }

  /// Performs everything that is due by `date`, in order. Terminates, because each iteration removes a pending change
  /// or a trip.
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
    // If the last fix is at most a minute old, the trip starts with its time and position. Otherwise, the trip starts
    // only with its position.
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
