import Foundation
import TrendyInsights
import TrendyModels

/// Calendar of a user: a time zone, and the time at which a day begins.
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

  /// Maximum difference between an event's local date and its time, in milliseconds.
  ///
  /// See `LocalTime.longestDateShift`.
  let longestShift = Int64(LocalTime.longestDateShift * 1000)

  /// Returns the start of a day in milliseconds since 1970.
  ///
  /// On days with a clock change it may be an hour off.
  func start(of date: CivilDate) -> Int64 {
    let local = Int64(date.daysSince1970) * 86_400 + startSeconds
    let guess = Date(timeIntervalSince1970: Double(local))
    let first = Double(local) - Double(rules.secondsFromGMT(at: guess))
    return (local - Int64(rules.secondsFromGMT(at: Date(timeIntervalSince1970: first)))) * 1000
  }

  /// Returns the day of an event in the user's calendar.
  ///
  /// An all-day event keeps its date in the time zone in which it was recorded.
  func date(of event: HubEventMoment) -> CivilDate {
    let moment = Date(milliseconds: event.moment)
    guard event.isAllDay else { return day(of: moment) }
    return ownRules(of: event)?.date(of: moment) ?? rules.date(ofAllDayEventAt: moment)
  }

  /// Returns the day of a time in the user's calendar.
  func day(of moment: Date) -> CivilDate { rules.day(of: moment, dayStart: Int(startSeconds)) }

  /// Returns the local time in minutes after midnight.
  func minute(of moment: Date) -> Int { rules.minuteOfDay(of: moment) }

  /// Returns local date and time of an event in the time zone in which it was recorded.
  ///
  /// Findings are based on these values.
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

  /// Returns the day of an event in the time zone in which it was recorded, as ``moment(of:)`` does.
  func ownDay(of event: HubEventMoment) -> CivilDate {
    if event.isAllDay { return date(of: event) }
    return (ownRules(of: event) ?? rules).day(of: Date(milliseconds: event.moment), dayStart: Int(startSeconds))
  }

  /// Returns the date of an all-day event in the time zone in which it was recorded.
  func date(ofAllDay moment: Date, of event: Event) -> CivilDate {
    guard let name = event.timeZone, let own = name == zone ? rules : zones.rules(named: name) else {
      return rules.date(ofAllDayEventAt: moment)
    }
    return own.date(of: moment)
  }

  /// Returns the time zone in which an event was recorded, or `nil` if unknown.
  private func ownRules(of event: HubEventMoment) -> TimeZoneRules? {
    event.timeZone.flatMap { $0 == zone ? rules : zones.rules(named: $0) }
  }
}

extension [HubRoute.Parameter] {
  /// Query parameters of ``PersonDays``.
  static var days: [HubRoute.Parameter] {
    [
      .init("zone", .string, "the IANA name of a time zone; UTC unless told"),
      .init("day_start", .integer(0...86_399), "seconds after midnight at which a day begins"),
    ]
  }
}
