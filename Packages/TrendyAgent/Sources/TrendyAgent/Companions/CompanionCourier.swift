import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Carries notices between this device and the hub, both ways: what it tells its companions, and what it is told as one.
///
/// It keeps nothing that matters: what was not confirmed is carried again, and each side knows what it has.
public actor CompanionCourier {
  /// The hub that a companion was told to go to.
  public struct Move: Hashable, Sendable {
    /// An address; what it is, who carries it out must find out.
    public var hub: String?
    public var token: String?
  }

  /// Where what this device tells and was told is kept.
  public struct Store: Sendable {
    fileprivate let exists: @Sendable () -> Bool
    fileprivate let open: @Sendable () throws -> CompanionStore

    /// - Parameters:
    ///   - exists: whether there is one already; it is made when there is a companion.
    ///   - open: opens it, or makes it.
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
  /// Opened when there is a companion, and anew after it failed.
  private var openStore: CompanionStore?

  /// - Parameters:
  ///   - client: asks the hub.
  ///   - account: which device this is at the hub, and where its companions find it.
  ///   - clock: says when a notice was told.
  ///   - store: where what is told is kept.
  ///   - carryOut: goes over to another hub; `false` for what can only be known later, and is asked again in the next round.
  ///   - onReceived: is given what was taken, and the name of the device that told it.
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

  /// Goes once: learns who tells whom, hands over what waits, takes what is there.
  /// - Returns: whether this device is told anything by others.
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
        // Whom the hub does not know as a tracker, after it was restored, makes the link anew when it comes again.
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

  /// The hub does not know of it at all, not even that it was ended: it was restored from a time before.
  private func remake(_ link: CompanionStore.Link, in store: CompanionStore) async throws -> APICompanion? {
    do {
      return try await client.makeCompanion(deviceId: link.peerId)
    } catch let error as APIError where error.statusCode == 404 {
      // Nor of the device: there is nobody to tell any more.
      try store.forget(link.id)
      return nil
    }
  }

  private func handOver(_ link: CompanionStore.Link, known: APICompanion, in store: CompanionStore) async throws {
    let configuration = "\(account.person) \(account.hub.absoluteString)"
    if link.toldConfiguration != configuration {
      let draft = CompanionStore.Draft(
        kind: CompanionNotice.Kind.config,
        data: ["account": .string(account.person), "hub_url": .string(account.hub.absoluteString)])
      try store.tell([draft], at: clock.now, only: link.id, toldConfiguration: configuration)
    }
    try store.acknowledge(link.id, through: known.acknowledgedThrough)
    var acknowledged = max(link.acknowledgedThrough, known.acknowledgedThrough)
    // A hub that was restored holds less than before, and is given it again.
    var after = max(acknowledged, known.heldThrough)
    while true {
      let notices = try store.waiting(for: link.id, after: after, limit: 100)
      guard let last = notices.last else { return }
      let answer = try await client.send(
        CompanionNoticesRequest(acknowledgedThrough: acknowledged, notices: notices), toCompanion: link.id)
      try store.acknowledge(link.id, through: answer.acknowledgedThrough)
      acknowledged = max(acknowledged, answer.acknowledgedThrough)
      // What it did not take stays here, and is given in the next round.
      guard answer.heldThrough >= last.sequence else { return }
      after = last.sequence
    }
  }

  private func take(_ link: CompanionStore.Link, in store: CompanionStore) async throws {
    var after = link.lastSequence
    while true {
      // Asked for behind what is durable here: so the hub learns what it may forget.
      let page = try await client.notices(ofCompanion: link.id, after: after, limit: 100)
      let new = try store.take(page.notices, over: link.id)
      if !new.isEmpty { onReceived(link.peerName, new) }
      try await settle(link.id, in: store)
      // A page that leads nowhere is the last, whatever comes with it.
      guard let last = page.notices.last, last.sequence > after else { return }
      after = last.sequence
    }
  }

  /// Carries out the configurations and tokens that came, the last of them last.
  private func settle(_ id: String, in store: CompanionStore) async throws {
    guard let link = try store.links().first(where: { $0.id == id }) else { return }
    let notices = try store.unsettled(link)
    for notice in notices where [CompanionNotice.Kind.config, CompanionNotice.Kind.token].contains(notice.kind) {
      let isSettled = try await carryOut(
        Move(hub: notice.data["hub_url"]?.stringValue, token: notice.data["token"]?.stringValue))
      // Asked again in the next round; what comes after it is taken meanwhile.
      guard isSettled else { return try store.settle(id, through: notice.sequence - 1) }
    }
    if let last = notices.last { try store.settle(id, through: last.sequence) }
  }
}
