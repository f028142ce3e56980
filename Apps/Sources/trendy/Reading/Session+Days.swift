import TrendyFoundation
import TrendyModels
import TrendyPersistence

extension Session {
  /// The events of some of the person's days, the newest first. An all-day event belongs to its date.
  /// - Parameters:
  ///   - range: from the first moment of a day to that of another.
  ///   - store: where they lie; others are passed over there without being made.
  func events(in range: Range<Date>, from store: LocalStore) throws -> [Event] {
    var events: [Event] = []
    try store.eventRows(in: local.timestamps(ofDays: range)).forEach { row in
      guard row.isAllDay || range.contains(row.timestamp) else { return }
      let event = try row.event()
      if range.contains(local.moment(of: event)) { events.append(event) }
    }
    return local.newestFirst(events)
  }

  /// The events of today, read once for two uses, each the newest first.
  /// - Returns: those that are today by the clock here, an all-day event by its date, which are shown; and those of which it was the day
  ///   where they were recorded, which count for goals.
  func eventsOfToday(from store: LocalStore) throws -> (shown: [Event], counted: [Event]) {
    let local = local
    let range = local.startOfDay(now)..<local.startOfDay(now, addingDays: 1)
    let today = local.day(of: now)
    var events: [Event] = []
    // By their ids: hardly ever is there one.
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
  /// The timestamps that events of some days may have: that of an all-day event may lie outside its date here.
  func timestamps(ofDays range: Range<Date>) -> Range<Date> {
    let (first, end) = (range.lowerBound, range.upperBound)
    let start = first == .distantPast ? first : first.addingTimeInterval(-Self.longestDateShift)
    return start..<(end == .distantFuture ? end : end.addingTimeInterval(Self.longestDateShift))
  }

  /// Events in the order of the days to which they belong.
  /// - Parameter events: by their timestamps, the newest first.
  func newestFirst(_ events: [Event]) -> [Event] {
    guard events.contains(where: \.isAllDay) else { return events }
    // Places are sorted, as an event is many words to move.
    let moments = events.map { moment(of: $0) }
    return events.indices.sorted { left, right in
      moments[left] != moments[right] ? moments[left] > moments[right] : events[left].id > events[right].id
    }.map { events[$0] }
  }
}
