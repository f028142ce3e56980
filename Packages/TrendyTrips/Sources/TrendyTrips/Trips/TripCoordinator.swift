public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Receives finished trips. Not retained by the coordinator.
public protocol TripCoordinatorDelegate: AnyObject {
  /// Called when a trip is finished and its event can be written (``TripRecord/event(eventTypeId:carName:device:)``).
  func tripCoordinator(_ coordinator: TripCoordinator, didFinish record: TripRecord)
  /// Called when a started movement was not a trip.
  func tripCoordinator(_ coordinator: TripCoordinator, didCancel record: TripRecord)
}

/// Runs ``TripTracker`` with the location and motion services of a device.
///
/// Belongs to one isolation domain: delegate calls and ``tick(at:)`` have their complete effect when they return. The
/// coordinator retains the services, not vice versa. It has no timer: its owner calls ``tick(at:)`` at
/// ``TripTracker/nextDeadline`` or every few seconds, and stores ``tracker`` to continue after a restart.
///
/// A confirmed stop ends *tracking* immediately: low accuracy, no live activity, one `end` report. The *trip* stays
/// open for half an hour; driving in that time reports `resume`. A stop at a skip place ends neither. ``stop()`` and a
/// revoked location permission end tracking as well; ``start()`` and a new permission continue the trip.
public final class TripCoordinator {
  /// Receives finished trips.
  public weak var delegate: (any TripCoordinatorDelegate)?
  /// State to store after each call, and to pass to the initialiser after a restart.
  public private(set) var tracker: TripTracker
  /// Whether high accuracy and the live activity are on.
  public private(set) var isTracking = false
  /// Last authorization reported by the location service.
  public private(set) var authorization: LocationAuthorizationStatus = .notDetermined
  /// Last error of the location service; cleared by a fix.
  public private(set) var lastLocationError: (any Error)?
  /// Whether ``start()`` was called after the last ``stop()``.
  private var isStarted = false
  /// Whether ``stop()`` was called last; late readings are then ignored.
  private var isStopped = false
  /// Id of the trip whose start was reported, so that `end`, `resume` and `cancel` always follow a `start`.
  private var reportedTrip: String?

  private let location: any LocationTrackingServiceProtocol
  private let motion: any MotionActivityHandlerProtocol
  private let liveActivity: any LiveActivityManagerProtocol
  private let watch: any WatchConnectivityServiceProtocol
  private let reporting: (any TripReporting)?
  private let clock: any TimeSource

  /// Creates a coordinator and becomes the delegate of the location and motion services.
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

  /// Sets up the services and monitors with low accuracy; a trip in progress is tracked again.
  ///
  /// Without location permission, monitoring begins as soon as it is granted.
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

  /// Stops monitoring, tracking and the live activity. A trip in progress stays open in ``tracker``.
  public func stop() {
    isStarted = false
    isStopped = true
    stopTracking(at: tracker.lastTripLocation)
    location.stopMonitoring()
    motion.stopActivityUpdates()
  }

  /// Reports the current time, which may end a trip.
  /// - Parameter date: current time, on the clock of the fixes.
  public func tick(at date: Date) {
    // The built-in handler has no timer either; its confirmations are delegate calls.
    (motion as? MotionActivityHandler)?.tick(at: date)
    carryOut(tracker.onTick(at: date))
  }
}

@available(*, unavailable) extension TripCoordinator: Sendable {}

extension TripCoordinator: LocationTrackingServiceDelegate {
  /// Processes a fix.
  public func locationService(_ service: any LocationTrackingServiceProtocol, didUpdateLocation location: Location) {
    guard !isStopped else { return }
    lastLocationError = nil
    carryOut(tracker.onLocation(location))
    if isTracking, tracker.phase == .driving { showState() }
  }

  /// Stores the error. A loss of reception is normal while driving; the next fix continues the trip.
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
      // Also at the first authorization, because a service started without permission may have stopped.
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
      // Use a fix from before the coordinator became the delegate.
      carryOut(tracker.onLocation(known))
    }
    let date = verdictTime()
    carryOut(tracker.onConfirmedMotion(isAutomotive: isAutomotive, at: date))
    if isAutomotive, tracker.phase == .starting {
      // No fix yet: request one, and display that driving was detected.
      startTracking(startTime: date, isNewTrip: true)
    } else if !isAutomotive, tracker.currentTrip == nil {
      // Never confirmed by a fix, so neither start nor end is reported.
      stopTracking(at: nil)
    }
  }
}

extension TripCoordinator {
  /// Whether location permission was denied. Not determined is not denied, because the service asks.
  private var isConsentRefused: Bool { authorization == .denied || authorization == .restricted }

  private var mayTrack: Bool { !isStopped && !isConsentRefused }

  /// Continues tracking after ``stop()`` or a revoked permission.
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

  /// Time of a confirmation on the clock of the fixes.
  ///
  /// The current time is better than the last fix, which may be an hour old. But if they differ by more than a day, the
  /// fixes are a recording or the clock is wrong, and the time of the last fix is used.
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
