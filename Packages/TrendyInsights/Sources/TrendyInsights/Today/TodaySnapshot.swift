public import TrendyFoundation
public import TrendyModels

/// What a widget, a status bar or a page shows of the day: how often each type was recorded, for how many days in a row, how far
/// goals are met, and what goes on. A ``TodayTally`` makes it.
public struct TodaySnapshot: Hashable, Sendable, Codable {
  /// How a type stands.
  public struct Count: Hashable, Sendable, Codable {
    public var eventTypeId: String
    public var name: String
    public var iconName: String
    /// `#7B4F2E`.
    public var colorHex: String
    /// Events of today.
    public var count: Int
    /// Days in a row with one, to today or yesterday; skipped days neither break nor add. 0 where it was not looked for.
    public var streak: Int
    /// How far the goal is met in the present day or week, for a ring; `nil` without a goal.
    public var progress: GoalProgress?
  }

  /// An event that was started and not stopped.
  public struct RunningTimer: Hashable, Sendable, Codable {
    public var eventId: String
    public var eventTypeId: String
    public var since: Date

    public init(eventId: String, eventTypeId: String, since: Date) {
      self.eventId = eventId
      self.eventTypeId = eventTypeId
      self.since = since
    }
  }

  /// A place that was entered and not left.
  public struct OpenVisit: Hashable, Sendable, Codable {
    public var eventId: String
    /// `nil` where the place is not known.
    public var geofenceId: String?
    public var place: String?
    public var since: Date

    public init(eventId: String, geofenceId: String?, place: String?, since: Date) {
      self.eventId = eventId
      self.geofenceId = geofenceId
      self.place = place
      self.since = since
    }
  }

  /// A trip that goes on.
  public struct Trip: Hashable, Sendable, Codable {
    /// Of the event that it is, or will be.
    public var eventId: String
    public var since: Date
    /// Metres so far; `nil` where nobody measures.
    public var distance: Double?
    public var isPaused: Bool

    public init(eventId: String, since: Date, distance: Double? = nil, isPaused: Bool = false) {
      self.eventId = eventId
      self.since = since
      self.distance = distance
      self.isPaused = isPaused
    }
  }

  /// The person's present day.
  public var day: CivilDate
  /// By name.
  public var counts: [Count]
  /// The last started first.
  public var running: [RunningTimer]
  /// The last entered first.
  public var visits: [OpenVisit]
  /// `nil` where none goes on.
  public var trip: Trip?

  public init(
    day: CivilDate, counts: [Count], running: [RunningTimer] = [], visits: [OpenVisit] = [], trip: Trip? = nil
  ) {
    self.day = day
    self.counts = counts
    self.running = running
    self.visits = visits
    self.trip = trip
  }

  /// Events of today.
  public var total: Int { counts.map(\.count).reduce(0, +) }
}
