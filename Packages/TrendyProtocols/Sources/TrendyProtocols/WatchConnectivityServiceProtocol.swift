/// Connection to the user's watch or another companion device.
///
/// Messages are delivered exactly once and in order as soon as the companion is reachable. No method waits for
/// delivery.
public protocol WatchConnectivityServiceProtocol: AnyObject {
  /// Receives requests from the watch. Held weakly.
  var delegate: (any WatchConnectivityServiceDelegate)? { get set }
  var isPaired: Bool { get }
  var isWatchAppInstalled: Bool { get }
  var isReachable: Bool { get }

  /// Activates the connection. The delegate is notified when it is active. Called once, before all other methods.
  func setup()
  /// Sends the account, address and token that the watch uses to connect to the hub directly.
  func syncConfig(email: String, apiUrl: String, token: String)
  /// Sends a token that replaces the previous token.
  func syncToken(_ token: String)
  /// Notifies the watch that a trip has started. Called once per trip.
  func notifyTripStarted()
  /// Sends whether a trip is in progress, on every change. A new value replaces any value that has not been delivered
  /// yet.
  func updateTripActiveState(_ isActive: Bool)
}

/// Delegate that receives requests from the watch.
public protocol WatchConnectivityServiceDelegate: AnyObject {
  /// Called when the watch needs a token. Call `completion` once, with `nil` if there is no token.
  func watchConnectivityService(
    _ service: any WatchConnectivityServiceProtocol, requestsAuthToken completion: @escaping (String?) -> Void)
  /// Called when the connection is active. Messages are delivered from then on.
  func watchConnectivityServiceDidActivate(_ service: any WatchConnectivityServiceProtocol)
}
