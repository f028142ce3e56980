import Foundation
import TrendyInsights
import TrendyModels

extension LocalTime {
  /// Creates the calendar from the request parameters `zone`, `day_start` and `week_start`.
  init(_ call: HubCall) throws(Problem) {
    let zone = call.text("zone") ?? "UTC"
    guard let local = LocalTime(zoneName: zone) else {
      throw .invalid("zone: unknown time zone \"\(zone.prefix(64))\"")
    }
    self = local
    dayStart = Int(try call.integer("day_start", in: 0...86_399, default: 0))
    firstWeekday = Int(try call.integer("week_start", in: 0...6, default: 1))
  }

  /// Returns the range of possible timestamps for events on these days, in milliseconds since 1970.
  func milliseconds(of days: ClosedRange<CivilDate>) -> Range<Int64> {
    let range = timestamps(of: days)
    return range.lowerBound.milliseconds..<range.upperBound.milliseconds
  }

  /// Returns an event's day. See ``day(of:)-(Event)``.
  func day(of event: HubEventMoment) -> CivilDate {
    let moment = Date(milliseconds: event.moment)
    return event.isAllDay
      ? date(ofAllDay: moment, recordedIn: event.timeZone) : day(of: moment, recordedIn: event.timeZone)
  }

  /// Returns an event's day and time of day in the time zone in which it was recorded.
  func moment(of event: HubEventMoment) -> TypeHistory.Moment {
    TypeHistory.Moment(
      day: day(of: event),
      minute: event.isAllDay ? nil : minuteOfDay(of: Date(milliseconds: event.moment), recordedIn: event.timeZone),
      isOfPosition: event.sourceType?.isOfPosition ?? false)
  }
}

extension [HubRoute.Parameter] {
  static var days: [HubRoute.Parameter] {
    [
      .init("zone", .string, "IANA name of the time zone; default UTC"),
      .init("day_start", .integer(0...86_399), "start of the day in seconds after midnight"),
    ]
  }
}
