#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols

extension Session {
  /// The events of some of the person's days, the newest first. An all-day event belongs to its date.
  /// - Parameters:
  ///   - range: from the first moment of a day to that of another, or any moments; `nil` for all.
  ///   - limit: at most so many; `nil` for all.
  func events(
    in range: Range<Date>?, ofType type: String?, limit: Int?, from store: any DataStoreProtocol
  ) throws -> [Event] {
    guard let range else { return local.newestFirst(try store.events(in: nil, ofType: type, limit: limit)) }
    let found = local.newestFirst(
      try store.events(in: local.timestamps(ofDays: range), ofType: type, limit: nil)
        .filter { range.contains(local.moment(of: $0)) })
    return limit.map { Array(found.prefix($0)) } ?? found
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
