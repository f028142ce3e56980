public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Delegate that receives finished and cancelled trips. The coordinator does not retain it.
public protocol TripCoordinatorDelegate: AnyObject {
  /// Called when a trip has finished. Its event can be written (``TripRecord/event(eventTypeId:carName:device:)``).
  func tripCoordinator(_ coordinator: TripCoordinator, didFinish record: TripRecord)
  /// Called when a movement that had started turned out not to be a trip.
  func tripCoordinator(_ coordinator: TripCoordinator, didCancel record: TripRecord)
}

/// Connects a ``TripTracker`` to the location and motion services of a device.
///
/// All calls must come from one isolation domain. Delegate calls and ``tick(at:)`` have taken full effect when they
/// return. The coordinator retains the services, but the services do not retain the coordinator. The coordinator has no
/// timer, so the owner calls ``tick(at:)`` at ``TripTracker/nextDeadline`` or every few seconds, and stores ``tracker``
/// to resume after a restart.
///
/// A confirmed stop ends *tracking* at once: the accuracy is reduced, the live activity ends, and `end` is reported.
/// The *trip* remains open for half an hour. If the user drives again in that time, `resume` is reported. A stop at a
/// skip place ends neither tracking nor the trip. ``stop()`` and a revoked location permission end tracking as well,
/// and ``start()`` and a new permission resume the trip.
public final class TripCoordinator {
  /// Delegate that receives finished and cancelled trips.
  public weak var delegate: (any TripCoordinatorDelegate)?
  /// State of detection. Store it after each call, and pass it to the initialiser after a restart.
  public private(set) var tracker: TripTracker
  /// Whether tracking is active, with high accuracy and a live activity.
  public private(set) var isTracking = false
  /// Most recent authorization that the location service reported.
  public private(set) var authorization: LocationAuthorizationStatus = .notDetermined
  /// Error of the location service since the last fix, or `nil`.
  public private(set) var lastLocationError: (any Error)?
  private var isStarted = false
  /// Whether ``stop()`` was called after ``start()``. If so, late readings are ignored.
  private var isStopped = false
  /// Id of the trip whose start was reported. Without this id, `end`, `resume` and `cancel` are not reported.
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

  /// Sets up the services and monitors the location with low accuracy. Resumes tracking a trip in progress.
  ///
  /// Without location permission, monitoring begins when permission is granted.
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

  /// Stops monitoring, tracking and the live activity. A trip in progress remains open in ``tracker``.
  public func stop() {
    isStarted = false
    isStopped = true
    stopTracking(at: tracker.lastTripLocation)
    location.stopMonitoring()
    motion.stopActivityUpdates()
  }

  /// Processes the passage of time, which may end a trip.
  /// - Parameter date: current time, according to the clock of the fixes.
  public func tick(at date: Date) {
    // Pass the tick on, because this handler has no timer either. It reports confirmed changes to its delegate.
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

  /// Stores the error and continues the trip, because a loss of reception is normal while driving.
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
      // Start at the first authorization too, because a service that was started without permission may have stopped.
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
      // Use the last fix of the service, which may have been recorded before the coordinator became the delegate.
      carryOut(tracker.onLocation(known))
    }
    let date = verdictTime()
    carryOut(tracker.onConfirmedMotion(isAutomotive: isAutomotive, at: date))
    if isAutomotive, tracker.phase == .starting {
      // There is no fix yet: request one, and show that driving was detected.
      startTracking(startTime: date, isNewTrip: true)
    } else if !isAutomotive, tracker.currentTrip == nil {
      // No fix ever confirmed the trip, so neither start nor end is reported.
      stopTracking(at: nil)
    }
  }
}

extension TripCoordinator {
  /// Whether location permission is denied. `notDetermined` does not count, because the service asks for permission.
  private var isConsentRefused: Bool { authorization == .denied || authorization == .restricted }

  private var mayTrack: Bool { !isStopped && !isConsentRefused }

  /// Resumes tracking after ``stop()`` or after a revoked permission is granted again.
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

  /// Returns the time of a confirmed motion state, according to the clock of the fixes.
  ///
  /// The result is usually the current time, because the last fix may be an hour old. If the current time and the last
  /// fix differ by more than a day, the fixes are from a recording or the clock is wrong, and the time of the last fix
  /// is used.
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
