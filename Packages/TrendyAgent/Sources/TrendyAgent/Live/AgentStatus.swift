public import TrendyFoundation
public import TrendyInsights
public import TrendyModels
public import TrendyTrips

/// State of an agent and of the user's day: content of the status file and of each line of the control socket.
///
/// The agent writes it at least once a minute. A file with state `running` that is older than 150 seconds belongs to an
/// agent that was killed.
public struct AgentStatus: Hashable, Sendable {
  public static let schema = "trendy.agent/1"

  /// Trip in a live display.
  public struct LiveTrip: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
      case going
      case paused
      /// Ended, but still displayed for a while.
      case ended
    }

    /// Id of the trip's event, which may not exist yet; `nil` if unknown.
    public var id: String?
    public var state: State
    public var device: String?
    public var vehicle: String?
    public var mode: MotionState
    public var start: Date
    /// Seconds since the start.
    public var elapsed: Double
    /// Distance in metres.
    public var distance: Double
    /// Speed in metres per second; `nil` if unknown.
    public var speed: Double?
    /// Time of the last fix.
    public var fixedAt: Date?

    public init(start: Date, state: State = .going, mode: MotionState = .unknown) {
      self.start = start
      self.state = state
      self.mode = mode
      elapsed = 0
      distance = 0
    }
  }

  /// Summary of sync.
  public struct Sync: Hashable, Sendable {
    public var hub: String?
    public var waiting: Int
    public var lastSync: Date?
    /// Error of the last round; `nil` if it was successful.
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
  /// State of the devices that send notices to this one.
  public var trackers: [Tracker] = []

  /// Device that sends trip notices to this one.
  public struct Tracker: Hashable, Sendable {
    public var device: String
    /// Whether a trip is in progress on the device.
    public var isActive: Bool
    /// Time of the notice.
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
  /// Creates the display of a device's trip in progress, without vehicle and estimated speed; `nil` if there is none.
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

  /// Creates the display of a trip that a hub detects.
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
