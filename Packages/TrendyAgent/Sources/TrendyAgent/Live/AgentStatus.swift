public import TrendyFoundation
public import TrendyInsights
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
}
