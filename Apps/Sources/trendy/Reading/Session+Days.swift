import TrendyFoundation
import TrendyModels
import TrendyPersistence

extension Session {
  /// Returns the events of today, newest first.
  func eventsOfToday(from store: LocalStore) throws -> [Event] {
    let (local, today) = (local, local.day(of: now))
    let range = local.moments(of: today...today)
    var events: [Event] = []
    try store.eventRows(in: local.timestamps(of: today...today)).forEach { row in
      let isElsewhere = row.isAllDay || !row.wasRecorded(in: local)
      guard isElsewhere || range.contains(row.timestamp) else { return }
      let event = try row.event()
      if !isElsewhere || local.day(of: event) == today { events.append(event) }
    }
    return local.newestFirst(events)
  }
}

extension LocalTime {
  /// Sorts events by the days they belong to.
  /// - Parameter events: events by timestamp, newest first.
  func newestFirst(_ events: [Event]) -> [Event] {
    guard events.contains(where: { $0.isAllDay || $0.timeZone != nil && $0.timeZone != zoneName }) else {
      return events
    }
    // Sorts indices, because events are large values. An all-day event is at the start of its day.
    let keys = events.map { event in
      let day = day(of: event)
      return (day: day, moment: event.isAllDay ? .distantPast : event.timestamp)
    }
    return events.indices.sorted { left, right in
      let (a, b) = (keys[left], keys[right])
      if a.day != b.day { return a.day > b.day }
      return a.moment != b.moment ? a.moment > b.moment : events[left].id > events[right].id
    }.map { events[$0] }
  }
}
