public import AppContainer
import CommandSupport
public import TrendyAgent
public import TrendyFoundation
public import TrendyModels
import TrendyNetworking
public import TrendyProtocols
public import TrendySync

/// Composes what needs the network: the client of the hub, the engine that syncs.
public struct NetworkContainer: Sendable {
  public let app: AppContainer

  public init(app: AppContainer) {
    self.app = app
  }

  /// Pairs the store in a folder with a hub. Where there is none yet, it is made when the hub has said yes: what fails leaves nothing.
  ///
  /// A store stays with its user: pairing again after a token was lost is possible with the same account only, except where the hub
  /// was lost and is rebuilt from the store.
  ///
  /// - Parameter isRebuilding: takes whichever account the code is of. The next sync finds that the hub has nothing of this record, and
  ///   offers all of it, deletions included; what the account's other devices have offered is merged.
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
      // The hub is told whose record this is, so that a code that is refused is not used up by it.
      paired = try await APIClient.pair(
        baseURL: address.url, code: code, deviceName: deviceName, person: owner, clock: clock,
        allowsInsecureHTTP: allowsInsecureHTTP)
    } catch APIError.problem(let problem, _) where problem.type == ProblemDetails.otherPerson {
      throw ConnectError.otherPerson
    }
    if let owner, owner != paired.person { throw ConnectError.otherPerson }
    let account = Account(
      hub: address.url, token: paired.token, deviceId: paired.deviceId, person: paired.person,
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

  /// The client of the account's hub. The token is read before each request, so that pairing anew is noticed; one that
  /// another address gave is not told to this one.
  public func makeClient(for account: Account) throws -> any NetworkClientProtocol { try makeAPIClient(for: account) }

  func makeAPIClient(for account: Account) throws -> APIClient {
    let file = app.accountFile
    return try APIClient(
      baseURL: account.hub, token: { try file.load().flatMap { $0.hub == account.hub ? $0.token : nil } },
      clock: app.clock,
      allowsInsecureHTTP: account.allowsInsecureHTTP ?? false, report: { [app] in Self.report(of: app) })
  }

  /// What waits here, for the person's other devices. What cannot be read is not said: the request matters more.
  private static func report(of app: AppContainer) -> DeviceReport? {
    let store = app.makeStore()
    guard let waiting = try? store.syncCounts().pending else { return nil }
    let oldest = waiting > 0 ? try? store.firstPendingMutations(1).first?.createdAt : nil
    return DeviceReport(version: Version.text, waiting: waiting, oldest: oldest)
  }

  /// How the hub found an event in what a device posted there.
  public func explanation(ofEvent id: String, for account: Account) async throws -> APIExplanation {
    try await makeAPIClient(for: account).explanation(ofEvent: id)
  }

  /// What goes on, as far as devices post to the hub.
  public func liveTrips(for account: Account) async throws -> LiveTripsResponse {
    try await makeAPIClient(for: account).liveTrips()
  }

  /// - Parameter lock: of ``lockForSync()``, for one that makes rounds.
  public func makeEngine(
    for account: Account, holding lock: (any Sendable)? = nil, configuration: SyncConfiguration = .init()
  ) throws -> SyncEngine {
    SyncEngine(
      networkClient: try makeClient(for: account), dataStoreFactory: app.dataStoreFactory, clock: app.clock,
      configuration: configuration, history: app.syncHistory, syncLock: lock)
  }

  /// The right to sync this store, given up when the value goes; `nil` while another process has it.
  public func lockForSync() throws -> (any Sendable)? {
    // By the requirement: this file sees the protocol's default, and not the factory's own method.
    let factory: any DataStoreFactory = app.dataStoreFactory
    return try factory.lockForSync()
  }
}

/// Why a store was not paired.
public enum ConnectError: Error, Hashable, Sendable {
  /// It holds another user's record, or that of this user from before the hub was lost.
  case otherPerson
}
