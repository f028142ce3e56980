public import AppContainer
import CommandSupport
public import TrendyAgent
public import TrendyFoundation
public import TrendyModels
import TrendyNetworking
public import TrendyProtocols
public import TrendySync

/// Components that need the network: the client for the hub and the sync engine.
public struct NetworkContainer: Sendable {
  /// Components that need no network.
  public let app: AppContainer

  /// Creates the network components for an open store.
  public init(app: AppContainer) {
    self.app = app
  }

  /// Pairs the store in a folder with a hub.
  ///
  /// The store is created if it does not exist, but only after the hub has accepted the code. A store belongs to one
  /// user and can only be paired with an account of that user, unless the hub was lost and is being rebuilt from the
  /// store.
  ///
  /// `isRebuilding` accepts any account. The next sync then uploads the whole record, including deletions, and merges
  /// it with data from other devices.
  /// - Throws: ``ConnectError`` if the store belongs to another user, or an error for the address, the request or the
  ///   store.
  public static func connect(
    storeDirectory: URL, clock: any TimeSource = SystemTime(), hub: String, code: String, deviceName: String,
    allowsInsecureHTTP: Bool, isRebuilding: Bool = false
  ) async throws -> (network: NetworkContainer, account: Account) {
    let address = try HubAddress(hub, allowsInsecureHTTP: allowsInsecureHTTP)
    let present =
      DeviceRecord.exists(at: storeDirectory) ? try AppContainer(storeDirectory: storeDirectory, clock: clock) : nil
    let owner = isRebuilding ? nil : try AccountFile(storeDirectory: storeDirectory).owner()
    let paired: PairResponse
    do {
      // The request contains the owner of the store. If the code belongs to another user, the hub rejects it without
      // invalidating the code.
      paired = try await APIClient.pair(
        baseURL: address.url, code: code, deviceName: deviceName, user: owner, clock: clock,
        allowsInsecureHTTP: allowsInsecureHTTP)
    } catch APIError.problem(let problem, _) where problem.type == ProblemDetails.otherPerson {
      throw ConnectError.otherPerson
    }
    if let owner, owner != paired.user { throw ConnectError.otherPerson }
    let account = Account(
      hub: address.url, token: paired.token, deviceId: paired.deviceId, user: paired.user,
      allowsInsecureHTTP: allowsInsecureHTTP)
    let app = try present ?? AppContainer(storeDirectory: storeDirectory, clock: clock)
    if isRebuilding { try app.recorder.offerWithoutVersions() }
    do {
      try app.accountFile.save(account, isReplacingOwner: isRebuilding)
    } catch is AccountFile.OtherPersonError {
      throw ConnectError.otherPerson
    }
    return (NetworkContainer(app: app), account)
  }

  /// Returns a client for the hub.
  ///
  /// The client reads the token before each request, so that it uses the new token after the store is paired again. The
  /// client never sends a token that belongs to another URL.
  public func makeClient(for account: Account) throws -> any NetworkClientProtocol { try makeAPIClient(for: account) }

  func makeAPIClient(for account: Account) throws -> APIClient {
    let file = app.accountFile
    return try APIClient(
      baseURL: account.hub, token: { try file.load().flatMap { $0.hub == account.hub ? $0.token : nil } },
      clock: app.clock,
      allowsInsecureHTTP: account.allowsInsecureHTTP ?? false, report: { [app] in Self.report(of: app) })
  }

  /// Returns the report on this device that other devices can read, or `nil` if the store is unreadable.
  private static func report(of app: AppContainer) -> DeviceReport? {
    let store = app.makeStore()
    guard let waiting = try? store.syncCounts().pending else { return nil }
    let oldest = waiting > 0 ? try? store.firstPendingMutations(1).first?.createdAt : nil
    return DeviceReport(version: Version.text, waiting: waiting, oldest: oldest)
  }

  /// Returns the explanation of an event that the hub detected.
  public func explanation(ofEvent id: String, for account: Account) async throws -> APIExplanation {
    try await makeAPIClient(for: account).explanation(ofEvent: id)
  }

  /// Returns the running trips of devices that post positions to the hub.
  public func liveTrips(for account: Account) async throws -> LiveTripsResponse {
    try await makeAPIClient(for: account).liveTrips()
  }

  /// Returns a sync engine for the store, which can sync only while it holds a lock from ``lockForSync()``.
  public func makeEngine(
    for account: Account, holding lock: (any Sendable)? = nil, configuration: SyncConfiguration = .init()
  ) throws -> SyncEngine {
    SyncEngine(
      networkClient: try makeClient(for: account), dataStoreFactory: app.dataStoreFactory, clock: app.clock,
      configuration: configuration, history: app.syncHistory, syncLock: lock)
  }

  /// Acquires the sync lock, which is released when the returned value is deallocated. Returns `nil` if another process
  /// holds it.
  public func lockForSync() throws -> (any Sendable)? {
    // Called through the protocol. A direct call would select the default implementation of a protocol extension.
    let factory: any DataStoreFactory = app.dataStoreFactory
    return try factory.lockForSync()
  }
}

/// Reason why a store cannot be paired with a hub.
public enum ConnectError: Error, Hashable, Sendable {
  /// The store belongs to another user, or to a user of a hub that was lost.
  case otherPerson
}
