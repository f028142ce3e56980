public import TrendyModels

/// How many events of each type there were on each day, and at each minute of the clock: what histories are made of, without a row
/// being read that was counted before.
///
/// Days and times are those that the clock showed where an event was recorded.
public struct EventTally: Hashable, Sendable {
  /// The counts of one type.
  public struct Counts: Hashable, Sendable {
    public internal(set) var firstDay = CivilDate(daysSince1970: 0)
    /// Of each day from the first on, up to the last that has an event.
    public internal(set) var days: [Int32] = []
    /// 1440, by minutes after midnight; all-day events in none.
    public internal(set) var minutes = [Int32](repeating: 0, count: 1440)
    public internal(set) var events = 0
    /// Those that a device recorded by itself, of where it was.
    public internal(set) var eventsOfPosition = 0
    /// Whether an event lies centuries from the others, so that the days between are not listed: the counts are of no use.
    public internal(set) var isTooFar = false
  }

  /// By the ids of types; of a type without an event none.
  public internal(set) var types: [String: Counts] = [:]
}

extension EventTally.Counts {
  /// Days that are listed at most; a wrong date among right ones is no reason to list all between.
  private static let mostDays = 200_000

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
    guard place < Self.mostDays, place >= days.count - Self.mostDays else {
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
