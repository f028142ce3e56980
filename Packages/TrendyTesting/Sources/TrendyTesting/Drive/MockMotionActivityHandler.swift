public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// A motion handler that says what a test tells it to, at once and without a debounce.
///
/// Every injected state makes three calls in this order: detected, confirmed, changed state. A repeated state is told
/// again, so that a test can ask what a second start does.
public final class MockMotionActivityHandler: MotionActivityHandlerProtocol {
  public weak var delegate: (any MotionActivityHandlerDelegate)?
  public private(set) var currentState: MotionState = .unknown
  public var isAutomotive: Bool { currentState == .automotive }
  public var minimumConfidence: MotionActivity.Confidence = .medium
  public var automotiveDebounceSeconds: TimeInterval = 2
  public var nonAutomotiveDebounceSeconds: TimeInterval = 3

  public private(set) var setupCalled = false
  public private(set) var startActivityCalled = false
  public private(set) var stopActivityCalled = false
  public private(set) var cancelPendingDebounceCalled = false
  /// Every injected state, in order.
  public private(set) var stateHistory: [MotionState] = []

  public init() {}

  public func setupMotionManager() { setupCalled = true }
  public func startActivityUpdates() { startActivityCalled = true }
  public func stopActivityUpdates() { stopActivityCalled = true }
  public func cancelPendingDebounce() { cancelPendingDebounceCalled = true }

  public func simulateStartDriving() { injectState(.automotive) }
  public func simulateStopDriving() { injectState(.stationary) }
  public func simulateWalking() { injectState(.walking) }

  public func injectState(_ state: MotionState) {
    currentState = state
    stateHistory.append(state)
    delegate?.motionHandler(self, didDetectAutomotive: isAutomotive)
    delegate?.motionHandler(self, didConfirmAutomotive: isAutomotive)
    delegate?.motionHandler(self, didChangeState: state)
  }

  /// Forgets everything but the delegate and the thresholds.
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
