public import TrendyFoundation
public import TrendyModels

/// Time of the events of a report, split at the start of each day.
///
/// An event takes the time from its start to its end, or to now while it is running. Without an end, and for an all-day
/// event, it is the first duration property, on the day of the event. All times are elapsed times.
public struct TimeLedger: Hashable, Sendable {
  /// Time of an event on one day, in the zone in which the event was recorded.
  public struct Part: Hashable, Sendable {
    public let day: CivilDate
    public let seconds: Double
    /// Range of the time; `nil` for the value of a property, which overlaps nothing.
    let range: Range<Date>?

    fileprivate init(_ range: Range<Date>, on day: CivilDate) {
      (self.day, self.range) = (day, range)
      seconds = range.upperBound.timeIntervalSince(range.lowerBound)
    }

    fileprivate init(_ seconds: Double, on day: CivilDate) { (self.day, self.seconds, range) = (day, seconds, nil) }
  }

  /// Event with its time.
  public struct Entry: Hashable, Sendable {
    public let event: Event
    public let isRunning: Bool
    /// Parts within the range of the report, in chronological order; at least one.
    public let parts: [Part]
  }

  /// Time that several events share.
  public struct Overlap: Hashable, Sendable {
    public let range: Range<Date>
    /// Events that share the time, in chronological order.
    public let events: [Event]

    public var seconds: Double { range.upperBound.timeIntervalSince(range.lowerBound) }
  }

  /// Number of days before a range from which events are read. Longer events count only if they are running.
  public static let reach = 31

  /// Events with their time, in chronological order.
  public let entries: [Entry]
  /// First day of a week; 0 is Sunday.
  let firstWeekday: Int

  /// Reads the events.
  ///
  /// Trips and visits that were recorded automatically count only if the query names their type or the type has a goal.
  /// - Parameters:
  ///   - query: provides the range, the types and the user's calendar.
  ///   - types: selected types.
  ///   - days: days to which the range is limited; `nil` for no limit.
  ///   - record: the record.
  public init(
    _ query: ReportQuery, _ types: [EventType], on days: ClosedRange<CivilDate>? = nil, from record: some UserRecord
  ) throws {
    let (local, last) = (query.local, query.today)
    let ranges = [query.selected, days.map { EventRange(local.moments(of: $0), in: local) }].compactMap(\.self)
    let running = RunningSetting.eventIds(in: try record.records(of: .setting))
    let keys = try record.propertyDefinitions().firstDurationKeys
    let ids = Set(types.map(\.id))
    let withoutPositions = Set(
      types.filter { query.types == nil && !query.countsPositions && $0.goal == nil }.map(\.id))
    var entries: [Entry] = []
    let timestamps = try Self.timestamps(ranges, last, local, running, ids, record)
    try record.forEachTimedEvent(ofTypes: ids, measured: ids.intersection(keys.keys), running: running, in: timestamps)
    {
      event in
      guard !event.sourceType.isOfPosition || !withoutPositions.contains(event.eventTypeId) else { return }
      let isRunning = event.endDate == nil && !event.isAllDay && running.contains(event.id)
      var parts: [Part] = []
      if !event.isAllDay, let end = event.endDate ?? (isRunning ? query.now : nil), isRunning || end > event.timestamp {
        let own = local.inZone(of: event)
        // In a zone ahead of the user's, the day of an event that has already begun may be tomorrow.
        let limit = max(own.start(of: last.advanced(by: 1)), query.isOver ? .distantPast : query.now)
        let selected = ranges.map { $0.moments(in: own) } + [.distantPast..<limit]
        let range = selected.reduce(event.timestamp..<max(event.timestamp, end)) { $0.clamped(to: $1) }
        parts = Self.parts(of: range, own)
      } else if let seconds = keys[event.eventTypeId].flatMap({ event.properties[$0] })?.seconds, seconds > 0 {
        let day = local.day(of: event)
        if day <= last, ranges.allSatisfy({ $0.contains(event) }) { parts = [Part(seconds, on: day)] }
      }
      if !parts.isEmpty { entries.append(Entry(event: event, isRunning: isRunning, parts: parts)) }
    }
    self.entries = entries.sorted { ($0.event.timestamp, $0.event.id) < ($1.event.timestamp, $1.event.id) }
    firstWeekday = local.firstWeekday
  }

  /// Returns the range of timestamps that events with time in the ranges can have.
  private static func timestamps(
    _ ranges: [EventRange], _ last: CivilDate, _ local: LocalTime, _ running: Set<String>, _ types: Set<String>,
    _ record: some UserRecord
  ) throws -> Range<Date> {
    let bounds = ranges.map(\.timestamps)
    let end = (bounds.map(\.upperBound) + [local.timestamps(of: last...last).upperBound]).min() ?? .distantFuture
    guard var start = bounds.map(\.lowerBound).max(), start > .distantPast else { return .distantPast..<end }
    start.addTimeInterval(Double(-reach * 86_400))
    for event in try running.compactMap(record.event(id:))
    where event.endDate == nil && !event.isAllDay && types.contains(event.eventTypeId) {
      start = min(start, event.timestamp)
    }
    return start..<max(start, end)
  }

  private static func parts(of range: Range<Date>, _ own: LocalTime) -> [Part] {
    var (parts, start): ([Part], Date) = ([], range.lowerBound)
    while start < range.upperBound {
      let day = own.day(of: start)
      var next = day.advanced(by: 1)
      // A zone can skip a day, as Samoa did in 2011.
      while own.start(of: next) <= start { next = next.advanced(by: 1) }
      let end = min(own.start(of: next), range.upperBound)
      parts.append(Part(start..<end, on: day))
      start = end
    }
    return parts
  }

  /// Returns the seconds of each part without the time of the parts that begin before it.
  static func exclusiveSeconds(_ parts: [Part]) -> [(part: Part, seconds: Double)] {
    var end = Date.distantPast
    return parts.sorted { ($0.range?.lowerBound ?? .distantPast) < ($1.range?.lowerBound ?? .distantPast) }.map {
      part in
      guard let range = part.range else { return (part, part.seconds) }
      let start = max(range.lowerBound, end)
      end = max(end, range.upperBound)
      return (part, max(0, range.upperBound.timeIntervalSince(start)))
    }
  }

  /// Times that several events share, in chronological order.
  public var overlaps: [Overlap] {
    var (found, active, time): ([Overlap], [(end: Date, event: Event)], Date) = ([], [], .distantPast)
    func advance(to next: Date) {
      while let end = active.map(\.end).min(), time < next {
        let end = min(end, next)
        if active.count > 1, time < end { found.append(Overlap(range: time..<end, events: active.map(\.event))) }
        time = end
        active.removeAll { $0.end <= end }
      }
      time = next
    }
    let timed = entries.compactMap { entry -> (range: Range<Date>, event: Event)? in
      guard let first = entry.parts.first?.range, let last = entry.parts.last?.range else { return nil }
      return (first.lowerBound..<last.upperBound, entry.event)
    }
    for (range, event) in timed.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      advance(to: range.lowerBound)
      active.append((range.upperBound, event))
    }
    advance(to: .distantFuture)
    return found
  }
}

extension PropertyValue {
  /// Value of a duration property, or `nil` for other properties. Sums of these values are finite.
  fileprivate var seconds: Double? { type == .duration ? doubleValue.flatMap { $0 < 1e12 ? $0 : nil } : nil }
}

extension Report {
  /// Reads the time of the selected types.
  /// - Parameters:
  ///   - days: days to which the range is limited; `nil` for no limit.
  ///   - record: the record.
  public func time(on days: ClosedRange<CivilDate>? = nil, from record: some UserRecord) throws -> TimeLedger {
    try TimeLedger(query, allRows.map(\.type), on: days, from: record)
  }
}
