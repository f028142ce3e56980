public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// A motion handler that is fed by its owner and debounces what it is fed.
///
/// It holds no timer: a change is confirmed by the first later reading or ``tick(at:)`` that finds it standing long
/// enough. Readings below ``minimumConfidence`` and unknown ones are no evidence for either side.
public final class MotionActivityHandler: MotionActivityHandlerProtocol {
  public weak var delegate: (any MotionActivityHandlerDelegate)?
  /// By the last reading that counted.
  public private(set) var currentState: MotionState = .unknown
  /// By the last reading that counted, before any debounce.
  public var isAutomotive: Bool { currentState == .automotive }
  public var minimumConfidence: MotionActivity.Confidence = .medium
  public var automotiveDebounceSeconds: TimeInterval = 2
  public var nonAutomotiveDebounceSeconds: TimeInterval = 3

  private var isRunning = false
  private var debounce = MotionDebounce()
  private var lastReading: Date?

  public init() {}

  /// Nothing to set up: the owner feeds it.
  public func setupMotionManager() {}

  public func startActivityUpdates() { isRunning = true }

  /// Readings are passed over until updates start again; a waiting change is forgotten, the verdict stays.
  public func stopActivityUpdates() {
    isRunning = false
    cancelPendingDebounce()
  }

  public func cancelPendingDebounce() { debounce.cancelPending() }

  /// Takes a reading of the device. One older than the last is passed over.
  public func receive(_ activity: MotionActivity) {
    guard isRunning, activity.confidence >= minimumConfidence, let answer = activity.state.drivingAnswer,
      activity.timestamp.timeIntervalSinceReferenceDate.isFinite, activity.timestamp >= lastReading ?? .distantPast
    else { return }
    // What stood until now may have stood long enough before this reading changes it.
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

  /// Tells that time has passed, so that a waiting change can be confirmed.
  public func tick(at date: Date) {
    guard isRunning, let verdict = debounce.confirm(at: date) else { return }
    delegate?.motionHandler(self, didConfirmAutomotive: verdict.isAutomotive)
  }
}

@available(*, unavailable) extension MotionActivityHandler: Sendable {}
