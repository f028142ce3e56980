public import TrendyFoundation
public import TrendyModels

/// Display of the trip in progress, for example on a lock screen, in a status bar or on a dashboard.
public protocol LiveActivityManagerProtocol: AnyObject {
  /// Whether an activity was started and has not been ended.
  var isActivityRunning: Bool { get }

  /// Starts an activity. Must not be called while one is running.
  func startActivity(carName: String, startTime: Date)
  /// Updates the running activity. Does nothing if none is running.
  func updateActivity(state: LiveActivityState)
  /// Ends the running activity; its last state remains visible for the given number of seconds. Does nothing if none is
  /// running.
  func endActivity(keepVisibleForSeconds: TimeInterval)
}
