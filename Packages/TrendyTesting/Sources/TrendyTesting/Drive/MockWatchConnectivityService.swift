public import TrendyProtocols

/// Watch service that records its calls and simulates requests from the watch.
public final class MockWatchConnectivityService: WatchConnectivityServiceProtocol {
  public weak var delegate: (any WatchConnectivityServiceDelegate)?
  /// Whether a watch is paired.
  public var isPaired = true
  /// Whether the watch has the app.
  public var isWatchAppInstalled = true
  /// Whether the watch is reachable.
  public var isReachable = true

  /// Whether `setup()` was called.
  public private(set) var setupCalled = false
  /// Whether `syncConfig(email:apiUrl:token:)` was called.
  public private(set) var syncConfigCalled = false
  /// Whether `syncToken(_:)` was called.
  public private(set) var syncTokenCalled = false
  /// Whether `notifyTripStarted()` was called.
  public private(set) var notifyTripStartedCalled = false
  /// Whether `updateTripActiveState(_:)` was called.
  public private(set) var updateTripActiveStateCalled = false
  /// Last email address sent to the watch.
  public private(set) var lastSyncedEmail: String?
  /// Last hub address sent to the watch.
  public private(set) var lastSyncedApiUrl: String?
  /// Last token sent to the watch.
  public private(set) var lastSyncedToken: String?
  /// Last trip state sent to the watch.
  public private(set) var lastTripActiveState: Bool?
  /// Number of calls to `notifyTripStarted()`.
  public private(set) var tripStartNotificationCount = 0
  /// Delegate responses to simulated token requests, oldest first.
  public private(set) var tokenAnswers: [String?] = []

  /// Creates a service with a paired, reachable watch that has the app.
  public init() {}

  /// Records the call.
  public func setup() { setupCalled = true }

  /// Records the configuration.
  public func syncConfig(email: String, apiUrl: String, token: String) {
    syncConfigCalled = true
    lastSyncedEmail = email
    lastSyncedApiUrl = apiUrl
    lastSyncedToken = token
  }

  /// Records the token.
  public func syncToken(_ token: String) {
    syncTokenCalled = true
    lastSyncedToken = token
  }

  /// Records the notification.
  public func notifyTripStarted() {
    notifyTripStartedCalled = true
    tripStartNotificationCount += 1
  }

  /// Records the trip state.
  public func updateTripActiveState(_ isActive: Bool) {
    updateTripActiveStateCalled = true
    lastTripActiveState = isActive
  }

  /// Requests a token from the delegate, as a watch does after a reinstallation. The response is added to
  /// ``tokenAnswers``.
  public func simulateTokenRequest() {
    delegate?.watchConnectivityService(self) { [weak self] token in self?.tokenAnswers.append(token) }
  }

  /// Notifies the delegate that the session has been activated.
  public func simulateActivation() {
    delegate?.watchConnectivityServiceDidActivate(self)
  }

  /// Resets everything except the delegate. The watch is paired and reachable again.
  public func reset() {
    isPaired = true
    isWatchAppInstalled = true
    isReachable = true
    setupCalled = false
    syncConfigCalled = false
    syncTokenCalled = false
    notifyTripStartedCalled = false
    updateTripActiveStateCalled = false
    lastSyncedEmail = nil
    lastSyncedApiUrl = nil
    lastSyncedToken = nil
    lastTripActiveState = nil
    tripStartNotificationCount = 0
    tokenAnswers = []
  }
}

@available(*, unavailable) extension MockWatchConnectivityService: Sendable {}
