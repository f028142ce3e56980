import TrendyFoundation
import TrendyModels

/// Workout recorded by a watch or an app. Its event has the same properties as an event from Apple Health.
struct ExternalWorkout {
  var key: [String]
  var start: Date
  var end: Date
  var activity: String?
  /// Duration without pauses, in seconds.
  var duration: Double?
  /// Distance in metres.
  var distance: Double?
  /// Energy in kilocalories.
  var energy: Double?
  /// Device or app that recorded the workout.
  var source: String?
  var title: String?
  var notes: String?
  /// IANA name of the time zone.
  var zone: String?
  /// Fixes in any order.
  var track: [Location] = []

  init(key: [String], start: Date, end: Date) {
    self.key = key
    self.start = start
    self.end = max(start, end)
  }

  var event: ExternalEvent {
    var event = ExternalEvent(typeName: HealthCategory.workout.name, key: key, timestamp: start)
    event.isKeyUnique = true
    event.sameness = .moments
    event.hints =
      activity.map { [$0.lowercased(), HealthCategory.workout.rawValue] } ?? [HealthCategory.workout.rawValue]
    event.endDate = end
    event.timeZone = zone
    event.title = title ?? activity
    event.notes = notes
    if let activity { event.properties["activity"] = .select(activity) }
    let seconds = duration ?? end.timeIntervalSince(start)
    if seconds >= 0, seconds < 1e9 { event.properties["duration"] = .duration((seconds * 1000).rounded() / 1000) }
    if let distance, distance > 0, distance < 1e9 {
      event.properties["distance"] = .number((distance * 10).rounded() / 10)
    }
    if let energy, energy > 0, energy < 1e7 { event.properties["energy"] = .number(energy.rounded()) }
    if let source, !source.isEmpty { event.properties["source"] = .text(source) }
    let track = track.enumerated().sorted { ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset) }
      .map(\.element)
    event.track = track
    event.route = track.map(\.coordinate)
    event.coordinate = track.first?.coordinate
    return event
  }
}
