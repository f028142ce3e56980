public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Motion handler that debounces the readings its owner passes to it.
///
/// The handler has no timer: after the debounce, the next reading or ``tick(at:)`` confirms the change. Unknown
/// readings and readings below ``minimumConfidence`` are ignored.
public final class MotionActivityHandler: MotionActivityHandlerProtocol {
  public weak var delegate: (any MotionActivityHandlerDelegate)?
  /// Last accepted state.
  public private(set) var currentState: MotionState = .unknown
  /// Whether the last accepted state is `automotive`, without waiting for the debounce.
  public var isAutomotive: Bool { currentState == .automotive }
  /// Minimum confidence of accepted readings.
  public var minimumConfidence: MotionActivity.Confidence = .medium
  /// Time in seconds after which driving is confirmed.
  public var automotiveDebounceSeconds: TimeInterval = 2
  /// Time in seconds after which the end of driving is confirmed.
  public var nonAutomotiveDebounceSeconds: TimeInterval = 3

  private var isRunning = false
  private var debounce = MotionDebounce()
  private var lastReading: Date?

  /// Creates a handler that ignores readings until ``startActivityUpdates()``.
  public init() {}

  /// Does nothing, because the owner provides the readings.
  public func setupMotionManager() {}

  /// Starts accepting readings.
  public func startActivityUpdates() { isRunning = true }

  /// Ignores readings until the next start. Discards an unconfirmed change and keeps the confirmed state.
  public func stopActivityUpdates() {
    isRunning = false
    cancelPendingDebounce()
  }

  /// Discards an unconfirmed change.
  public func cancelPendingDebounce() { debounce.cancelPending() }

  /// Processes a reading. Ignores a reading older than the last one.
  public func receive(_ activity: MotionActivity) {
    guard isRunning, activity.confidence >= minimumConfidence, let answer = activity.state.drivingAnswer,
      activity.timestamp.timeIntervalSinceReferenceDate.isFinite, activity.timestamp >= lastReading ?? .distantPast
    else { return }
    tick(at: activity.timestamp)
    lastReading = activity.timestamp
    let wasAutomotive = isAutomotive
    let didChange = activity.state != currentState
    currentState = activity.state
    debounce.onAnswer(
      isAutomotive: answer, at: activity.timestamp,
      after: answer ? automotiveDebounceSeconds : nonAutomotiveDebounceSeconds)
    if answer != wasAutomotive { delegate?.motionHandler(self, didDetectAutomotive: answer) }
    tick(at: activity.timestamp)
    if didChange { delegate?.motionHandler(self, didChangeState: activity.state) }
  }

  /// Processes the passage of time, which may confirm a change.
  public func tick(at date: Date) {
    guard isRunning, let verdict = debounce.confirm(at: date) else { return }
    delegate?.motionHandler(self, didConfirmAutomotive: verdict.isAutomotive)
  }
}

@available(*, unavailable) extension MotionActivityHandler: Sendable {}
