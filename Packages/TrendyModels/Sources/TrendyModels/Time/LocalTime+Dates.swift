public import TrendyFoundation

/// Dates that are the same in every time zone: all-day events, and `date` properties.
extension LocalTime {
  /// Seconds: ``moment(of:)`` lies less than this before or after an event's timestamp.
  ///
  /// Two zones differ by at most 26 hours, a timestamp lies less than 24 behind its midnight, and a day may begin as much later.
  public static let longestDateShift = 259_200.0

  /// The date of an all-day event: that of its timestamp in the zone where it was recorded.
  ///
  /// Where the zone is unknown, a timestamp that is midnight here has its date here. For any other, the midnight of UTC nearest
  /// to it decides: right for midnights of all zones from 11 hours behind UTC to 12 ahead, and the same on all devices.
  public func date(of event: Event) -> CivilDate { date(event.timestamp, of: event) }

  /// The date of a moment in the zone where an event was recorded, such as the end of an all-day event; see ``date(of:)-(Event)``.
  public func date(_ moment: Date, of event: Event) -> CivilDate {
    if let zone = event.timeZone {
      if zone == zoneName { return date(of: moment) }
      if let rules = zones.rules(named: zone) { return rules.date(of: moment) }
    }
    return moment == midnight(moment) ? date(of: moment) : CivilDate(nearestMidnightOfUTC: moment)
  }

  /// The date that a property holds; `nil` where it holds a moment with a time of day, or something other than a date.
  ///
  /// A date is written as a date alone, or as midnight with the writer's offset. Midnight in the zone of the event, written in
  /// UTC, is a date as well.
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

  /// The text by which a property keeps a date: its midnight with the offset here, never with `Z`, which would mean a moment.
  public func text(of date: CivilDate) -> String {
    let text = rfc3339(midnight(of: date))
    return text.hasSuffix("Z") ? text.dropLast() + "+00:00" : text
  }

  /// The date here.
  public func date(of moment: Date) -> CivilDate {
    let fields = components(of: moment)
    return CivilDate(year: fields.year, month: fields.month, day: fields.day)
  }

  /// The first moment here of a date of the calendar, whenever days begin.
  public func midnight(of date: CivilDate) -> Date {
    let (year, month, day) = date.fields
    return self.date(year: year, month: month, day: day)
  }

  /// The moment by which an event belongs to a day. An all-day event belongs to its date, whenever days begin and wherever it
  /// was recorded.
  public func moment(of event: Event) -> Date {
    guard event.isAllDay else { return event.timestamp }
    return startOfDay(datedAs: midnight(of: date(of: event)))
  }

  /// The day of the person in which an event lies: of the zone where it was recorded, beginning at ``dayStart`` there. An
  /// all-day event lies on its date.
  public func day(of event: Event) -> CivilDate {
    if event.isAllDay { return date(of: event) }
    guard let zone = event.timeZone, zone != zoneName, let rules = zones.rules(named: zone) else {
      return day(of: event.timestamp)
    }
    return rules.day(of: event.timestamp, dayStart: dayStart)
  }

  /// The timestamps that events of some days may have, in whatever zone they were recorded.
  public func timestamps(of days: ClosedRange<CivilDate>) -> Range<Date> {
    let (first, end) = (midnight(of: days.lowerBound), midnight(of: days.upperBound.advanced(by: 1)))
    return first.addingTimeInterval(-Self.longestDateShift)..<end.addingTimeInterval(Self.longestDateShift)
  }

  /// What the clock showed when an event began, in the zone where it was recorded: minutes after midnight, below 1440. `nil` of an
  /// all-day event.
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

  /// The moment of another day of the person at which a clock shows what it shows at a moment; see
  /// ``date(year:month:day:hour:minute:second:)`` for a time that a clock change skips or repeats.
  public func sameTime(as moment: Date, on day: CivilDate) -> Date {
    let clock = components(of: moment)
    // In the night before a day begins the calendar is a date ahead.
    let ahead = date(of: moment).daysSince1970 - self.day(of: moment).daysSince1970
    let (year, month, number) = day.advanced(by: ahead).fields
    return date(
      year: year, month: month, day: number, hour: clock.hour, minute: clock.minute, second: clock.second)
  }

  /// The day of the person in which a moment lies here.
  public func day(of moment: Date) -> CivilDate { date(of: startOfDay(moment)) }
}

extension CivilDate {
  fileprivate init(atUTC moment: Date, secondsFromGMT: Int = 0) {
    let seconds = RFC3339.boundedSeconds(of: moment) + Double(secondsFromGMT)
    self.init(daysSince1970: Int((seconds / 86_400).rounded(.down)))
  }

  /// The date of an all-day event whose zone is not known, and whose timestamp is not midnight here.
  fileprivate init(nearestMidnightOfUTC moment: Date) { self.init(atUTC: moment.addingTimeInterval(43_200)) }
}

extension TimeZoneRules {
  /// The day of a person, living in this zone, in which a moment lies.
  /// - Parameters:
  ///   - moment: any.
  ///   - dayStart: seconds after midnight at which a day begins, below 86,400.
  public func day(of moment: Date, dayStart: Int) -> CivilDate {
    // By the clock there: what it shows, as long ago as a day begins after midnight.
    func dayShown(at secondsFromGMT: Int) -> CivilDate {
      CivilDate(atUTC: moment, secondsFromGMT: secondsFromGMT - dayStart)
    }
    let shown = dayShown(at: secondsFromGMT(at: moment))
    // A clock that was set back shows the time before a day began again. The day has begun all the same.
    guard dayStart > 0, let offset = offsetBeforeStepBack(to: moment), shown < dayShown(at: offset) else {
      return shown
    }
    let start = Double(shown.daysSince1970 + 1) * 86_400 + Double(dayStart - offset)
    let hasBegun = secondsFromGMT(at: Date(timeIntervalSince1970: start)) == offset
    return hasBegun ? shown.advanced(by: 1) : shown
  }

  /// The date of the calendar here.
  public func date(of moment: Date) -> CivilDate {
    CivilDate(atUTC: moment, secondsFromGMT: secondsFromGMT(at: moment))
  }

  /// What the clock here shows: minutes after midnight, below 1440.
  public func minuteOfDay(of moment: Date) -> Int {
    LocalTime.minuteOfDay(of: moment, secondsFromGMT: secondsFromGMT(at: moment))
  }

  /// The date of an all-day event of which nobody knows in which zone it was recorded, for a person in this one: as
  /// ``LocalTime/date(of:)-(Event)`` tells it.
  /// - Parameter moment: the event's timestamp.
  public func date(ofAllDayEventAt moment: Date) -> CivilDate {
    isMidnight(moment) ? date(of: moment) : CivilDate(nearestMidnightOfUTC: moment)
  }

  /// Seconds east of Greenwich that held three hours ago, where the clock was set back since.
  fileprivate func offsetBeforeStepBack(to moment: Date) -> Int? {
    let before = secondsFromGMT(at: moment.addingTimeInterval(-10_800))
    return before > secondsFromGMT(at: moment) ? before : nil
  }

  fileprivate func isMidnight(_ moment: Date) -> Bool {
    (moment.timeIntervalSince1970 + Double(secondsFromGMT(at: moment))).truncatingRemainder(dividingBy: 86_400) == 0
  }
}
