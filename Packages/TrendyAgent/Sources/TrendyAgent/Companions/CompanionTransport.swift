import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Transfers notices between this device and the hub in both directions.
///
/// The transport can be recreated at any time, because unacknowledged notices are sent again, and each side stores
/// which notices it has received.
public actor CompanionTransport {
  /// New hub address or token from a notice.
  public struct Move: Hashable, Sendable {
    /// Address of the hub as received, not validated.
    public var hub: String?
    public var token: String?
  }

  /// Access to the companion store, which is created only for the first companion.
  public struct Store: Sendable {
    fileprivate let exists: @Sendable () -> Bool
    fileprivate let open: @Sendable () throws -> CompanionStore

    /// Creates access to a store. `open` creates the store if it does not exist.
    public init(exists: @escaping @Sendable () -> Bool, open: @escaping @Sendable () throws -> CompanionStore) {
      self.exists = exists
      self.open = open
    }
  }

  private let client: any CompanionClientProtocol
  private let account: Account
  private let clock: any TimeSource
  private let store: Store
  private let carryOut: @Sendable (Move) async throws -> Bool
  private let onReceived: @Sendable (_ from: String, _ notices: [CompanionNotice]) -> Void
  private var openStore: CompanionStore?

  /// Creates a transport.
  /// - Parameters:
  ///   - client: Sends requests to the hub.
  ///   - account: Provides this device's id at the hub, and the hub address for companions.
  ///   - clock: Dates the notices.
  ///   - store: Access to the companion store.
  ///   - carryOut: Switches to another hub. Returns `false` if the switch is not possible yet, and is then called again
  ///     in the next round.
  ///   - onReceived: Called with the name of the sender and its new notices.
  public init(
    client: any CompanionClientProtocol, account: Account, clock: any TimeSource, store: Store,
    carryOut: @escaping @Sendable (Move) async throws -> Bool,
    onReceived: @escaping @Sendable (_ from: String, _ notices: [CompanionNotice]) -> Void = { _, _ in }
  ) {
    self.client = client
    self.account = account
    self.clock = clock
    self.store = store
    self.carryOut = carryOut
    self.onReceived = onReceived
  }

  /// Runs one round: updates the links, sends pending notices and receives new notices.
  /// - Returns: Whether other devices send notices to this device.
  /// - Throws: Errors from the client, the store or `carryOut`.
  public func round() async throws -> Bool {
    var companions = try await client.companions()
    guard openStore != nil || !companions.isEmpty || store.exists() else { return false }
    do {
      let store = try openStore ?? self.store.open()
      openStore = store
      for lost in try store.update(with: companions, deviceId: account.deviceId) where lost.role == .tracker {
        if let made = try await remake(lost, in: store) { companions.append(made) }
      }
      let links = try store.links()
      for link in links {
        // Skip a link that a restored hub does not know. The tracker recreates the link in its next round.
        guard let known = companions.first(where: { $0.id == link.id }) else { continue }
        switch link.role {
        case .tracker: try await handOver(link, known: known, in: store)
        case .companion: try await take(link, in: store)
        }
      }
      while try store.maintain() {}
      return links.contains { $0.role == .companion }
    } catch {
      openStore = nil
      throw error
    }
  }

  private func remake(_ link: CompanionStore.Link, in store: CompanionStore) async throws -> APICompanion? {
    do {
      return try await client.makeCompanion(deviceId: link.peerId)
    } catch let error as APIError where error.statusCode == 404 {
      // Delete the link: the hub does not know the other device either, so the notices have no receiver.
      try store.forget(link.id)
      return nil
    }
  }

  private func handOver(_ link: CompanionStore.Link, known: APICompanion, in store: CompanionStore) async throws {
    let configuration = "\(account.user) \(account.hub.absoluteString)"
    if link.sentConfiguration != configuration {
      let draft = CompanionStore.Draft(
        kind: CompanionNotice.Kind.config,
        data: ["account": .string(account.user), "hub_url": .string(account.hub.absoluteString)])
      try store.tell([draft], at: clock.now, only: link.id, sentConfiguration: configuration)
    }
    try store.acknowledge(link.id, through: known.acknowledgedThrough)
    var acknowledged = max(link.acknowledgedThrough, known.acknowledgedThrough)
    // Start with the first notice that the hub lacks, because a restored hub may have lost notices.
    var after = max(acknowledged, known.heldThrough)
    while true {
      let notices = try store.waiting(for: link.id, after: after, limit: 100)
      guard let last = notices.last else { return }
      let answer = try await client.send(
        CompanionNoticesRequest(acknowledgedThrough: acknowledged, notices: notices), toCompanion: link.id)
      try store.acknowledge(link.id, through: answer.acknowledgedThrough)
      acknowledged = max(acknowledged, answer.acknowledgedThrough)
      guard answer.heldThrough >= last.sequence else { return }
      after = last.sequence
    }
  }

  private func take(_ link: CompanionStore.Link, in store: CompanionStore) async throws {
    var after = link.lastSequence
    while true {
      // Name the last durably stored notice in the request, so that the hub can delete the notices up to it.
      let page = try await client.notices(ofCompanion: link.id, after: after, limit: 100)
      let new = try store.take(page.notices, over: link.id)
      if !new.isEmpty { onReceived(link.peerName, new) }
      try await settle(link.id, in: store)
      // End the loop if a page contains no later notices.
      guard let last = page.notices.last, last.sequence > after else { return }
      after = last.sequence
    }
  }

  private func settle(_ id: String, in store: CompanionStore) async throws {
    guard let link = try store.links().first(where: { $0.id == id }) else { return }
    let notices = try store.unsettled(link)
    for notice in notices where [CompanionNotice.Kind.config, CompanionNotice.Kind.token].contains(notice.kind) {
      let isSettled = try await carryOut(
        Move(hub: notice.data["hub_url"]?.stringValue, token: notice.data["token"]?.stringValue))
      guard isSettled else { return try store.settle(id, through: notice.sequence - 1) }
    }
    if let last = notices.last { try store.settle(id, through: last.sequence) }
  }
}
