import AgentLink
import AppContainer
public import TrendyAgent
public import TrendyModels
import TrendyNetworking
import TrendyProtocols

extension NetworkContainer {
  /// Returns the courier that sends notices to the companions of this device and receives those of other devices.
  /// - Parameters:
  ///   - account: account on the hub.
  ///   - onReceived: called with received notices and the name of the sending device.
  public func makeCourier(
    for account: Account,
    onReceived: @escaping @Sendable (_ from: String, _ notices: [CompanionNotice]) -> Void = { _, _ in }
  ) throws -> CompanionTransport {
    let directory = app.storeDirectory
    return CompanionTransport(
      client: try makeAPIClient(for: account), account: account, clock: app.clock,
      store: CompanionTransport.Store(
        exists: { CompanionStore.exists(storeDirectory: directory) },
        open: { try CompanionStore(storeDirectory: directory) }),
      carryOut: { [app] in try await Self.carryOut($0, of: app) }, onReceived: onReceived)
  }

  /// Returns a stream with an element whenever the hub may have notices for this device.
  public func companionSignals(for account: Account) throws -> AsyncThrowingStream<Void, any Error> {
    try makeAPIClient(for: account).companionSignals()
  }

  /// Switches to another hub address or token after the hub there has confirmed the same user. Unconfirmed changes are
  /// ignored, so that a wrong notice cannot disconnect the device.
  /// - Returns: `false` if the hub could not be reached yet.
  private static func carryOut(_ move: CompanionTransport.Move, of app: AppContainer) async throws -> Bool {
    guard let present = try app.accountFile.load() else { return true }
    var wanted = present
    if let hub = move.hub {
      // An invalid address is ignored.
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
      guard identity.user == present.user else { return true }
      wanted.deviceId = identity.deviceId
    } catch let error as APIError {
      return !error.isTransient
    }
    try app.accountFile.save(wanted)
    app.agent.send()
    return true
  }
}
