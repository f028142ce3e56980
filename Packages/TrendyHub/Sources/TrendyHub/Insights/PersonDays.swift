import Foundation
import TrendyInsights
import TrendyModels

/// Days of a person: a zone, and when in it a day begins.
struct PersonDays: Sendable {
  private let rules: TimeZoneRules
  let zone: String
  let startSeconds: Int64
  private let zones = TimeZoneCache()

  init(_ call: HubCall) throws(Problem) {
    zone = call.text("zone") ?? "UTC"
    guard let rules = TimeZoneRules(named: zone) else {
      throw .invalid("zone: this hub knows no time zone \"\(zone.prefix(64))\"")
    }
    self.rules = rules
    startSeconds = try call.integer("day_start", in: 0...86_399, default: 0)
  }

  /// Milliseconds; see `LocalTime.longestDateShift`.
  let longestShift = Int64(LocalTime.longestDateShift * 1000)

  /// Milliseconds since 1970; to the hour where the clocks change that day.
  func start(of date: CivilDate) -> Int64 {
    let local = Int64(date.daysSince1970) * 86_400 + startSeconds
    let guess = Date(timeIntervalSince1970: Double(local))
    let first = Double(local) - Double(rules.secondsFromGMT(at: guess))
    return (local - Int64(rules.secondsFromGMT(at: Date(timeIntervalSince1970: first)))) * 1000
  }

  /// The day that an event belongs to: of an all-day event its own date, in the zone where it was recorded; else that of its moment
  /// here.
  func date(of event: HubEventMoment) -> CivilDate {
    let moment = Date(milliseconds: event.moment)
    guard event.isAllDay else { return day(of: moment) }
    return ownRules(of: event)?.date(of: moment) ?? rules.date(ofAllDayEventAt: moment)
  }

  /// The day here in which a moment lies.
  func day(of moment: Date) -> CivilDate { rules.day(of: moment, dayStart: Int(startSeconds)) }

  /// Minutes after midnight, on the clock here.
  func minute(of moment: Date) -> Int { rules.minuteOfDay(of: moment) }

  /// When an event began, as clock and calendar showed it where it was recorded: what findings are made of.
  func moment(of event: HubEventMoment) -> TypeHistory.Moment {
    let isOfPosition = event.sourceType?.isOfPosition ?? false
    if event.isAllDay {
      return TypeHistory.Moment(day: date(of: event), minute: nil, isOfPosition: isOfPosition)
    }
    let own = ownRules(of: event) ?? rules
    let moment = Date(milliseconds: event.moment)
    return TypeHistory.Moment(
      day: own.day(of: moment, dayStart: Int(startSeconds)), minute: own.minuteOfDay(of: moment),
      isOfPosition: isOfPosition)
  }

  /// The day of an event where it was recorded: that of its ``moment(of:)``.
  func ownDay(of event: HubEventMoment) -> CivilDate {
    if event.isAllDay { return date(of: event) }
    return (ownRules(of: event) ?? rules).day(of: Date(milliseconds: event.moment), dayStart: Int(startSeconds))
  }

  /// The date of a moment of an all-day event, in the zone where it was recorded.
  func date(ofAllDay moment: Date, of event: Event) -> CivilDate {
    guard let name = event.timeZone, let own = name == zone ? rules : zones.rules(named: name) else {
      return rules.date(ofAllDayEventAt: moment)
    }
    return own.date(of: moment)
  }

  /// Of the zone where an event was recorded; `nil` where that is not known.
  private func ownRules(of event: HubEventMoment) -> TimeZoneRules? {
    event.timeZone.flatMap { $0 == zone ? rules : zones.rules(named: $0) }
  }
}

extension [HubRoute.Parameter] {
  /// Parameters of ``PersonDays``.
  static var days: [HubRoute.Parameter] {
    [
      .init("zone", .string, "the IANA name of a time zone; UTC unless told"),
      .init("day_start", .integer(0...86_399), "seconds after midnight at which a day begins"),
    ]
  }
}
