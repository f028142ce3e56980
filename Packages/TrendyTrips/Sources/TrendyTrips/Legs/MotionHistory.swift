import TrendyFoundation
import TrendyModels

/// What the motion sensor said lately, so that a departure found backwards can ask what was said then.
struct MotionHistory: Hashable, Sendable, Codable {
  private struct Reading: Hashable, Codable {
    var activity: MotionActivity
    /// When the same was last said.
    var lastDate: Date
  }

  private var readings: [Reading] = []

  /// Passes over what says nothing, and what is older than the newest reading.
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

  /// What held at the moment; `nil` if nothing was said, or too long ago to hold still.
  func activity(at date: Date) -> MotionActivity? {
    guard let reading = readings.last(where: { $0.activity.timestamp <= date }),
      date.timeIntervalSince(reading.lastDate) <= Self.holds
    else { return nil }
    return reading.activity
  }

  private static let limit = 256
  /// Seconds for which a reading is believed.
  private static let holds: TimeInterval = 600
}
