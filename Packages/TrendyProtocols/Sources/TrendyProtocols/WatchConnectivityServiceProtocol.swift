/// The person's watch, or another companion device.
///
/// What it is given is delivered for certain, in order and once, when it can be reached; nothing here waits for that.
public protocol WatchConnectivityServiceProtocol: AnyObject {
  /// Held weakly.
  var delegate: (any WatchConnectivityServiceDelegate)? { get set }
  var isPaired: Bool { get }
  var isWatchAppInstalled: Bool { get }
  var isReachable: Bool { get }

  /// Called once, before all else; the delegate is told when the connection stands.
  func setup()
  /// All that it needs to speak with the hub by itself.
  func syncConfig(email: String, apiUrl: String, token: String)
  /// A new token in place of the last one.
  func syncToken(_ token: String)
  /// Once for each trip, when it starts.
  func notifyTripStarted()
  /// Whether a trip goes on, each time that changes; a newer one replaces one not yet delivered.
  func updateTripActiveState(_ isActive: Bool)
}

/// Is asked by the watch.
public protocol WatchConnectivityServiceDelegate: AnyObject {
  /// `completion` is called once, with `nil` when there is no token.
  func watchConnectivityService(
    _ service: any WatchConnectivityServiceProtocol, requestsAuthToken completion: @escaping (String?) -> Void)
  /// The connection stands: what is set up now is delivered.
  func watchConnectivityServiceDidActivate(_ service: any WatchConnectivityServiceProtocol)
}
