import Foundation
import Observation
import TrendyModels
import TrendyProtocols

/// Trip in progress, for display in a view.
@MainActor @Observable
public final class LiveTrip: @MainActor LiveActivityManagerProtocol {
  public private(set) var isActivityRunning = false
  public private(set) var state: LiveActivityState?

  public func startActivity(carName: String, startTime: Date) {
    isActivityRunning = true
    state = nil
  }

  public func updateActivity(state: LiveActivityState) { self.state = state }
  public func endActivity(keepVisibleForSeconds: TimeInterval) { isActivityRunning = false }
}

/// Companion of a device without a watch.
final class NoWatch: WatchConnectivityServiceProtocol {
  weak var delegate: (any WatchConnectivityServiceDelegate)?
  let isPaired = false
  let isWatchAppInstalled = false
  let isReachable = false

  func setup() {}
  func syncConfig(email: String, apiUrl: String, token: String) {}
  func syncToken(_ token: String) {}
  func notifyTripStarted() {}
  func updateTripActiveState(_ isActive: Bool) {}
}
