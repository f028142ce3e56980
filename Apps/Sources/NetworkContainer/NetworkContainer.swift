public import AppContainer
import CommandSupport
public import TrendyAgent
public import TrendyFoundation
public import TrendyModels
import TrendyNetworking
public import TrendyProtocols
public import TrendySync

/// Composes the parts that need the network: hub client and sync engine.
public struct NetworkContainer: Sendable {
  /// The parts that need no network.
  public let app: AppContainer

  /// Creates the network parts of an open store.
  public init(app: AppContainer) {
    self.app = app
  }

  /// Pairs the store in a folder with a hub. A missing store is created only after the hub has accepted.
  ///
  /// A store belongs to one user: pairing again requires the same account, unless the hub was lost and is rebuilt from
  /// the store.
  ///
  /// - Parameters:
  ///   - storeDirectory: folder of the store.
  ///   - clock: source of the time.
  ///   - hub: address of the hub.
  ///   - code: pairing code.
  ///   - deviceName: name of this device on the hub.
  ///   - allowsInsecureHTTP: whether to accept an address without TLS.
  ///   - isRebuilding: accepts any account. The next sync uploads the whole record including deletions, merged with the
  ///     data of other devices.
  /// - Returns: the network parts of the store, and the account on the hub.
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
      // The request names the owner of the record, so that a rejected code stays valid.
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

  /// Client of the hub. The token is read before each request, so that a new pairing takes effect; a token of another
  /// address is never sent.
  public func makeClient(for account: Account) throws -> any NetworkClientProtocol { try makeAPIClient(for: account) }

  func makeAPIClient(for account: Account) throws -> APIClient {
    let file = app.accountFile
    return try APIClient(
      baseURL: account.hub, token: { try file.load().flatMap { $0.hub == account.hub ? $0.token : nil } },
      clock: app.clock,
      allowsInsecureHTTP: account.allowsInsecureHTTP ?? false, report: { [app] in Self.report(of: app) })
  }

  /// Number of pending changes, reported for the other devices; omitted if it cannot be read.
  private static func report(of app: AppContainer) -> DeviceReport? {
    let store = app.makeStore()
    guard let waiting = try? store.syncCounts().pending else { return nil }
    let oldest = waiting > 0 ? try? store.firstPendingMutations(1).first?.createdAt : nil
    return DeviceReport(version: Version.text, waiting: waiting, oldest: oldest)
  }

  /// Explanation of an event that the hub detected.
  public func explanation(ofEvent id: String, for account: Account) async throws -> APIExplanation {
    try await makeAPIClient(for: account).explanation(ofEvent: id)
  }

  /// Running trips of devices that post to the hub.
  public func liveTrips(for account: Account) async throws -> LiveTripsResponse {
    try await makeAPIClient(for: account).liveTrips()
  }

  /// Returns a sync engine for the store.
  /// - Parameters:
  ///   - account: account on the hub.
  ///   - lock: lock from ``lockForSync()``, for an engine that runs rounds.
  ///   - configuration: intervals and limits of the engine.
  public func makeEngine(
    for account: Account, holding lock: (any Sendable)? = nil, configuration: SyncConfiguration = .init()
  ) throws -> SyncEngine {
    SyncEngine(
      networkClient: try makeClient(for: account), dataStoreFactory: app.dataStoreFactory, clock: app.clock,
      configuration: configuration, history: app.syncHistory, syncLock: lock)
  }

  /// Acquires the sync lock, which is released with the value; `nil` while another process holds it.
  public func lockForSync() throws -> (any Sendable)? {
    // Calls the protocol requirement, because this file would otherwise use its default implementation.
    let factory: any DataStoreFactory = app.dataStoreFactory
    return try factory.lockForSync()
  }
}

/// Reason why a store could not be paired.
public enum ConnectError: Error, Hashable, Sendable {
  /// The store belongs to another user, or to this user on a lost hub.
  case otherPerson
}
