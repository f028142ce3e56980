public import TrendyFoundation

// Dates that are equal in all time zones: those of all-day events and of `date` properties.
extension LocalTime {
  /// Upper bound of the distance between an event's timestamp and its ``moment(of:)``, in seconds.
  ///
  /// Two zones differ by at most 26 hours, a timestamp is less than 24 hours after its midnight, and a day may begin up
  /// to 24 hours after midnight.
  public static let longestDateShift = 259_200.0

  /// Returns the date of an all-day event: the date of its timestamp in the zone in which it was recorded.
  ///
  /// If that zone is unknown and the timestamp is a local midnight, the result is the local date. Otherwise it is the
  /// date of the nearest UTC midnight, which is correct for midnights in all zones from UTC-11 to UTC+12 and equal on
  /// all devices.
  public func date(of event: Event) -> CivilDate { date(event.timestamp, of: event) }

  /// Returns the date of a timestamp, such as the end of an all-day event, in the zone in which the event was recorded;
  /// see ``date(of:)-(Event)``.
  public func date(_ moment: Date, of event: Event) -> CivilDate {
    if let zone = event.timeZone {
      if zone == zoneName { return date(of: moment) }
      if let rules = zones.rules(named: zone) { return rules.date(of: moment) }
    }
    return moment == midnight(moment) ? date(of: moment) : CivilDate(nearestMidnightOfUTC: moment)
  }

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
    if let zone = event.timeZone, zone != zoneName, let rules = zones.rules(named: zone) {
      return rules.isMidnight(moment) ? rules.date(of: moment) : nil
    }
    return moment == midnight(moment) ? date(of: moment) : nil
  }

  /// Returns the text under which a property stores a date: its local midnight with a numeric offset. The suffix `Z`
  /// would denote a point in time.
  public func text(of date: CivilDate) -> String {
    let text = rfc3339(midnight(of: date))
    return text.hasSuffix("Z") ? text.dropLast() + "+00:00" : text
  }

  /// Returns the local date of a timestamp.
  public func date(of moment: Date) -> CivilDate {
    let fields = components(of: moment)
    return CivilDate(year: fields.year, month: fields.month, day: fields.day)
  }

  /// Returns the local midnight at which a calendar date begins, regardless of ``dayStart``.
  public func midnight(of date: CivilDate) -> Date {
    let (year, month, day) = date.fields
    return self.date(year: year, month: month, day: day)
  }

  /// Returns the timestamp that determines the day of an event.
  ///
  /// For an all-day event this is the start of the local day with the event's date, wherever it was recorded.
  public func moment(of event: Event) -> Date {
    guard event.isAllDay else { return event.timestamp }
    return startOfDay(datedAs: midnight(of: date(of: event)))
  }

  /// Returns the day of an event in the zone in which it was recorded, where days begin at ``dayStart``. For an all-day
  /// event this is its date.
  public func day(of event: Event) -> CivilDate {
    if event.isAllDay { return date(of: event) }
    guard let zone = event.timeZone, zone != zoneName, let rules = zones.rules(named: zone) else {
      return day(of: event.timestamp)
    }
    return rules.day(of: event.timestamp, dayStart: dayStart)
  }

  /// Returns the range of timestamps that events on these days can have, in any time zone.
  public func timestamps(of days: ClosedRange<CivilDate>) -> Range<Date> {
    let (first, end) = (midnight(of: days.lowerBound), midnight(of: days.upperBound.advanced(by: 1)))
    return first.addingTimeInterval(-Self.longestDateShift)..<end.addingTimeInterval(Self.longestDateShift)
  }

  /// Returns the time of day at which an event began, in the zone in which it was recorded, in minutes after midnight
  /// (0 to 1439); `nil` for an all-day event.
  public func minuteOfDay(of event: Event) -> Int? {
    if event.isAllDay { return nil }
    if let rules = event.timeZone.flatMap({ $0 == zoneName ? nil : zones.rules(named: $0) }) {
      return rules.minuteOfDay(of: event.timestamp)
    }
    return Self.minuteOfDay(
      of: event.timestamp, secondsFromGMT: components(of: event.timestamp).secondsFromGMT)
  }

  static func minuteOfDay(of moment: Date, secondsFromGMT: Int) -> Int {
    let seconds = RFC3339.boundedSeconds(of: moment) + Double(secondsFromGMT)
    let minute = Int((seconds / 60).rounded(.down).truncatingRemainder(dividingBy: 1440))
    return minute < 0 ? minute + 1440 : minute
  }

  /// Returns the timestamp on another day with the same local time of day. For a time that a clock change skips or
  /// repeats see ``date(year:month:day:hour:minute:second:)``.
  public func sameTime(as moment: Date, on day: CivilDate) -> Date {
    let clock = components(of: moment)
    // Between midnight and the start of the day, the calendar date is one ahead of the day.
    let ahead = date(of: moment).daysSince1970 - self.day(of: moment).daysSince1970
    let (year, month, number) = day.advanced(by: ahead).fields
    return date(
      year: year, month: month, day: number, hour: clock.hour, minute: clock.minute, second: clock.second)
  }

  /// Returns the local day that contains a timestamp.
  public func day(of moment: Date) -> CivilDate { date(of: startOfDay(moment)) }
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
  /// Returns the day that contains a timestamp, in this zone.
  ///
  /// - Parameters:
  ///   - moment: timestamp of any event.
  ///   - dayStart: start of a day in seconds after midnight, 0 to 86,399.
  public func day(of moment: Date, dayStart: Int) -> CivilDate {
    // The day by the local clock, shifted by the start of the day.
    func dayShown(at secondsFromGMT: Int) -> CivilDate {
      CivilDate(atUTC: moment, secondsFromGMT: secondsFromGMT - dayStart)
    }
    let shown = dayShown(at: secondsFromGMT(at: moment))
    // After the clock is set back, it shows times before the start of the day again, but the day has already begun.
    guard dayStart > 0, let offset = offsetBeforeStepBack(to: moment), shown < dayShown(at: offset) else {
      return shown
    }
    let start = Double(shown.daysSince1970 + 1) * 86_400 + Double(dayStart - offset)
    let hasBegun = secondsFromGMT(at: Date(timeIntervalSince1970: start)) == offset
    return hasBegun ? shown.advanced(by: 1) : shown
  }

  /// Returns the calendar date of a timestamp in this zone.
  public func date(of moment: Date) -> CivilDate {
    CivilDate(atUTC: moment, secondsFromGMT: secondsFromGMT(at: moment))
  }

  /// Returns the time of day in this zone in minutes after midnight, 0 to 1439.
  public func minuteOfDay(of moment: Date) -> Int {
    LocalTime.minuteOfDay(of: moment, secondsFromGMT: secondsFromGMT(at: moment))
  }

  /// Returns the date of an all-day event whose zone is unknown, as ``LocalTime/date(of:)-(Event)`` does for a user in
  /// this zone.
  ///
  /// - Parameter moment: timestamp of the event.
  public func date(ofAllDayEventAt moment: Date) -> CivilDate {
    isMidnight(moment) ? date(of: moment) : CivilDate(nearestMidnightOfUTC: moment)
  }

  /// Returns the offset of three hours ago in seconds if the clock was set back since then, or `nil`.
  fileprivate func offsetBeforeStepBack(to moment: Date) -> Int? {
    let before = secondsFromGMT(at: moment.addingTimeInterval(-10_800))
    return before > secondsFromGMT(at: moment) ? before : nil
  }

  fileprivate func isMidnight(_ moment: Date) -> Bool {
    (moment.timeIntervalSince1970 + Double(secondsFromGMT(at: moment))).truncatingRemainder(dividingBy: 86_400) == 0
  }
}
