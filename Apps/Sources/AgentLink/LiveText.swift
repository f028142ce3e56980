public import CommandSupport
public import TrendyAgent
public import TrendyFoundation
public import TrendyModels

/// Formatter for the status of a running trip.
public enum LiveText: Sendable {
  /// Formats a distance as `7.45 km`.
  public static func distance(_ metres: Double, _ units: Units) -> String {
    units.distance(max(0, min(metres, 1e12)), decimals: 2)
  }

  /// Returns a line such as `12 min  7.45 km  48 km/h  automotive  Van  since 09:37`.
  public static func line(_ trip: AgentStatus.LiveTrip, now: Date, in local: LocalTime, _ units: Units) -> String {
    let elapsed = trip.state == .ended ? trip.elapsed : max(trip.elapsed, now.timeIntervalSince(trip.start))
    var parts = [DurationPhrase.words(elapsed), distance(trip.distance, units)]
    switch trip.state {
    case .ended: parts.append("ended")
    case .paused: parts.append("paused")
    case .going: if let speed = trip.speed { parts.append(units.speed(speed)) }
    }
    if trip.mode != .unknown { parts.append(trip.mode.rawValue) }
    if let vehicle = trip.vehicle { parts.append(vehicle) }
    parts.append("since \(local.time(trip.start))")
    if let fixedAt = trip.fixedAt, now.timeIntervalSince(fixedAt) > 120 {
      parts.append("last position \(DurationPhrase.words(now.timeIntervalSince(fixedAt))) ago")
    }
    return parts.joined(separator: "  ")
  }
}
