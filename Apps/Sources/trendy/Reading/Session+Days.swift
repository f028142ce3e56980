import TrendyFoundation
import TrendyModels
import TrendyPersistence

extension Session {
  /// Returns the events that start today, newest first.
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
  /// Returns the events that started at most ``LocalTime/longestReach`` days before today and extend into today.
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
  /// Returns the time by which an event is sorted in a day's list.
  ///
  /// The time is its start or, on its last day, its end. All-day events are first.
  func moment(of event: Event, on day: CivilDate) -> Date {
    if event.isAllDay { return .distantPast }
    let days = days(of: event)
    guard day > days.lowerBound else { return event.timestamp }
    return day == days.upperBound ? event.endDate ?? event.timestamp : inZone(of: event).start(of: day)
  }

  /// Sorts events by day and time. The order may differ from that of the timestamps because of all-day events and other
  /// time zones.
  /// - Parameter events: events in descending order of timestamps.
  func newestFirst(_ events: [Event]) -> [Event] {
    guard events.contains(where: { $0.isAllDay || $0.timeZone != nil && $0.timeZone != zoneName }) else {
      return events
    }
    // Sorts indices rather than events, which are large values. All-day events are at the start of their day.
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
