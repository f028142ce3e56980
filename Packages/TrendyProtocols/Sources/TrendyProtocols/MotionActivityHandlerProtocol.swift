#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels

/// Tells how a person moves, and when it is certain that they drive.
public protocol MotionActivityHandlerProtocol: AnyObject {
  /// Held weakly.
  var delegate: (any MotionActivityHandlerDelegate)? { get set }
  var currentState: MotionState { get }
  var isAutomotive: Bool { get }
  /// Readings below it are passed over.
  var minimumConfidence: MotionActivity.Confidence { get set }
  /// Seconds of driving before it is confirmed.
  var automotiveDebounceSeconds: TimeInterval { get set }
  /// Seconds of anything else before the end of driving is confirmed.
  var nonAutomotiveDebounceSeconds: TimeInterval { get set }

  func setupMotionManager()
  func startActivityUpdates()
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
  func motionHandler(_ handler: any MotionActivityHandlerProtocol, didChangeState state: MotionState)
}
