public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Is told when a trip is over for good. Held weakly.
public protocol TripCoordinatorDelegate: AnyObject {
  /// The trip is complete: this is the time to write its event (``TripRecord/event(eventTypeId:carName:)``).
  func tripCoordinator(_ coordinator: TripCoordinator, didFinish record: TripRecord)
  /// What was begun turned out to be no trip.
  func tripCoordinator(_ coordinator: TripCoordinator, didCancel record: TripRecord)
}

/// Carries out what ``TripTracker`` decides, on the services of a device.
///
/// Made and used inside one isolation: when a delegate call or ``tick(at:)`` returns, it has had its whole effect. It
/// holds the services; they hold it weakly. It starts no timer: its owner calls ``tick(at:)``, at
/// ``TripTracker/nextDeadline`` or every few seconds, and saves ``tracker`` to go on after a restart.
///
/// A confirmed stop ends *tracking* at once: low accuracy, live activity ended, one `end` report. The *trip* stays open
/// for half an hour; driving again reports `resume`. A stop at a skip place ends neither. ``stop()`` and a consent that the
/// person takes back end tracking in the same way; ``start()`` and a consent given again go on with the trip.
public final class TripCoordinator {
  public weak var delegate: (any TripCoordinatorDelegate)?
  /// Save it after every call and hand it to the initialiser after a restart.
  public private(set) var tracker: TripTracker
  /// Whether the device gives every fix it can and the live activity is shown.
  public private(set) var isTracking = false
  /// What the location service last said of the person's consent.
  public private(set) var authorization: LocationAuthorizationStatus = .notDetermined
  /// The location service's last complaint; a fix clears it.
  public private(set) var lastLocationError: (any Error)?
  /// Between ``start()`` and ``stop()``.
  private var isStarted = false
  /// Between ``stop()`` and ``start()``: readings that still arrive are of nothing that is being watched.
  private var isStopped = false
  /// The trip whose start was reported, so that an `end`, a `resume` or a `cancel` never stands alone.
  private var reportedTrip: String?

  private let location: any LocationTrackingServiceProtocol
  private let motion: any MotionActivityHandlerProtocol
  private let liveActivity: any LiveActivityManagerProtocol
  private let watch: any WatchConnectivityServiceProtocol
  private let reporting: (any TripReporting)?
  private let clock: any TimeSource

  /// Becomes the delegate of location and motion, and waits.
  ///
  /// `restoring` is what ``tracker`` was before a restart: its configuration then counts instead of `configuration`, and a
  /// drive it was in the middle of goes on at once.
  public init(
    location: any LocationTrackingServiceProtocol, motion: any MotionActivityHandlerProtocol,
    liveActivity: any LiveActivityManagerProtocol, watch: any WatchConnectivityServiceProtocol,
    reporting: (any TripReporting)? = nil, clock: any TimeSource = SystemTime(),
    configuration: TripConfiguration = .init(), restoring: TripTracker? = nil
  ) {
    self.location = location
    self.motion = motion
    self.liveActivity = liveActivity
    self.watch = watch
    self.reporting = reporting
    self.clock = clock
    tracker = restoring ?? TripTracker(configuration: configuration)
    location.delegate = self
    motion.delegate = self
    reportedTrip = tracker.currentTrip?.id
    if let trip = tracker.currentTrip, tracker.phase == .driving || tracker.isPausedAtSkipPlace {
      startTracking(startTime: trip.startTime, isNewTrip: false)
    }
  }

  /// Sets the services up and begins to watch for a drive, with few fixes; a trip that is on its way is tracked again.
  ///
  /// Without the person's consent no fix is asked for; monitoring begins when they give it.
  public func start() {
    isStarted = true
    isStopped = false
    location.setupLocationManager()
    motion.setupMotionManager()
    watch.setup()
    if !isTracking { location.setLowAccuracy() }
    if !isConsentRefused { location.startMonitoring() }
    motion.startActivityUpdates()
    resumeTracking()
  }

  /// Stops watching, ends tracking and the live activity. An open trip stays open in ``tracker``.
  public func stop() {
    isStarted = false
    isStopped = true
    stopTracking(at: tracker.lastTripLocation)
    location.stopMonitoring()
    motion.stopActivityUpdates()
  }

  /// Tells that time has passed; closes trips whose time is over.
  /// - Parameter date: now, by the clock that the fixes' times are of.
  public func tick(at date: Date) {
    // A handler of ours has no timer either; what it confirms comes back as a delegate call.
    (motion as? MotionActivityHandler)?.tick(at: date)
    carryOut(tracker.onTick(at: date))
  }
}

@available(*, unavailable) extension TripCoordinator: Sendable {}

extension TripCoordinator: LocationTrackingServiceDelegate {
  public func locationService(_ service: any LocationTrackingServiceProtocol, didUpdateLocation location: Location) {
    guard !isStopped else { return }
    lastLocationError = nil
    carryOut(tracker.onLocation(location))
    if isTracking, tracker.phase == .driving { showState() }
  }

  /// A receiver without a fix for a while is part of driving: the next fix goes on.
  public func locationService(_ service: any LocationTrackingServiceProtocol, didFailWithError error: any Error) {
    lastLocationError = error
  }

  public func locationService(
    _ service: any LocationTrackingServiceProtocol, didChangeAuthorization status: LocationAuthorizationStatus
  ) {
    let wasRefused = isConsentRefused
    authorization = status
    if isConsentRefused {
      stopTracking(at: tracker.lastTripLocation)
      location.stopMonitoring()
    } else if isStarted {
      // Also at the first answer: a service that was started before there was consent may have given up.
      location.startMonitoring()
    }
    if wasRefused { resumeTracking() }
  }
}

extension TripCoordinator: MotionActivityHandlerDelegate {
  public func motionHandler(_ handler: any MotionActivityHandlerProtocol, didDetectAutomotive isAutomotive: Bool) {}
  public func motionHandler(_ handler: any MotionActivityHandlerProtocol, didChangeState state: MotionState) {}

  public func motionHandler(_ handler: any MotionActivityHandlerProtocol, didConfirmAutomotive isAutomotive: Bool) {
    guard !isStopped else { return }
    if isAutomotive, tracker.lastLocation == nil, let known = location.lastLocation {
      // The service knew where we are before we became its delegate.
      carryOut(tracker.onLocation(known))
    }
    let date = verdictTime()
    carryOut(tracker.onConfirmedMotion(isAutomotive: isAutomotive, at: date))
    if isAutomotive, tracker.phase == .starting {
      // No fix yet: ask for one, and show that driving was noticed.
      startTracking(startTime: date, isNewTrip: true)
    } else if !isAutomotive, tracker.currentTrip == nil {
      // No fix ever confirmed it, so no start was reported and no end is.
      stopTracking(at: nil)
    }
  }
}

extension TripCoordinator {
  /// The person said that no place may be taken. Not determined is no refusal: the service asks.
  private var isConsentRefused: Bool { authorization == .denied || authorization == .restricted }

  private var mayTrack: Bool { !isStopped && !isConsentRefused }

  /// Tracks again what ``stop()`` or a missing consent interrupted.
  private func resumeTracking() {
    guard mayTrack, !isTracking else { return }
    if let trip = tracker.currentTrip {
      guard tracker.phase == .driving || tracker.isPausedAtSkipPlace else { return }
      let isNew = reportedTrip != trip.id
      startTracking(startTime: trip.startTime, isNewTrip: isNew)
      reportedTrip = trip.id
      report(isNew ? .start : .resume, isNew ? tracker.startLocation : tracker.lastLocation)
      showState()
    } else if tracker.phase == .starting {
      startTracking(startTime: verdictTime(), isNewTrip: true)
    }
  }

  /// When a verdict came, on the fixes' own time scale.
  ///
  /// The clock can tell more than the last fix, which may be an hour old. But where it is a day away from the fixes,
  /// they are a recording or it is wrong: then the fixes' times decide.
  private func verdictTime() -> Date {
    let now = clock.now
    guard let latest = tracker.latestTime else { return now }
    return abs(now.timeIntervalSince(latest)) < 86_400 ? max(now, latest) : latest
  }

  private func carryOut(_ effects: [TripTracker.Effect]) {
    for effect in effects {
      switch effect {
      case .started(let trip):
        guard mayTrack else { continue }
        startTracking(startTime: trip.startTime, isNewTrip: true)
        reportedTrip = trip.id
        report(.start, tracker.startLocation)
      case .ping(let fix):
        if isTracking { report(.ping, fix) }
      case .paused:
        if tracker.isPausedAtSkipPlace { showState() } else { stopTracking(at: tracker.lastTripLocation) }
      case .resumed(let trip):
        guard mayTrack else { continue }
        if isTracking {
          showState()
        } else {
          startTracking(startTime: trip.startTime, isNewTrip: false)
          report(.resume, tracker.lastLocation)
        }
      case .ended:
        stopTracking(at: tracker.closedLocation)
        if let record = tracker.closedRecord { delegate?.tripCoordinator(self, didFinish: record) }
      case .cancelled:
        stopTracking(at: tracker.closedLocation)
        if reportedTrip == tracker.closedRecord?.trip.id { report(.cancel, tracker.closedLocation) }
        if let record = tracker.closedRecord { delegate?.tripCoordinator(self, didCancel: record) }
      }
    }
  }

  private func startTracking(startTime: Date, isNewTrip: Bool) {
    guard mayTrack, !isTracking else { return }
    isTracking = true
    location.setHighAccuracy()
    liveActivity.startActivity(carName: tracker.configuration.carName, startTime: startTime)
    if isNewTrip { watch.notifyTripStarted() }
    watch.updateTripActiveState(true)
  }

  private func stopTracking(at fix: Location?) {
    guard isTracking else { return }
    isTracking = false
    location.setLowAccuracy()
    liveActivity.endActivity(keepVisibleForSeconds: tracker.configuration.keepVisibleSeconds)
    watch.updateTripActiveState(false)
    report(.end, fix)
  }

  private func report(_ kind: TripReport.Kind, _ fix: Location?) {
    guard let fix else { return }
    reporting?.report(TripReport(kind: kind, location: fix))
  }

  private func showState() {
    guard let trip = tracker.currentTrip else { return }
    let latest = tracker.lastLocation
    liveActivity.updateActivity(
      state: LiveActivityState(
        distanceMeters: trip.distanceMeters,
        durationSeconds: max(0, (latest?.timestamp ?? trip.startTime).timeIntervalSince(trip.startTime)),
        speedMetersPerSecond: latest?.speed, isPaused: tracker.phase == .paused))
  }
}
