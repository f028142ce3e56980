public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Spy for the live activity of a trip.
public final class MockLiveActivityManager: LiveActivityManagerProtocol {
  /// Whether an activity has been started and not yet ended.
  public private(set) var isActivityRunning = false

  /// Whether `startActivity(carName:startTime:)` was called.
  public private(set) var startActivityCalled = false
  /// Whether `endActivity(keepVisibleForSeconds:)` was called.
  public private(set) var endActivityCalled = false
  /// Car name passed to the last `startActivity(carName:startTime:)`.
  public private(set) var lastCarName: String?
  /// Start time passed to the last `startActivity(carName:startTime:)`.
  public private(set) var lastStartTime: Date?
  /// Duration passed to the last `endActivity(keepVisibleForSeconds:)`, in seconds.
  public private(set) var lastKeepVisibleDuration: TimeInterval?
  /// States from all updates, oldest first.
  public private(set) var stateUpdates: [LiveActivityState] = []

  /// Creates a manager without an activity.
  public init() {}

  /// Whether `updateActivity(state:)` was called.
  public var updateActivityCalled: Bool { !stateUpdates.isEmpty }
  /// State of the last update.
  public var lastState: LiveActivityState? { stateUpdates.last }
  /// Number of updates.
  public var updateCount: Int { stateUpdates.count }
  /// Distance in the last update, in kilometres, or 0 before the first update.
  public var totalDistanceKm: Double { (lastState?.distanceMeters ?? 0) / 1000 }

  /// Records the start of an activity.
  public func startActivity(carName: String, startTime: Date) {
    startActivityCalled = true
    isActivityRunning = true
    lastCarName = carName
    lastStartTime = startTime
  }

  /// Records an update.
  public func updateActivity(state: LiveActivityState) {
    stateUpdates.append(state)
  }

  /// Records the end of the activity.
  public func endActivity(keepVisibleForSeconds: TimeInterval) {
    endActivityCalled = true
    isActivityRunning = false
    lastKeepVisibleDuration = keepVisibleForSeconds
  }

  /// Clears all recorded calls and states.
  public func reset() {
    isActivityRunning = false
    startActivityCalled = false
    endActivityCalled = false
    lastCarName = nil
    lastStartTime = nil
    lastKeepVisibleDuration = nil
    stateUpdates = []
  }
}

@available(*, unavailable) extension MockLiveActivityManager: Sendable {}
