public import TrendyFoundation
public import TrendyModels

/// Current state of the day for a widget, status bar or page: counts, streaks, goal progress, timers, visits and trip.
///
/// Created by ``TodayTally``.
public struct TodaySnapshot: Hashable, Sendable, Codable {
  /// State of one event type.
  public struct Count: Hashable, Sendable, Codable {
    public var eventTypeId: String
    public var name: String
    public var iconName: String
    /// Colour as `#RRGGBB`.
    public var colorHex: String
    /// Number of events today.
    public var count: Int
    /// Streak up to today or yesterday in days, or 0 if it was not computed. Skipped days neither break nor extend a
    /// streak.
    public var streak: Int
    /// Progress of the goal in the current day or week, or `nil` if the type has no goal.
    public var progress: GoalProgress?
  }

  /// Event that was started and has no end yet.
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

  /// Visit to a place that the user has not left yet.
  public struct OpenVisit: Hashable, Sendable, Codable {
    public var eventId: String
    /// Id of the place, or `nil` if unknown.
    public var geofenceId: String?
    /// Name of the place, or `nil` if unknown.
    public var place: String?
    public var since: Date

    public init(eventId: String, geofenceId: String?, place: String?, since: Date) {
      self.eventId = eventId
      self.geofenceId = geofenceId
      self.place = place
      self.since = since
    }
  }

  /// Trip in progress.
  public struct Trip: Hashable, Sendable, Codable {
    /// Id of the trip's event, which may not be stored yet.
    public var eventId: String
    public var since: Date
    /// Distance so far in metres, or `nil` if it is not measured.
    public var distance: Double?
    public var isPaused: Bool

    public init(eventId: String, since: Date, distance: Double? = nil, isPaused: Bool = false) {
      self.eventId = eventId
      self.since = since
      self.distance = distance
      self.isPaused = isPaused
    }
  }

  /// The user's current day.
  public var day: CivilDate
  /// Event types sorted by name.
  public var counts: [Count]
  /// Running events, most recently started first.
  public var running: [RunningTimer]
  /// Open visits, most recently entered first.
  public var visits: [OpenVisit]
  /// Trip in progress, or `nil`.
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

  /// Number of events today.
  public var total: Int { counts.map(\.count).reduce(0, +) }
}
