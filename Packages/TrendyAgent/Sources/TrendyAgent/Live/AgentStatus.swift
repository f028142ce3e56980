public import TrendyFoundation
public import TrendyInsights
public import TrendyModels
public import TrendyTrips

/// State of an agent and of the user's day. Written to the status file, and to the control socket as lines.
///
/// A running agent writes the status at least once a minute. If the file has the state `running` and is older than 150
/// seconds, the agent was killed.
public struct AgentStatus: Hashable, Sendable {
  /// Value of the member `schema` in the document.
  public static let schema = "trendy.agent/1"

  /// Trip in a live display.
  public struct LiveTrip: Hashable, Sendable {
    /// State of the trip.
    public enum State: String, Hashable, Sendable {
      case going
      case paused
      /// The trip ended recently and is still displayed.
      case ended
    }

    /// Id of the trip's event, which may not exist yet, or `nil` if unknown.
    public var id: String?
    public var state: State
    /// Name of the device that records the trip.
    public var device: String?
    /// Name of the vehicle, or `nil` if unknown.
    public var vehicle: String?
    /// Current transport mode.
    public var mode: MotionState
    public var start: Date
    /// Seconds since the start.
    public var elapsed: Double
    /// Distance in metres.
    public var distance: Double
    /// Ground speed in m/s, or `nil` if unknown.
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
    /// Short name of the hub, or `nil` for a store that is not connected.
    public var hub: String?
    /// Number of pending mutations.
    public var waiting: Int
    /// Time at which the last successful round ended.
    public var lastSync: Date?
    /// Error from the last round, or `nil` if the round was successful.
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
  /// Whether the agent has exited normally.
  public var hasEnded = false
  /// Trip in progress, or a trip that ended recently.
  public var trip: LiveTrip?
  /// Counts, goals and open visits of the current day.
  public var today: TodaySnapshot?
  public var sync: Sync?
  /// States of the devices that send notices to this device.
  public var trackers: [Tracker] = []

  /// Device that sends trip notices to this device.
  public struct Tracker: Hashable, Sendable {
    public var device: String
    /// Whether a trip is in progress on the device.
    public var isActive: Bool
    /// Time of the device's last notice about a trip.
    public var announcedAt: Date

    public init(device: String, isActive: Bool, announcedAt: Date) {
      self.device = device
      self.isActive = isActive
      self.announcedAt = announcedAt
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
  /// Creates the display of a device's trip in progress, without the vehicle or an estimated speed. Returns `nil` if
  /// there is no such trip.
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

  /// Creates the display of a trip in progress that a hub has detected.
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
