public import TrendyFoundation

/// Time range that selects events.
///
/// A bound at the start of a local day selects by day: each event belongs to its day in the time zone it was recorded
/// in. Any other bound is a point in time.
public struct EventRange: Hashable, Sendable {
  private let range: Range<Date>
  /// Day that begins at the lower bound, or `nil` if the bound is not the start of a day.
  private let firstDay: CivilDate?
  /// Day that begins at the upper bound, or `nil` if the bound is not the start of a day.
  private let endDay: CivilDate?
  private let local: LocalTime
  private let includesExtending: Bool

  /// Creates a range in the user's calendar.
  ///
  /// If `includesExtending`, a range of days also selects events that begin up to ``LocalTime/longestReach`` days
  /// before it and extend into it.
  public init(_ range: Range<Date>, in local: LocalTime, includesExtending: Bool = false) {
    self.range = range
    self.local = local
    self.includesExtending = includesExtending
    func day(beginningAt bound: Date) -> CivilDate? {
      let day = local.day(of: bound)
      return local.start(of: day) == bound ? day : nil
    }
    firstDay = day(beginningAt: range.lowerBound)
    endDay = day(beginningAt: range.upperBound)
  }

  /// Range of timestamps that selected events can have. Wider than the bounds, because time zones differ.
  public var timestamps: Range<Date> {
    let (first, end) = (range.lowerBound, range.upperBound)
    let reach = includesExtending ? Double(LocalTime.longestReach) * 86_400 : 0
    let start = first == .distantPast ? first : first.addingTimeInterval(-LocalTime.longestDateShift - reach)
    return start..<(end == .distantFuture ? end : end.addingTimeInterval(LocalTime.longestDateShift))
  }

  /// Whether the range selects an event.
  public func contains(_ event: Event) -> Bool {
    let day = local.day(of: event)
    let moment = event.isAllDay ? local.start(of: day) : event.timestamp
    return firstDay.map { day >= $0 || isExtending(event, into: $0) } ?? (moment >= range.lowerBound)
      && endDay.map { day < $0 } ?? (moment < range.upperBound)
  }

  private func isExtending(_ event: Event, into day: CivilDate) -> Bool {
    guard includesExtending else { return false }
    let days = local.days(of: event)
    return days.upperBound >= day && days.lowerBound >= day.advanced(by: -LocalTime.longestReach)
  }

  /// Returns the selected time in the zone of events.
  ///
  /// - Parameter own: the user's calendar in that zone; see ``LocalTime/inZone(of:)``.
  public func moments(in own: LocalTime) -> Range<Date> {
    let start = firstDay.map(own.start(of:)) ?? range.lowerBound
    return start..<max(start, endDay.map(own.start(of:)) ?? range.upperBound)
  }

  /// Days that the range touches.
  public var days: ClosedRange<CivilDate> {
    let first = local.day(of: range.lowerBound)
    return first...max(first, endDay?.advanced(by: -1) ?? local.day(of: range.upperBound))
  }

  /// Whether the range contains a point in time.
  ///
  /// An event at that time is selected if it was recorded in the user's time zone and is not an all-day event.
  public func contains(_ moment: Date) -> Bool { range.contains(moment) }
}
