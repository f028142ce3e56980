public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// The person's companions in the place of a watch: what they are told waits in this store until they have it, in its order and
/// each once, and an agent carries it to them through the hub.
///
/// Used inside one isolation. A call that could not be kept is in ``failure``: who must know that a notice is safe uses
/// ``keep(toldTrips:_:)``, whose calls are one save.
public final class CompanionChannel: WatchConnectivityServiceProtocol {
  public weak var delegate: (any WatchConnectivityServiceDelegate)?
  /// What is said of the trip in the notices that follow: `id`, `device`, `start` and what else is known.
  public var trip: [String: JSONValue] = [:]
  /// Why the last call could not be kept.
  public private(set) var failure: (any Error)?

  private let store: CompanionStore
  private let clock: any TimeSource
  /// Notices that are to be one save, while there are such.
  private var drafts: [CompanionStore.Draft]?

  public init(store: CompanionStore, clock: any TimeSource) {
    self.store = store
    self.clock = clock
  }

  /// Whether there is a companion to tell.
  public var isPaired: Bool { !companions.isEmpty }
  /// A companion is a device that runs this program.
  public var isWatchAppInstalled: Bool { isPaired }
  /// Whether every companion has all that it was told.
  public var isReachable: Bool { isPaired && companions.allSatisfy { $0.acknowledgedThrough == $0.lastSequence } }

  private var companions: [CompanionStore.Link] {
    // A store that cannot be read has no companions to show; telling them says why.
    ((try? store.links()) ?? []).filter { $0.role == .tracker }
  }

  public func setup() { delegate?.watchConnectivityServiceDidActivate(self) }

  public func syncConfig(email: String, apiUrl: String, token: String) {
    var data: [String: JSONValue] = ["account": .string(email), "hub_url": .string(apiUrl)]
    // At a hub each device has a token of its own; only one that is meant for the companion is passed on.
    if !token.isEmpty { data["token"] = .string(token) }
    tell(CompanionStore.Draft(kind: CompanionNotice.Kind.config, data: data))
  }

  public func syncToken(_ token: String) {
    tell(CompanionStore.Draft(kind: CompanionNotice.Kind.token, data: ["token": .string(token)]))
  }

  public func notifyTripStarted() {
    tell(CompanionStore.Draft(kind: CompanionNotice.Kind.tripStarted, data: trip))
  }

  /// Each change is told; of those that wait a companion shows the last.
  public func updateTripActiveState(_ isActive: Bool) {
    tell(CompanionStore.Draft(kind: CompanionNotice.Kind.tripActive, data: ["active": .bool(isActive)]))
  }

  /// Tells that a trip is over, or was none.
  public func notifyTripEnded(isTrip: Bool) {
    let kind = isTrip ? CompanionNotice.Kind.tripEnded : CompanionNotice.Kind.tripCancelled
    tell(CompanionStore.Draft(kind: kind, data: trip))
  }

  /// Keeps all that is told in `body`, with the trips that companions believe to go on from then on: one save, or none.
  /// - Returns: whether there is anybody to tell.
  @discardableResult
  public func keep(toldTrips: [CompanionStore.ToldTrip], _ body: () -> Void) throws -> Bool {
    drafts = []
    body()
    let told = drafts ?? []
    drafts = nil
    return try store.tell(told, at: clock.now, toldTrips: toldTrips)
  }

  private func tell(_ draft: CompanionStore.Draft) {
    guard drafts == nil else {
      drafts?.append(draft)
      return
    }
    do {
      try store.tell([draft], at: clock.now)
      failure = nil
    } catch {
      failure = error
    }
  }
}

@available(*, unavailable) extension CompanionChannel: Sendable {}

extension CompanionChannel {
  /// Tells companions what of the open trips they do not know yet; again after a restart, which finds what was told before.
  /// - Parameters:
  ///   - open: the trips that go on.
  ///   - finished: what became of one that does not any more; `nil` where it was none.
  /// - Returns: whether anything was told.
  public func tell(open: [DeviceTrip], finished: (_ id: String) throws -> [String: JSONValue]?) throws -> Bool {
    let told = try store.toldTrips()
    let gone = told.filter { trip in !open.contains { $0.id == trip.id } }.sorted { $0.id < $1.id }
    let new = open.filter { trip in !told.contains { $0.id == trip.id } }
    guard !gone.isEmpty || !new.isEmpty, isPaired else { return false }
    let endings = try gone.map { ($0, try finished($0.id)) }
    return try keep(toldTrips: open.map { CompanionStore.ToldTrip(id: $0.id, device: $0.device) }) {
      for (known, ending) in endings {
        trip = ["id": .string(known.id), "device": .string(known.device)]
        trip.merge(ending ?? [:]) { $1 }
        notifyTripEnded(isTrip: ending != nil)
      }
      for start in new {
        trip = [
          "id": .string(start.id), "device": .string(start.device), "start": .string(RFC3339.string(from: start.start)),
        ]
        notifyTripStarted()
      }
      if told.isEmpty != open.isEmpty { updateTripActiveState(!open.isEmpty) }
      trip = [:]
    }
  }

  /// A trip that goes on.
  public struct DeviceTrip: Hashable, Sendable {
    public var id: String
    public var device: String
    public var start: Date

    public init(id: String, device: String, start: Date) {
      self.id = id
      self.device = device
      self.start = start
    }
  }
}
