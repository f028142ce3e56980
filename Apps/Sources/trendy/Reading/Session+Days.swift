import TrendyFoundation
import TrendyModels
import TrendyPersistence

extension Session {
  /// Returns the events that start today, newest first, and events that started at most ``LocalTime/longestReach`` days
  /// ago and extend into today.
  func eventsOfToday(from store: LocalStore) throws -> (starting: [Event], extending: [Event]) {
    let (local, today) = (local, local.day(of: now))
    let (range, first) = (local.moments(of: today...today), today.advanced(by: -LocalTime.longestReach))
    var (starting, extending): ([Event], [Event]) = ([], [])
    try store.eventRows(in: local.timestamps(of: first...today)).forEach { row in
      // Decode only rows that may overlap today.
      let isElsewhere = row.isAllDay || !row.wasRecorded(in: local)
      guard isElsewhere || range.contains(row.timestamp) || row.endDate.map({ $0 > range.lowerBound }) == true else {
        return
      }
      let event = try row.event()
      let days = local.days(of: event)
      if days.lowerBound == today {
        starting.append(event)
      } else if days.lowerBound >= first, days.contains(today) {
        extending.append(event)
      }
    }
    return (local.newestFirst(starting), extending)
  }
}

extension LocalTime {
  /// Returns the time by which an event is sorted in a day's list: its start or, on its last day, its end. All-day
  /// events come first.
  func moment(of event: Event, on day: CivilDate) -> Date {
    if event.isAllDay { return .distantPast }
    let days = days(of: event)
    guard day > days.lowerBound else { return event.timestamp }
    return day == days.upperBound ? event.endDate ?? event.timestamp : inZone(of: event).start(of: day)
  }

  /// Sorts events by day and time. All-day events and other time zones may make this order differ from the order of the
  /// timestamps.
  /// - Parameter events: events in descending order of timestamps.
  func newestFirst(_ events: [Event]) -> [Event] {
    guard events.contains(where: { $0.isAllDay || $0.timeZone != nil && $0.timeZone != zoneName }) else {
      return events
    }
    // Sort indices, because events are large values. All-day events come at the start of their day.
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
