public import TrendyFoundation
public import TrendyModels

/// Classifies the user's motion, and confirms after a debounce that driving has started or ended.
public protocol MotionActivityHandlerProtocol: AnyObject {
  /// Receives motion changes. Held weakly.
  var delegate: (any MotionActivityHandlerDelegate)? { get set }
  /// State according to the last reading with sufficient confidence, or `.unknown` before the first such reading.
  var currentState: MotionState { get }
  /// Whether ``currentState`` is automotive, regardless of the debounce.
  var isAutomotive: Bool { get }
  /// Minimum confidence of a reading. Readings with lower confidence are ignored.
  var minimumConfidence: MotionActivity.Confidence { get set }
  /// Number of seconds of driving after which driving is confirmed.
  var automotiveDebounceSeconds: TimeInterval { get set }
  /// Number of seconds in any other state after which the end of driving is confirmed.
  var nonAutomotiveDebounceSeconds: TimeInterval { get set }

  /// Prepares the handler without starting updates. Called once, before all other methods.
  func setupMotionManager()
  /// Starts reporting motion.
  func startActivityUpdates()
  /// Stops reporting motion and discards an unconfirmed change. Nothing is reported after this returns.
  func stopActivityUpdates()
  /// Discards an unconfirmed change.
  func cancelPendingDebounce()
}

/// Delegate that receives motion changes.
public protocol MotionActivityHandlerDelegate: AnyObject {
  /// Called immediately for each reading that changes ``MotionActivityHandlerProtocol/isAutomotive``.
  func motionHandler(_ handler: any MotionActivityHandlerProtocol, didDetectAutomotive isAutomotive: Bool)
  /// Called after the debounce. Trips start and end on this call.
  func motionHandler(_ handler: any MotionActivityHandlerProtocol, didConfirmAutomotive isAutomotive: Bool)
  /// Called for each reading that changes ``MotionActivityHandlerProtocol/currentState``.
  func motionHandler(_ handler: any MotionActivityHandlerProtocol, didChangeState state: MotionState)
}
