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

extension Session {
  /// Returns the events that began up to ``LocalTime/longestReach`` days before today and extend into it.
  func eventsExtendingIntoToday(from store: LocalStore) throws -> [Event] {
    let (local, today) = (local, local.day(of: now))
    let begun = today.advanced(by: -LocalTime.longestReach)...today.advanced(by: -1)
    var events: [Event] = []
    try store.eventRows(in: local.timestamps(of: begun)).forEach { row in
      guard row.isAllDay || row.endDate.map({ $0 > local.start(of: begun.lowerBound) }) == true else { return }
      let event = try row.event()
      let days = local.days(of: event)
      if begun.contains(days.lowerBound), days.contains(today) { events.append(event) }
    }
    return events
  }
}

extension LocalTime {
  /// Returns the time at which an event is sorted on a day: its start, or its end on a later day. All-day events are at
  /// the start of the day.
  func moment(of event: Event, on day: CivilDate) -> Date {
    if event.isAllDay { return .distantPast }
    let days = days(of: event)
    guard day > days.lowerBound else { return event.timestamp }
    return day == days.upperBound ? event.endDate ?? event.timestamp : inZone(of: event).start(of: day)
  }

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
