public import TrendyProtocols

/// A watch that records what it was told and asks when a test says so.
public final class MockWatchConnectivityService: WatchConnectivityServiceProtocol {
  public weak var delegate: (any WatchConnectivityServiceDelegate)?
  public var isPaired = true
  public var isWatchAppInstalled = true
  public var isReachable = true

  public private(set) var setupCalled = false
  public private(set) var syncConfigCalled = false
  public private(set) var syncTokenCalled = false
  public private(set) var notifyTripStartedCalled = false
  public private(set) var updateTripActiveStateCalled = false
  public private(set) var lastSyncedEmail: String?
  public private(set) var lastSyncedApiUrl: String?
  public private(set) var lastSyncedToken: String?
  public private(set) var lastTripActiveState: Bool?
  public private(set) var tripStartNotificationCount = 0
  /// What the delegate answered to each simulated request for a token, in order.
  public private(set) var tokenAnswers: [String?] = []

  public init() {}

  public func setup() { setupCalled = true }

  public func syncConfig(email: String, apiUrl: String, token: String) {
    syncConfigCalled = true
    lastSyncedEmail = email
    lastSyncedApiUrl = apiUrl
    lastSyncedToken = token
  }

  public func syncToken(_ token: String) {
    syncTokenCalled = true
    lastSyncedToken = token
  }

  public func notifyTripStarted() {
    notifyTripStartedCalled = true
    tripStartNotificationCount += 1
  }

  public func updateTripActiveState(_ isActive: Bool) {
    updateTripActiveStateCalled = true
    lastTripActiveState = isActive
  }

  /// Asks the delegate for a token, as the watch does after it was reinstalled. The answer is in ``tokenAnswers``.
  public func simulateTokenRequest() {
    delegate?.watchConnectivityService(self) { [weak self] token in self?.tokenAnswers.append(token) }
  }

  public func simulateActivation() {
    delegate?.watchConnectivityServiceDidActivate(self)
  }

  /// Forgets everything but the delegate; paired, installed and reachable again.
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
