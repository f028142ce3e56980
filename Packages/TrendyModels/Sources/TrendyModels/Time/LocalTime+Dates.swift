public import TrendyFoundation

// Dates of all-day events and of `date` properties, which do not depend on the reader's time zone.
extension LocalTime {
  /// Maximum difference in seconds between an event's timestamp and the start of its ``day(of:)-(Event)`` in another
  /// time zone.
  ///
  /// Two zones differ by at most 26 hours, and a timestamp is at most a day and a clock change away from the start of
  /// its day, so 72 hours leave a margin.
  public static let longestDateShift = 259_200.0

  /// Returns the date of an all-day event: the date of its timestamp in the zone it was recorded in.
  ///
  /// If that zone is unknown and the timestamp is a local midnight, the result is the local date. Otherwise the result
  /// is the date of the nearest UTC midnight, which is correct for midnights in all zones from UTC-11 to UTC+12 and the
  /// same on all devices.
  public func date(of event: Event) -> CivilDate { date(event.timestamp, of: event) }

  /// Returns the date of a timestamp, such as the end of an all-day event, in the zone the event was recorded in;
  /// see ``date(of:)-(Event)``.
  public func date(_ moment: Date, of event: Event) -> CivilDate {
    date(ofAllDay: moment, recordedIn: event.timeZone)
  }

  /// Returns the date of an all-day event's timestamp; see ``date(of:)-(Event)``. `zone` is an IANA name, or `nil` if
  /// unknown.
  public func date(ofAllDay moment: Date, recordedIn zone: String?) -> CivilDate {
    if let own = zone.flatMap(rules(named:)) { return own.date(of: moment) }
    return rules.isMidnight(moment) ? rules.date(of: moment) : CivilDate(nearestMidnightOfUTC: moment)
  }

  /// Returns the rules of a zone that events were recorded in, or `nil` if the system does not know it.
  private func rules(named zone: String) -> TimeZoneRules? { zone == zoneName ? rules : zones.rules(named: zone) }

  /// Returns the date that a property contains, or `nil` if it contains a time of day or is not a date.
  ///
  /// A date is written without a time, or as midnight with the writer's offset. Midnight in the zone of the event,
  /// written in UTC, also counts as a date.
  public func date(_ value: PropertyValue, of event: Event) -> CivilDate? {
    guard value.type == .date, let text = value.stringValue else { return nil }
    if let date = CivilDate(text) { return date }
    guard let moment = value.dateValue else { return nil }
    if !text.hasSuffix("Z"), !text.hasSuffix("z"), text.dropFirst(11).hasPrefix("00:00:00"),
      !text.dropFirst(19).hasPrefix(".") || moment.timeIntervalSince1970 == moment.timeIntervalSince1970.rounded()
    {
      return CivilDate(text.prefix(10))
    }
    let rules = event.timeZone.flatMap(rules(named:)) ?? rules
    return rules.isMidnight(moment) ? rules.date(of: moment) : nil
  }

  /// Returns the string that stores a date in a property: its local midnight with a numeric offset. The suffix `Z`
  /// would denote a point in time.
  public func text(of date: CivilDate) -> String {
    let text = rfc3339(midnight(of: date))
    return text.hasSuffix("Z") ? text.dropLast() + "+00:00" : text
  }

  /// Returns the local date of a timestamp.
  public func date(of moment: Date) -> CivilDate { rules.date(of: moment) }

  /// Returns the local midnight that begins a calendar date, regardless of ``dayStart``.
  public func midnight(of date: CivilDate) -> Date { rules.date(onClock: date.daysSince1970 * 86_400) }

  /// Returns this calendar in the zone an event was recorded in, or unchanged if that zone is unknown.
  public func inZone(of event: Event) -> LocalTime {
    guard let zone = event.timeZone, zone != zoneName, let rules = zones.rules(named: zone) else { return self }
    var other = self
    (other.zoneName, other.rules) = (zone, rules)
    return other
  }

  /// Returns the day of an event in the zone it was recorded in, where days begin at ``dayStart``. For an all-day
  /// event this is its date.
  public func day(of event: Event) -> CivilDate {
    event.isAllDay ? date(of: event) : day(of: event.timestamp, recordedIn: event.timeZone)
  }

  /// Maximum number of days after the first on which an event is listed. The event's duration is divided among the same
  /// days.
  public static let longestReach = 2

  /// Returns the days that an event touches, in the zone it was recorded in. `now` is the end of a running event, or
  /// `nil` if the event is not running.
  public func days(of event: Event, until now: Date? = nil) -> ClosedRange<CivilDate> {
    let first = day(of: event)
    guard let end = event.endDate ?? now, end > event.timestamp else { return first...first }
    // An event that ends at the start of a day does not touch that day.
    let last = event.isAllDay ? date(end, of: event) : day(of: end - 0.001, recordedIn: event.timeZone)
    return first...max(first, last)
  }

  /// Returns the share of an event's duration on each day that it touches. The shares add up to 1.
  ///
  /// The whole duration counts towards the first day for an all-day event, an event without a duration, and an event
  /// that touches more than ``longestReach`` further days. For the parameters, see ``days(of:until:)``.
  public func shares(of event: Event, until now: Date? = nil) -> [(day: CivilDate, share: Double)] {
    let days = days(of: event, until: now)
    guard !event.isAllDay, let end = event.endDate ?? now, (2...Self.longestReach + 1).contains(days.count) else {
      return [(days.lowerBound, 1)]
    }
    let (own, seconds) = (inZone(of: event), end.timeIntervalSince(event.timestamp))
    return days.map { day in
      let range = own.moments(of: day...day).clamped(to: event.timestamp..<end)
      return (day, range.upperBound.timeIntervalSince(range.lowerBound) / seconds)
    }
  }

  /// Returns the day of a timestamp in the zone it was recorded in. `zone` is an IANA name, or `nil` if unknown. Not
  /// for all-day events.
  public func day(of moment: Date, recordedIn zone: String?) -> CivilDate {
    (zone.flatMap(rules(named:)) ?? rules).day(of: moment, dayStart: dayStart)
  }

  /// Returns the time range that days cover in this zone, from the start of the first to the end of the last.
  public func moments(of days: ClosedRange<CivilDate>) -> Range<Date> {
    let start = start(of: days.lowerBound)
    return start..<max(start, self.start(of: days.upperBound.advanced(by: 1)))
  }

  /// Returns the range of timestamps that events on these days can have, in any time zone.
  public func timestamps(of days: ClosedRange<CivilDate>) -> Range<Date> {
    let (first, end) = (midnight(of: days.lowerBound), midnight(of: days.upperBound.advanced(by: 1)))
    return first.addingTimeInterval(-Self.longestDateShift)..<end.addingTimeInterval(Self.longestDateShift)
  }

  /// Returns the start of an event in minutes after midnight (0 to 1439), in the zone it was recorded in, or `nil` for
  /// an all-day event.
  public func minuteOfDay(of event: Event) -> Int? {
    event.isAllDay ? nil : minuteOfDay(of: event.timestamp, recordedIn: event.timeZone)
  }

  /// Returns the time of day of a timestamp, in minutes after midnight in the zone it was recorded in. `zone` is an
  /// IANA name, or `nil` if unknown.
  public func minuteOfDay(of moment: Date, recordedIn zone: String? = nil) -> Int {
    let rules = zone.flatMap(rules(named:)) ?? rules
    return Self.minuteOfDay(of: moment, secondsFromGMT: rules.secondsFromGMT(at: moment))
  }

  static func minuteOfDay(of moment: Date, secondsFromGMT: Int) -> Int {
    let seconds = RFC3339.boundedSeconds(of: moment) + Double(secondsFromGMT)
    let minute = Int((seconds / 60).rounded(.down).truncatingRemainder(dividingBy: 1440))
    return minute < 0 ? minute + 1440 : minute
  }

  /// Returns the timestamp on another day with the same local time of day. For times that a clock change skips or
  /// repeats, see ``date(year:month:day:hour:minute:second:)``.
  public func sameTime(as moment: Date, on day: CivilDate) -> Date {
    let clock = components(of: moment)
    // Between midnight and the start of the day, the calendar date is one ahead of the day.
    let ahead = date(of: moment).daysSince1970 - self.day(of: moment).daysSince1970
    let (year, month, number) = day.advanced(by: ahead).fields
    return date(
      year: year, month: month, day: number, hour: clock.hour, minute: clock.minute, second: clock.second)
  }

  /// Returns the local day that contains a timestamp.
  public func day(of moment: Date) -> CivilDate { rules.day(of: moment, dayStart: dayStart) }
}

extension CivilDate {
  fileprivate init(atUTC moment: Date, secondsFromGMT: Int = 0) {
    let seconds = RFC3339.boundedSeconds(of: moment) + Double(secondsFromGMT)
    self.init(daysSince1970: Int((seconds / 86_400).rounded(.down)))
  }

  /// Creates the date of an all-day event whose zone is unknown and whose timestamp is not a local midnight.
  fileprivate init(nearestMidnightOfUTC moment: Date) { self.init(atUTC: moment.addingTimeInterval(43_200)) }
}

extension TimeZoneRules {
  /// Returns the day that contains a timestamp, in this zone. `dayStart` is in seconds after midnight, 0 to 86,399.
  func day(of moment: Date, dayStart: Int) -> CivilDate {
    let date = date(of: moment)
    let clock = RFC3339.boundedSeconds(of: moment) + Double(secondsFromGMT(at: moment))
    let start = date.daysSince1970 * 86_400 + dayStart
    // After the clock is set back, it shows times before the start of the day again, but the day has already begun.
    return clock >= Double(start) || moment >= self.date(onClock: start) ? date : date.advanced(by: -1)
  }

  func date(of moment: Date) -> CivilDate { CivilDate(atUTC: moment, secondsFromGMT: secondsFromGMT(at: moment)) }

  /// Returns the timestamp at which the local clock shows a time. If a clock change repeats the time, the result is its
  /// first occurrence. If a clock change skips it, the result is later by the length of the change.
  ///
  /// - Parameter clock: local time, as the seconds since 1970 of a clock set to UTC.
  func date(onClock clock: Int) -> Date {
    func offset(at seconds: Int) -> Int { secondsFromGMT(at: Date(timeIntervalSince1970: Double(seconds))) }
    let before = offset(at: clock - 86_400)
    if offset(at: clock - before) != before {
      let after = offset(at: clock + 86_400)
      if offset(at: clock - after) == after { return Date(timeIntervalSince1970: Double(clock - after)) }
    }
    return Date(timeIntervalSince1970: Double(clock - before))
  }

  fileprivate func isMidnight(_ moment: Date) -> Bool {
    moment == date(onClock: date(of: moment).daysSince1970 * 86_400)
  }
}
