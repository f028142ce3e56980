public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Sends notices to the user's companions, which take the place of a watch.
///
/// Notices are stored until an agent has delivered them through the hub, exactly once and in order. Not thread-safe.
/// Methods that do not throw store their error in ``failure``.
public final class CompanionChannel: WatchConnectivityServiceProtocol {
  /// Delegate that ``setup()`` notifies.
  public weak var delegate: (any WatchConnectivityServiceDelegate)?
  /// Data of the trip that the next notices describe: `id`, `device`, `start` and other known values.
  public var trip: [String: JSONValue] = [:]
  /// Error that prevented storing the last notice, or `nil` if the notice was stored.
  public private(set) var failure: (any Error)?

  private let store: CompanionStore
  private let clock: any TimeSource
  private var drafts: [CompanionStore.Draft]?

  public init(store: CompanionStore, clock: any TimeSource) {
    self.store = store
    self.clock = clock
  }

  /// Whether the device has a companion.
  public var isPaired: Bool { !companions.isEmpty }
  /// Equal to ``isPaired``, because a companion always runs this program.
  public var isWatchAppInstalled: Bool { isPaired }
  /// Whether each companion has received all notices.
  public var isReachable: Bool { isPaired && companions.allSatisfy { $0.acknowledgedThrough == $0.lastSequence } }

  private var companions: [CompanionStore.Link] {
    // If the store cannot be read, assume that there are no companions. The error is reported when the next notice is
    // stored.
    ((try? store.links()) ?? []).filter { $0.role == .tracker }
  }

  /// Notifies the delegate that notices can be sent.
  public func setup() { delegate?.watchConnectivityServiceDidActivate(self) }

  /// Adds a notice with the account, the hub's address and, unless it is empty, a token.
  public func syncConfig(email: String, apiUrl: String, token: String) {
    var data: [String: JSONValue] = ["account": .string(email), "hub_url": .string(apiUrl)]
    // Send only a token intended for the companion, because each device has its own token at the hub.
    if !token.isEmpty { data["token"] = .string(token) }
    tell(CompanionStore.Draft(kind: CompanionNotice.Kind.config, data: data))
  }

  /// Adds a notice with a new token for the companion.
  public func syncToken(_ token: String) {
    tell(CompanionStore.Draft(kind: CompanionNotice.Kind.token, data: ["token": .string(token)]))
  }

  /// Adds a notice that ``trip`` has started.
  public func notifyTripStarted() {
    tell(CompanionStore.Draft(kind: CompanionNotice.Kind.tripStarted, data: trip))
  }

  /// Adds a notice that a trip is or is not in progress. If several such notices are undelivered, the companion
  /// displays the last one.
  public func updateTripActiveState(_ isActive: Bool) {
    tell(CompanionStore.Draft(kind: CompanionNotice.Kind.tripActive, data: ["active": .bool(isActive)]))
  }

  /// Adds a notice that a trip has ended, or was discarded if `isTrip` is `false`.
  public func notifyTripEnded(isTrip: Bool) {
    let kind = isTrip ? CompanionNotice.Kind.tripEnded : CompanionNotice.Kind.tripCancelled
    tell(CompanionStore.Draft(kind: kind, data: trip))
  }

  /// Stores all notices added in `body`, and the trips that these notices announce to companions, in one save.
  /// - Returns: Whether the device has a companion.
  /// - Throws: Errors from the store. In this case, nothing is saved.
  @discardableResult
  public func keep(announcedTrips: [CompanionStore.AnnouncedTrip], _ body: () -> Void) throws -> Bool {
    drafts = []
    body()
    let told = drafts ?? []
    drafts = nil
    return try store.tell(told, at: clock.now, announcedTrips: announcedTrips)
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
  /// Adds notices about trips that have started or ended since the last notices, even after a restart of the process.
  /// - Parameters:
  ///   - open: Trips in progress.
  ///   - finished: Returns the data of a trip that has ended, or `nil` if the trip was discarded.
  /// - Returns: Whether notices were added.
  /// - Throws: Errors from the store or `finished`.
  public func tell(open: [DeviceTrip], finished: (_ id: String) throws -> [String: JSONValue]?) throws -> Bool {
    let told = try store.announcedTrips()
    let gone = told.filter { trip in !open.contains { $0.id == trip.id } }.sorted { $0.id < $1.id }
    let new = open.filter { trip in !told.contains { $0.id == trip.id } }
    guard !gone.isEmpty || !new.isEmpty, isPaired else { return false }
    let endings = try gone.map { ($0, try finished($0.id)) }
    return try keep(announcedTrips: open.map { CompanionStore.AnnouncedTrip(id: $0.id, device: $0.device) }) {
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

  /// Trip in progress.
  public struct DeviceTrip: Hashable, Sendable {
    /// Id of the trip's event.
    public var id: String
    /// Name of the device that records the trip.
    public var device: String
    public var start: Date

    public init(id: String, device: String, start: Date) {
      self.id = id
      self.device = device
      self.start = start
    }
  }
}
