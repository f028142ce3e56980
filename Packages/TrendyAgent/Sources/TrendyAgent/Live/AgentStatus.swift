public import TrendyFoundation
public import TrendyInsights
public import TrendyModels
public import TrendyTrips

/// State of an agent and of the user's day: content of the status file and of each line of the control socket.
///
/// The agent writes it at least once a minute. A file with state `running` that is older than 150 seconds belongs to an
/// agent that was killed.
public struct AgentStatus: Hashable, Sendable {
  /// Value of the member `schema` in the document.
  public static let schema = "trendy.agent/1"

  /// Trip in a live display.
  public struct LiveTrip: Hashable, Sendable {
    /// State of the trip.
    public enum State: String, Hashable, Sendable {
      case going
      case paused
      /// Ended, but still displayed for a while.
      case ended
    }

    /// Id of the trip's event, which may not exist yet; `nil` if unknown.
    public var id: String?
    public var state: State
    /// Name of the device that records the trip.
    public var device: String?
    /// Name of the vehicle; `nil` if unknown.
    public var vehicle: String?
    /// Current mode of transport.
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
    /// Short name of the hub; `nil` for a store that is not connected.
    public var hub: String?
    /// Number of pending mutations.
    public var waiting: Int
    /// End of the last successful round.
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

  /// Id of the agent's process.
  public var pid: Int32
  /// Path of the store directory.
  public var store: String
  /// Start of the agent.
  public var startedAt: Date
  /// Time of this status.
  public var writtenAt: Date
  /// Whether the agent has ended regularly.
  public var hasEnded = false
  /// Trip in progress, or one that ended recently.
  public var trip: LiveTrip?
  /// Counts, goals and open visits of the current day.
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
