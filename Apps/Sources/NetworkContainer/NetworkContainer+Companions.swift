import AgentLink
import AppContainer
public import TrendyAgent
public import TrendyModels
import TrendyNetworking
import TrendyProtocols

extension NetworkContainer {
  /// Carries what the store's device tells its companions, and what it is told as one.
  /// - Parameter onReceived: is given what was taken, and the name of the device that told it.
  public func makeCourier(
    for account: Account,
    onReceived: @escaping @Sendable (_ from: String, _ notices: [CompanionNotice]) -> Void = { _, _ in }
  ) throws -> CompanionCourier {
    let directory = app.storeDirectory
    return CompanionCourier(
      client: try makeAPIClient(for: account), account: account, clock: app.clock,
      store: CompanionCourier.Store(
        exists: { CompanionStore.exists(storeDirectory: directory) },
        open: { try CompanionStore(storeDirectory: directory) }),
      carryOut: { [app] in try await Self.carryOut($0, of: app) }, onReceived: onReceived)
  }

  /// Something may be at the hub for this device as a companion.
  public func companionSignals(for account: Account) throws -> AsyncThrowingStream<Void, any Error> {
    try makeAPIClient(for: account).companionSignals()
  }

  /// Goes over to another address, or another token, once the hub there knows this device's person by it. What does not
  /// prove itself is left: a device that is told nonsense must not lose its hub.
  /// - Returns: `false` for what can only be known later.
  private static func carryOut(_ move: CompanionCourier.Move, of app: AppContainer) async throws -> Bool {
    guard let present = try app.accountFile.load() else { return true }
    var wanted = present
    if let hub = move.hub {
      // What is no address is nonsense.
      guard let address = try? HubAddress(hub, allowsInsecureHTTP: present.allowsInsecureHTTP ?? false) else {
        return true
      }
      wanted.hub = address.url
    }
    if let token = move.token, !token.isEmpty { wanted.token = token }
    guard wanted != present else { return true }
    do {
      let identity = try await APIClient(
        baseURL: wanted.hub, token: wanted.token, clock: app.clock,
        allowsInsecureHTTP: wanted.allowsInsecureHTTP ?? false
      ).identity()
      guard identity.person == present.person else { return true }
      wanted.deviceId = identity.deviceId
    } catch let error as APIError {
      return !error.isTransient
    }
    try app.accountFile.save(wanted)
    app.agent.send()
    return true
  }
}
