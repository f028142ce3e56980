public import TrendyFoundation
public import TrendyModels

/// Classifier of the user's motion, which confirms after a debounce that driving has started or ended.
public protocol MotionActivityHandlerProtocol: AnyObject {
  /// Receives motion changes. Held weakly.
  var delegate: (any MotionActivityHandlerDelegate)? { get set }
  /// State of the last reading with sufficient confidence; `.unknown` before the first.
  var currentState: MotionState { get }
  /// Whether ``currentState`` is automotive, before the debounce.
  var isAutomotive: Bool { get }
  /// Confidence below which readings are ignored.
  var minimumConfidence: MotionActivity.Confidence { get set }
  /// Duration of driving, in seconds, after which it is confirmed.
  var automotiveDebounceSeconds: TimeInterval { get set }
  /// Duration of any other state, in seconds, after which the end of driving is confirmed.
  var nonAutomotiveDebounceSeconds: TimeInterval { get set }

  /// Prepares the handler without starting updates. Called once, before all other methods.
  func setupMotionManager()
  /// Starts reporting motion.
  func startActivityUpdates()
  /// Stops reporting motion and discards a change that is not yet confirmed. After it returns, nothing is reported.
  func stopActivityUpdates()
  /// Discards a change that is not yet confirmed.
  func cancelPendingDebounce()
}

/// Delegate that receives motion changes from a ``MotionActivityHandlerProtocol``.
public protocol MotionActivityHandlerDelegate: AnyObject {
  /// Called immediately, for each reading that changes ``MotionActivityHandlerProtocol/isAutomotive``.
  func motionHandler(_ handler: any MotionActivityHandlerProtocol, didDetectAutomotive isAutomotive: Bool)
  /// Called after the debounce. Trips start and stop on this call.
  func motionHandler(_ handler: any MotionActivityHandlerProtocol, didConfirmAutomotive isAutomotive: Bool)
  /// Called for each reading that changes ``MotionActivityHandlerProtocol/currentState``.
  func motionHandler(_ handler: any MotionActivityHandlerProtocol, didChangeState state: MotionState)
}
