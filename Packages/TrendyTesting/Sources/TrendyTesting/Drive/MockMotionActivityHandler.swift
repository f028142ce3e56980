public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Motion handler that reports injected states immediately, without debounce.
///
/// Injecting a state notifies the delegate that the state was detected, then confirmed, then changed. Injecting the
/// same state again notifies the delegate again, like a second start.
public final class MockMotionActivityHandler: MotionActivityHandlerProtocol {
  public weak var delegate: (any MotionActivityHandlerDelegate)?
  /// Last injected state.
  public private(set) var currentState: MotionState = .unknown
  /// Whether the last injected state is `automotive`.
  public var isAutomotive: Bool { currentState == .automotive }
  /// Minimum confidence. Stored, but not applied to injected states.
  public var minimumConfidence: MotionActivity.Confidence = .medium
  /// Debounce in seconds. Stored, but not applied.
  public var automotiveDebounceSeconds: TimeInterval = 2
  /// Debounce in seconds. Stored, but not applied.
  public var nonAutomotiveDebounceSeconds: TimeInterval = 3

  /// Whether `setupMotionManager()` was called.
  public private(set) var setupCalled = false
  /// Whether `startActivityUpdates()` was called.
  public private(set) var startActivityCalled = false
  /// Whether `stopActivityUpdates()` was called.
  public private(set) var stopActivityCalled = false
  /// Whether `cancelPendingDebounce()` was called.
  public private(set) var cancelPendingDebounceCalled = false
  /// All injected states, oldest first.
  public private(set) var stateHistory: [MotionState] = []

  /// Creates a handler in the state `unknown`.
  public init() {}

  /// Records the call.
  public func setupMotionManager() { setupCalled = true }
  /// Records the call.
  public func startActivityUpdates() { startActivityCalled = true }
  /// Records the call.
  public func stopActivityUpdates() { stopActivityCalled = true }
  /// Records the call.
  public func cancelPendingDebounce() { cancelPendingDebounceCalled = true }

  /// Injects the state `automotive`.
  public func simulateStartDriving() { injectState(.automotive) }
  /// Injects the state `stationary`.
  public func simulateStopDriving() { injectState(.stationary) }
  /// Injects the state `walking`.
  public func simulateWalking() { injectState(.walking) }

  /// Reports a state to the delegate as detected, confirmed and changed.
  public func injectState(_ state: MotionState) {
    currentState = state
    stateHistory.append(state)
    delegate?.motionHandler(self, didDetectAutomotive: isAutomotive)
    delegate?.motionHandler(self, didConfirmAutomotive: isAutomotive)
    delegate?.motionHandler(self, didChangeState: state)
  }

  /// Resets everything except the delegate and the thresholds.
  public func reset() {
    currentState = .unknown
    setupCalled = false
    startActivityCalled = false
    stopActivityCalled = false
    cancelPendingDebounceCalled = false
    stateHistory = []
  }
}

@available(*, unavailable) extension MockMotionActivityHandler: Sendable {}
