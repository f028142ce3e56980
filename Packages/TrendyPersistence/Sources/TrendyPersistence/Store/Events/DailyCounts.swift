public import TrendyModels

/// Event counts per type, by day and by minute of the day. Histories are computed from them.
///
/// Days and minutes are in the time zone in which the event was recorded.
public struct DailyCounts: Hashable, Sendable {
  /// Counts for one type.
  public struct Counts: Hashable, Sendable {
    /// First day with an event.
    public internal(set) var firstDay = CivilDate(daysSince1970: 0)
    /// Number of events on each day, from ``firstDay`` to the last day with an event.
    public internal(set) var days: [Int32] = []
    /// Number of events in each of the 1440 minutes after midnight. All-day events are not included.
    public internal(set) var minutes = [Int32](repeating: 0, count: 1440)
    /// Total number of events.
    public internal(set) var events = 0
    /// Number of events that a device recorded automatically from its position.
    public internal(set) var eventsOfPosition = 0
    /// Whether an event is centuries away from the other events, in which case the counts are incomplete and unusable.
    public internal(set) var isTooFar = false
  }

  /// Counts by type id. Types without events are absent.
  public internal(set) var types: [String: Counts] = [:]
}

extension DailyCounts.Counts {
  /// Maximum number of days, so that one wrong date does not exhaust memory.
  private static let maxDays = 200_000

  @inline(__always) mutating func count(on day: CivilDate, minute: Int?, isOfPosition: Bool, _ step: Int32) {
    let place = firstDay.distance(to: day)
    if days.indices.contains(place) { days[place] &+= step } else { makeRoom(for: day, step) }
    events += Int(step)
    if isOfPosition { eventsOfPosition += Int(step) }
    if let minute { minutes[minute] &+= step }
  }

  @inline(never) private mutating func makeRoom(for day: CivilDate, _ step: Int32) {
    if days.isEmpty { firstDay = day }
    let place = firstDay.distance(to: day)
    guard place < Self.maxDays, place >= days.count - Self.maxDays else {
      isTooFar = true
      return
    }
    if place >= days.count {
      days += repeatElement(0, count: place + 1 - days.count)
      days[place] += step
    } else {
      days.insert(contentsOf: repeatElement(0, count: -place), at: 0)
      firstDay = day
      days[0] += step
    }
  }

  mutating func add(_ other: Self) {
    events += other.events
    eventsOfPosition += other.eventsOfPosition
    isTooFar = isTooFar || other.isTooFar
    for (minute, count) in other.minutes.enumerated() where count != 0 { minutes[minute] += count }
    guard let last = other.days.indices.last else { return }
    makeRoomIfNeeded(for: other.firstDay)
    makeRoomIfNeeded(for: other.firstDay.advanced(by: last))
    guard !isTooFar else { return }
    let offset = firstDay.distance(to: other.firstDay)
    for (place, count) in other.days.enumerated() { days[offset + place] += count }
  }

  private mutating func makeRoomIfNeeded(for day: CivilDate) {
    if !days.indices.contains(firstDay.distance(to: day)) { makeRoom(for: day, 0) }
  }
}
