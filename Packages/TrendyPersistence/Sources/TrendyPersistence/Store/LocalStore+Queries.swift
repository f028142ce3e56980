#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels
import TrendyProtocols

extension LocalStore {
  public func events(in range: Range<Date>?, ofType eventTypeId: String?, limit: Int?) throws -> [Event] {
    try refresh()
    let wanted = limit ?? .max
    guard wanted > 0, range?.isEmpty != true else { return [] }
    let group = eventTypeId.map(RowOrder.group)
    let (lower, upper) = Self.sorts(of: range)
    var asked = wanted
    while true {
      var records = Array(
        try scan(RowKind.event, group: group, from: lower, to: upper, descending: true, limit: asked))
      let isFull = records.count == asked
      if isFull, let last = records.last?.sort {
        // Among equal times identifiers decide, which for those that are hashed is not the order of keys: take all of
        // the last time, then choose.
        while records.last?.sort == last { records.removeLast() }
        records += try scan(RowKind.event, group: group, from: last, to: last + 1, descending: true)
      }
      var events: [Event] = []
      events.reserveCapacity(records.count)
      for record in records {
        let event = try decode(Event.self, record)
        if let eventTypeId, event.eventTypeId != eventTypeId { continue }
        if let range, !range.contains(event.timestamp) { continue }
        events.append(event)
      }
      if isFull && events.count < wanted {
        // Some at the edge did not belong: ask for more.
        asked = asked > Int.max / 2 ? .max : asked * 2
        continue
      }
      if !events.indices.dropFirst().allSatisfy({ Self.isBefore(events[$0 - 1], events[$0]) }) {
        events.sort(by: Self.isBefore)
      }
      return events.count > wanted ? Array(events.prefix(wanted)) : events
    }
  }

  public func eventCountsByDay(
    in range: Range<Date>?, ofType eventTypeId: String?, timeZone: TimeZone
  ) throws -> [Date: Int] {
    try refresh()
    if range?.isEmpty == true { return [:] }
    let group = eventTypeId.map(RowOrder.group)
    let (lower, upper) = Self.sorts(of: range)
    guard
      let first = try scan(RowKind.event, group: group, from: lower, to: upper, limit: 1).first,
      let last = try scan(RowKind.event, group: group, from: lower, to: upper, descending: true, limit: 1).first
    else { return [:] }
    let days = DayTable(
      from: Self.date(first.sort), through: Self.date(last.sort), timeZone: timeZone)
    var boundaries = days.starts.map(RowOrder.sort)
    boundaries.append(last.sort + 1)
    boundaries[0] = min(boundaries[0], first.sort)
    if boundaries[0] < lower { boundaries[0] = lower }
    var counts = try counts(RowKind.event, group: group, boundaries: boundaries)
    if let range {
      // The index knows microseconds; what lies beside the range within the first or the last is taken out.
      for edge in Set([lower, upper - 1]) {
        for record in try scan(RowKind.event, group: group, from: edge, to: edge + 1) {
          let event = try decode(Event.self, record)
          if range.contains(event.timestamp) { continue }
          if let day = boundaries.lastIndex(where: { $0 <= edge }), day < counts.count { counts[day] -= 1 }
        }
      }
    }
    var result: [Date: Int] = [:]
    for (day, count) in zip(days.starts, counts) where count > 0 { result[day] = count }
    return result
  }
}

extension LocalStore {
  /// The newest first; equal times by id, the highest first.
  private static func isBefore(_ left: Event, _ right: Event) -> Bool {
    left.timestamp != right.timestamp ? left.timestamp > right.timestamp : left.id > right.id
  }

  /// What a scan of a range covers: every row in it, and at its edges perhaps some within the same microsecond.
  private static func sorts(of range: Range<Date>?) -> (lower: Int64, upper: Int64) {
    guard let range else { return (.min, .max) }
    return (RowOrder.sort(range.lowerBound), RowOrder.sort(range.upperBound) + 1)
  }

  private static func date(_ sort: Int64) -> Date { Date(timeIntervalSinceReferenceDate: Double(sort) / 1_000_000) }
}
