#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels

/// Shows the trip that goes on: on a lock screen, a status bar, a dashboard.
public protocol LiveActivityManagerProtocol: AnyObject {
  var isActivityRunning: Bool { get }

  func startActivity(carName: String, startTime: Date)
  func updateActivity(state: LiveActivityState)
  /// The last state stays in sight for so many seconds.
  func endActivity(keepVisibleForSeconds: TimeInterval)
}
