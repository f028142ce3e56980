public import TrendyFoundation
public import TrendyModels

/// Tells how a person moves, and when it is certain that they drive.
public protocol MotionActivityHandlerProtocol: AnyObject {
  /// Held weakly.
  var delegate: (any MotionActivityHandlerDelegate)? { get set }
  /// By the last reading that counted; `.unknown` before the first.
  var currentState: MotionState { get }
  /// Whether that is driving, before any debounce.
  var isAutomotive: Bool { get }
  /// Readings below it are passed over.
  var minimumConfidence: MotionActivity.Confidence { get set }
  /// Seconds of driving before it is confirmed.
  var automotiveDebounceSeconds: TimeInterval { get set }
  /// Seconds of anything else before the end of driving is confirmed.
  var nonAutomotiveDebounceSeconds: TimeInterval { get set }

  /// Called once, before all else; starts nothing.
  func setupMotionManager()
  func startActivityUpdates()
  /// Nothing is reported after it returns, and a change that waits is forgotten.
  func stopActivityUpdates()
  /// Forgets a change that waits to be confirmed.
  func cancelPendingDebounce()
}

/// Is told of motion.
public protocol MotionActivityHandlerDelegate: AnyObject {
  /// At once, with every reading that changes the answer.
  func motionHandler(_ handler: any MotionActivityHandlerProtocol, didDetectAutomotive isAutomotive: Bool)
  /// After the debounce: the verdict that trips start and stop on.
  func motionHandler(_ handler: any MotionActivityHandlerProtocol, didConfirmAutomotive isAutomotive: Bool)
  /// With every reading that changes ``MotionActivityHandlerProtocol/currentState``.
  func motionHandler(_ handler: any MotionActivityHandlerProtocol, didChangeState state: MotionState)
}
