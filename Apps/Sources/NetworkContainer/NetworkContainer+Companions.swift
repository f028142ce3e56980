import AgentLink
import AppContainer
public import TrendyAgent
public import TrendyModels
import TrendyNetworking
import TrendyProtocols

extension NetworkContainer {
  /// Returns the transport that sends notices to companions of this device and receives notices from other devices.
  ///
  /// `onReceived` is called with received notices and the name of the device that sent them.
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

  /// Returns a stream that yields an element when the hub may have notices for this device.
  public func companionSignals(for account: Account) throws -> AsyncThrowingStream<Void, any Error> {
    try makeAPIClient(for: account).companionSignals()
  }

  /// Applies a notice that changes the hub's URL or token, once the hub at the new URL has confirmed the user.
  ///
  /// A change that cannot be confirmed is ignored, so that an incorrect notice cannot disconnect this device.
  /// - Returns: `false` if the hub at the new URL could not be reached and the notice should be processed again.
  private static func carryOut(_ move: CompanionTransport.Move, of app: AppContainer) async throws -> Bool {
    guard let present = try app.accountFile.load() else { return true }
    var wanted = present
    if let hub = move.hub {
      // Ignore a notice with an invalid address, because processing it again would not help.
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
