import TrendyFoundation
import TrendyModels
import TrendyPersistence

extension Session {
  /// Returns the events of some of the user's days, newest first. An all-day event belongs to its date.
  /// - Parameters:
  ///   - range: from the start of a day to the start of another.
  ///   - store: source of the events; others are skipped without being decoded.
  func events(in range: Range<Date>, from store: LocalStore) throws -> [Event] {
    var events: [Event] = []
    try store.eventRows(in: local.timestamps(ofDays: range)).forEach { row in
      guard row.isAllDay || range.contains(row.timestamp) else { return }
      let event = try row.event()
      if range.contains(local.moment(of: event)) { events.append(event) }
    }
    return local.newestFirst(events)
  }

  /// Returns the events of today, newest first.
  /// - Returns: `shown` has the events of today in the local time zone, and all-day events of today's date; `counted` has those that
  ///   were recorded on this date in their own time zone, which count for goals.
  func eventsOfToday(from store: LocalStore) throws -> (shown: [Event], counted: [Event]) {
    let local = local
    let range = local.startOfDay(now)..<local.startOfDay(now, addingDays: 1)
    let today = local.day(of: now)
    var events: [Event] = []
    // Exceptions by id; there are hardly ever any.
    var (notShown, notCounted): (Set<String>, Set<String>) = ([], [])
    try store.eventRows(in: local.timestamps(ofDays: range)).forEach { row in
      let isElsewhere = row.isAllDay || !row.wasRecorded(in: local)
      guard isElsewhere || range.contains(row.timestamp) else { return }
      let event = try row.event()
      if isElsewhere {
        let (isShown, isCounted) = (range.contains(local.moment(of: event)), local.day(of: event) == today)
        guard isShown || isCounted else { return }
        if !isShown { notShown.insert(event.id) }
        if !isCounted { notCounted.insert(event.id) }
      }
      events.append(event)
    }
    return (
      local.newestFirst(notShown.isEmpty ? events : events.filter { !notShown.contains($0.id) }),
      notCounted.isEmpty ? events : events.filter { !notCounted.contains($0.id) }
    )
  }
}

extension LocalTime {
  /// Range of timestamps of events on some days; an all-day event may have a timestamp outside its local date.
  func timestamps(ofDays range: Range<Date>) -> Range<Date> {
    let (first, end) = (range.lowerBound, range.upperBound)
    let start = first == .distantPast ? first : first.addingTimeInterval(-Self.longestDateShift)
    return start..<(end == .distantFuture ? end : end.addingTimeInterval(Self.longestDateShift))
  }

  /// Sorts events by the days they belong to.
  /// - Parameter events: events by timestamp, newest first.
  func newestFirst(_ events: [Event]) -> [Event] {
    guard events.contains(where: \.isAllDay) else { return events }
    // Sorts indices, because events are large values.
    let moments = events.map { moment(of: $0) }
    return events.indices.sorted { left, right in
      moments[left] != moments[right] ? moments[left] > moments[right] : events[left].id > events[right].id
    }.map { events[$0] }
  }
}
