/// The person's watch, or another companion device.
public protocol WatchConnectivityServiceProtocol: AnyObject {
  /// Held weakly.
  var delegate: (any WatchConnectivityServiceDelegate)? { get set }
  var isPaired: Bool { get }
  var isWatchAppInstalled: Bool { get }
  var isReachable: Bool { get }

  func setup()
  func syncConfig(email: String, apiUrl: String, token: String)
  func syncToken(_ token: String)
  func notifyTripStarted()
  func updateTripActiveState(_ isActive: Bool)
}

/// Is asked by the watch.
public protocol WatchConnectivityServiceDelegate: AnyObject {
  /// `completion` is called once, with `nil` when there is no token.
  func watchConnectivityService(
    _ service: any WatchConnectivityServiceProtocol, requestsAuthToken completion: @escaping (String?) -> Void)
  func watchConnectivityServiceDidActivate(_ service: any WatchConnectivityServiceProtocol)
}
