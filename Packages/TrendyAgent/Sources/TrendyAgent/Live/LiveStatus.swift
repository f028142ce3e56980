public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// Live activity of a device without a lock screen. Reports the agent's status after each change. Not thread-safe.
public final class LiveStatus: LiveActivityManagerProtocol {
  /// Current status. The methods of the live activity change the status's trip. After changing any other value, call
  /// ``show()``.
  public var status: AgentStatus

  private let clock: any TimeSource
  private let onChange: (AgentStatus) -> Void
  private var visibleUntil: Date?
  private var isTogether = false

  /// Creates a live activity with an initial status. `onChange` receives the status each time it is displayed.
  public init(_ status: AgentStatus, clock: any TimeSource, onChange: @escaping (AgentStatus) -> Void) {
    self.status = status
    self.clock = clock
    self.onChange = onChange
  }

  /// Whether the displayed trip is in progress.
  public var isActivityRunning: Bool { status.trip.map { $0.state != .ended } ?? false }

  /// Displays a trip that has started. An empty `carName` means that the vehicle is unknown.
  public func startActivity(carName: String, startTime: Date) {
    visibleUntil = nil
    var trip = AgentStatus.LiveTrip(start: startTime)
    trip.vehicle = carName.isEmpty ? nil : carName
    status.trip = trip
    show()
  }

  /// Updates the displayed trip. Has no effect unless a trip in progress is displayed.
  public func updateActivity(state: LiveActivityState) {
    guard isActivityRunning else { return }
    status.trip?.state = state.isPaused ? .paused : .going
    status.trip?.distance = state.distanceMeters
    status.trip?.elapsed = state.durationSeconds
    status.trip?.speed = state.speedMetersPerSecond
    show()
  }

  /// Marks the displayed trip as ended and removes it after the given number of seconds.
  public func endActivity(keepVisibleForSeconds seconds: TimeInterval) {
    guard isActivityRunning else { return }
    status.trip?.state = .ended
    status.trip?.speed = nil
    visibleUntil = clock.now.addingTimeInterval(seconds)
    show()
  }

  /// Runs `body`, which makes several changes, and displays them together.
  public func together(_ body: () -> Void) {
    isTogether = true
    body()
    isTogether = false
    show()
  }

  /// Reports the status with the current time. Removes a trip whose display time has ended.
  public func show() {
    guard !isTogether else { return }
    if let visibleUntil, clock.now >= visibleUntil {
      status.trip = nil
      self.visibleUntil = nil
    }
    status.writtenAt = clock.now
    onChange(status)
  }
}

@available(*, unavailable) extension LiveStatus: Sendable {}
