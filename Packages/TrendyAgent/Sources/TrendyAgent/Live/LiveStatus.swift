public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// The live activity of a machine without a lock screen: the status of its agent, shown anew with each change.
///
/// Used inside one isolation, as every live activity.
public final class LiveStatus: LiveActivityManagerProtocol {
  /// What is shown. Set it and ``show()``; the trip's part is changed by the calls of a live activity as well.
  public var status: AgentStatus

  private let clock: any TimeSource
  private let onChange: (AgentStatus) -> Void
  private var visibleUntil: Date?
  private var isTogether = false

  /// Begins with a status; `onChange` is given each that is shown.
  public init(_ status: AgentStatus, clock: any TimeSource, onChange: @escaping (AgentStatus) -> Void) {
    self.status = status
    self.clock = clock
    self.onChange = onChange
  }

  public var isActivityRunning: Bool { status.trip.map { $0.state != .ended } ?? false }

  public func startActivity(carName: String, startTime: Date) {
    visibleUntil = nil
    var trip = AgentStatus.LiveTrip(start: startTime)
    trip.vehicle = carName.isEmpty ? nil : carName
    status.trip = trip
    show()
  }

  public func updateActivity(state: LiveActivityState) {
    guard isActivityRunning else { return }
    status.trip?.state = state.isPaused ? .paused : .going
    status.trip?.distance = state.distanceMeters
    status.trip?.elapsed = state.durationSeconds
    status.trip?.speed = state.speedMetersPerSecond
    show()
  }

  public func endActivity(keepVisibleForSeconds seconds: TimeInterval) {
    guard isActivityRunning else { return }
    status.trip?.state = .ended
    status.trip?.speed = nil
    visibleUntil = clock.now.addingTimeInterval(seconds)
    show()
  }

  /// Changes several things, and shows them once.
  public func together(_ body: () -> Void) {
    isTogether = true
    body()
    isTogether = false
    show()
  }

  /// Shows the status, with the time of now; a trip that was over long enough is not in it any more.
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
