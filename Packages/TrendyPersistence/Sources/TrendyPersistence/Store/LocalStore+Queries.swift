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
    if Double(last.sort) - Double(first.sort) > Self.longestTable {
      return try sparseCounts(range, lower..<upper, ofType: eventTypeId, timeZone: timeZone)
    }
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
  /// Microseconds, about a thousand years: a wrong date among right ones is no reason to list every day between.
  private static let longestTable = 400_000.0 * 86_400_000_000

  /// Day after day that has events, however far apart they are.
  private func sparseCounts(
    _ range: Range<Date>?, _ sorts: Range<Int64>, ofType eventTypeId: String?, timeZone: TimeZone
  ) throws -> [Date: Int] {
    let group = eventTypeId.map(RowOrder.group)
    var result: [Date: Int] = [:]
    var from = sorts.lowerBound
    while let next = try scan(RowKind.event, group: group, from: from, to: sorts.upperBound, limit: 1).first {
      let moment = Self.date(next.sort)
      let days = DayTable(from: moment, through: moment.addingTimeInterval(200_000), timeZone: timeZone)
      let after = days.starts.first { $0 > moment } ?? moment.addingTimeInterval(86_400)
      let to = min(max(RowOrder.sort(after), next.sort + 1), sorts.upperBound)
      for record in try scan(RowKind.event, group: group, from: next.sort, to: to) {
        let event = try decode(Event.self, record)
        if let range, !range.contains(event.timestamp) { continue }
        result[days.starts[0], default: 0] += 1
      }
      from = to
    }
    return result
  }

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
