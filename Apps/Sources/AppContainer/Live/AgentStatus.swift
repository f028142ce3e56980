public import CommandSupport
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels
public import TrendyTrips

/// What an agent shows of itself and of the person's day: the content of the status file, and of each line of the control socket.
///
/// The agent writes at least once a minute: a file that says `running` and is older than 150 seconds was left behind by one that
/// was killed.
public struct AgentStatus: Hashable, Sendable {
  public static let schema = "trendy.agent/1"

  /// A trip as a live display shows it.
  public struct LiveTrip: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
      case going
      case paused
      /// Over, and still in sight for a while.
      case ended
    }

    /// The id under which it is, or will be, in the record; `nil` where that is not known.
    public var id: String?
    public var state: State
    public var device: String?
    public var vehicle: String?
    public var mode: MotionState
    public var start: Date
    /// Seconds.
    public var elapsed: Double
    /// Metres.
    public var distance: Double
    /// Metres a second; `nil` when unknown.
    public var speed: Double?
    /// When the last fix was taken.
    public var fixedAt: Date?

    public init(start: Date, state: State = .going, mode: MotionState = .unknown) {
      self.start = start
      self.state = state
      self.mode = mode
      elapsed = 0
      distance = 0
    }
  }

  /// How sync stands, in short.
  public struct Sync: Hashable, Sendable {
    public var hub: String?
    public var waiting: Int
    public var lastSync: Date?
    /// Why the last round did not go through; `nil` where it did.
    public var error: String?

    public init(hub: String?, waiting: Int, lastSync: Date?, error: String?) {
      self.hub = hub
      self.waiting = waiting
      self.lastSync = lastSync
      self.error = error
    }
  }

  public var pid: Int32
  public var store: String
  public var startedAt: Date
  public var writtenAt: Date
  public var hasEnded = false
  public var trip: LiveTrip?
  public var today: TodaySnapshot?
  public var sync: Sync?
  /// What the devices whose companion this one is last told.
  public var trackers: [Tracker] = []

  /// A device that tells this one of its trips.
  public struct Tracker: Hashable, Sendable {
    public var device: String
    /// Whether a trip goes on there.
    public var isActive: Bool
    /// When that was told.
    public var toldAt: Date

    public init(device: String, isActive: Bool, toldAt: Date) {
      self.device = device
      self.isActive = isActive
      self.toldAt = toldAt
    }
  }

  public init(pid: Int32, store: String, startedAt: Date) {
    self.pid = pid
    self.store = store
    self.startedAt = startedAt
    writtenAt = startedAt
  }

  public func json(in local: LocalTime) -> JSONText {
    .object([
      ("schema", .string(Self.schema)), ("state", .string(hasEnded ? "ended" : "running")), ("pid", .number(Int(pid))),
      ("written", .string(local.rfc3339(writtenAt))), ("started", .string(local.rfc3339(startedAt))),
      ("store", .string(store)), ("trip", trip?.json(in: local) ?? .null), ("today", today?.json ?? .null),
      ("sync", sync?.json(in: local) ?? .null),
      (
        "trackers",
        .array(
          trackers.map {
            .object([
              ("device", .string($0.device)), ("active", .bool($0.isActive)),
              ("told", .string(local.rfc3339($0.toldAt))),
            ])
          })
      ),
    ])
  }
}

extension AgentStatus.LiveTrip {
  /// The trip of a device that goes on; `nil` without one. Car and speed are for who knows more.
  public init?(_ presence: DevicePresence, now: Date) {
    guard let record = presence.trip else { return nil }
    self.init(start: record.trip.startTime, state: presence.isPaused ? .paused : .going, mode: presence.mode)
    id = record.trip.id
    device = presence.device
    elapsed = max(0, now.timeIntervalSince(start))
    distance = record.trip.distanceMeters
    speed = presence.lastFix?.speed
    fixedAt = presence.lastFix?.timestamp
  }

  /// A trip that a hub sees.
  public init(_ trip: APILiveTrip, now: Date) {
    self.init(start: trip.start, state: trip.isPaused ? .paused : .going, mode: trip.mode)
    id = trip.id
    device = trip.deviceName.isEmpty ? trip.deviceId : trip.deviceName
    elapsed = max(0, now.timeIntervalSince(start))
    distance = trip.distance
    speed = trip.isPaused ? 0 : trip.speed
    fixedAt = trip.fixedAt
  }

  public func json(in local: LocalTime) -> JSONText {
    .object([
      ("id", .string(id)), ("state", .string(state.rawValue)), ("device", .string(device)),
      ("vehicle", .string(vehicle)), ("mode", .string(mode.rawValue)), ("start", .string(local.rfc3339(start))),
      ("elapsed_s", .number(elapsed.rounded())), ("distance_m", .number((distance * 10).rounded() / 10)),
      ("speed_mps", .number(speed.map { ($0 * 10).rounded() / 10 })),
      ("fixed", .string(fixedAt.map { local.rfc3339($0) })),
    ])
  }

  /// Reads ``json(in:)``; `nil` for anything else.
  public init?(_ json: JSONValue) {
    guard let members = json.objectValue, let start = members["start"]?.stringValue.flatMap({ RFC3339.date(from: $0) }),
      let state = members["state"]?.stringValue.flatMap(State.init(rawValue:))
    else { return nil }
    self.init(
      start: start, state: state, mode: members["mode"]?.stringValue.flatMap(MotionState.init(rawValue:)) ?? .unknown)
    id = members["id"]?.stringValue
    device = members["device"]?.stringValue
    vehicle = members["vehicle"]?.stringValue
    elapsed = members["elapsed_s"]?.doubleValue ?? 0
    distance = members["distance_m"]?.doubleValue ?? 0
    speed = members["speed_mps"]?.doubleValue
    fixedAt = members["fixed"]?.stringValue.flatMap { RFC3339.date(from: $0) }
  }
}

extension TodaySnapshot {
  public var json: JSONText {
    .object([
      ("day", .string(day)), ("events", .number(total)),
      (
        "types",
        .array(
          counts.map {
            .object([
              ("id", .string($0.eventTypeId)), ("name", .string($0.name)), ("icon", .string($0.iconName)),
              ("color", .string($0.colorHex)), ("count", .number($0.count)), ("streak", .number($0.streak)),
            ])
          })
      ),
    ])
  }
}

extension AgentStatus.Sync {
  fileprivate func json(in local: LocalTime) -> JSONText {
    .object([
      ("hub", .string(hub)), ("waiting", .number(waiting)),
      ("last_sync", .string(lastSync.map { local.rfc3339($0) })), ("error", .string(error)),
    ])
  }
}
