public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// A live display that records what it was told to show.
public final class MockLiveActivityManager: LiveActivityManagerProtocol {
  public private(set) var isActivityRunning = false

  public private(set) var startActivityCalled = false
  public private(set) var endActivityCalled = false
  public private(set) var lastCarName: String?
  public private(set) var lastStartTime: Date?
  /// Seconds.
  public private(set) var lastKeepVisibleDuration: TimeInterval?
  /// Every state shown, in order.
  public private(set) var stateUpdates: [LiveActivityState] = []

  public init() {}

  public var updateActivityCalled: Bool { !stateUpdates.isEmpty }
  public var lastState: LiveActivityState? { stateUpdates.last }
  public var updateCount: Int { stateUpdates.count }
  /// What the display shows last, 0 before the first update.
  public var totalDistanceKm: Double { (lastState?.distanceMeters ?? 0) / 1000 }

  public func startActivity(carName: String, startTime: Date) {
    startActivityCalled = true
    isActivityRunning = true
    lastCarName = carName
    lastStartTime = startTime
  }

  public func updateActivity(state: LiveActivityState) {
    stateUpdates.append(state)
  }

  public func endActivity(keepVisibleForSeconds: TimeInterval) {
    endActivityCalled = true
    isActivityRunning = false
    lastKeepVisibleDuration = keepVisibleForSeconds
  }

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
