import TrendyFoundation
import TrendyModels

/// Recent motion readings, used for departures that are detected in retrospect.
struct MotionHistory: Hashable, Sendable, Codable {
  private struct Reading: Hashable, Codable {
    var activity: MotionActivity
    /// Time of the last consecutive reading with the same state.
    var lastDate: Date
  }

  private var readings: [Reading] = []

  /// Adds a reading. Ignores unknown readings and readings older than the last one.
  mutating func add(_ activity: MotionActivity) {
    guard activity.state != .unknown, activity.timestamp.timeIntervalSinceReferenceDate.isFinite else { return }
    if let last = readings.last {
      guard activity.timestamp >= last.lastDate else { return }
      if last.activity.state == activity.state {
        readings[readings.count - 1].lastDate = activity.timestamp
        readings[readings.count - 1].activity.confidence = activity.confidence
        return
      }
    }
    readings.append(Reading(activity: activity, lastDate: activity.timestamp))
    if readings.count > Self.limit { readings.removeFirst(Self.limit / 2) }
  }

  /// Returns the motion at a time, or `nil` if there is no recent reading.
  func activity(at date: Date) -> MotionActivity? {
    guard let reading = readings.last(where: { $0.activity.timestamp <= date }),
      date.timeIntervalSince(reading.lastDate) <= Self.holds
    else { return nil }
    return reading.activity
  }

  private static let limit = 256
  /// Maximum age of a reading in seconds.
  private static let holds: TimeInterval = 600
}
