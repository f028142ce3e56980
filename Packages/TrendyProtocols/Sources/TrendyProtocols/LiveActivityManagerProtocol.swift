public import TrendyFoundation
public import TrendyModels

/// Shows the trip that goes on: on a lock screen, a status bar, a dashboard.
public protocol LiveActivityManagerProtocol: AnyObject {
  /// From ``startActivity(carName:startTime:)`` to ``endActivity(keepVisibleForSeconds:)``.
  var isActivityRunning: Bool { get }

  /// Called while none runs.
  func startActivity(carName: String, startTime: Date)
  /// Does nothing when none runs.
  func updateActivity(state: LiveActivityState)
  /// The last state stays in sight for so many seconds. Does nothing when none runs.
  func endActivity(keepVisibleForSeconds: TimeInterval)
}
