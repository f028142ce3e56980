public import TrendyFoundation
public import TrendyModels

/// Display of the trip in progress, for example on a lock screen, in a status bar or on a dashboard.
public protocol LiveActivityManagerProtocol: AnyObject {
  /// Whether an activity has been started and not ended.
  var isActivityRunning: Bool { get }

  /// Starts an activity. Must not be called while another is running.
  func startActivity(carName: String, startTime: Date)
  /// Updates the running activity, if there is one.
  func updateActivity(state: LiveActivityState)
  /// Ends the running activity, if there is one. Its last state remains visible for the given number of seconds.
  func endActivity(keepVisibleForSeconds: TimeInterval)
}
