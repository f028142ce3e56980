import CommandSupport
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels
public import TrendyProtocols

/// The live display of a machine without a lock screen: a file that status bars read, replaced whole each time.
///
/// Used inside one isolation, as every live activity. A file that cannot be written is tried again with the next change: what it
/// shows stands in the record, and nothing waits for it.
public final class StatusFile: LiveActivityManagerProtocol {
  /// What is shown. Set it and ``write()``; the trip's part is changed by the calls of a live activity as well.
  public var status: AgentStatus
  /// What the file could last not be written for; `nil` when it could.
  public private(set) var failure: OwnerOnlyFile.WriteError?

  private let url: URL
  private let clock: any TimeSource
  private let onWrite: (String) -> Void
  private var visibleUntil: Date?
  private var isTogether = false

  /// - Parameter onWrite: is given each document that is written.
  public init(url: URL, status: AgentStatus, clock: any TimeSource, onWrite: @escaping (String) -> Void = { _ in }) {
    self.url = url
    self.status = status
    self.clock = clock
    self.onWrite = onWrite
  }

  public var isActivityRunning: Bool { status.trip.map { $0.state != .ended } ?? false }

  public func startActivity(carName: String, startTime: Date) {
    visibleUntil = nil
    var trip = AgentStatus.LiveTrip(start: startTime)
    trip.vehicle = carName.isEmpty ? nil : carName
    status.trip = trip
    write()
  }

  public func updateActivity(state: LiveActivityState) {
    guard isActivityRunning else { return }
    status.trip?.state = state.isPaused ? .paused : .going
    status.trip?.distance = state.distanceMeters
    status.trip?.elapsed = state.durationSeconds
    status.trip?.speed = state.speedMetersPerSecond
    write()
  }

  public func endActivity(keepVisibleForSeconds seconds: TimeInterval) {
    guard isActivityRunning else { return }
    status.trip?.state = .ended
    status.trip?.speed = nil
    visibleUntil = clock.now.addingTimeInterval(seconds)
    write()
  }

  /// Changes several things, and writes once.
  public func together(_ body: () -> Void) {
    isTogether = true
    body()
    isTogether = false
    write()
  }

  /// Writes the file, with the time of now; a trip that was over long enough is not in it any more.
  public func write() {
    guard !isTogether else { return }
    if let visibleUntil, clock.now >= visibleUntil {
      status.trip = nil
      self.visibleUntil = nil
    }
    status.writtenAt = clock.now
    let text = status.json(in: LocalTime()).description
    do throws(OwnerOnlyFile.WriteError) {
      try OwnerOnlyFile.replace(url, with: Data((text + "\n").utf8), isDurable: false)
      failure = nil
    } catch {
      failure = error
    }
    onWrite(text)
  }
}

@available(*, unavailable) extension StatusFile: Sendable {}
