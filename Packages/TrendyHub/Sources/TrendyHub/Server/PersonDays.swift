import Foundation
import Synchronization
import TrendyInsights
import TrendyModels

/// Days of a person: a zone, and when in it a day begins.
struct PersonDays: Sendable {
  private let rules: TimeZoneRules
  let zone: String
  let startSeconds: Int64
  private let zones = ZoneTable()

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
  func date(of event: HubEntry) -> CivilDate {
    let seconds = Date(milliseconds: event.listMoment)
    guard event.fields["is_all_day"]?.value.boolValue == true else {
      return Self.date(seconds, offset: rules.secondsFromGMT(at: seconds) - Int(startSeconds))
    }
    if let name = event.fields["time_zone"]?.value.stringValue, let own = name == zone ? rules : zones.rules(name) {
      return Self.date(seconds, offset: own.secondsFromGMT(at: seconds))
    }
    let local = seconds.timeIntervalSince1970 + Double(rules.secondsFromGMT(at: seconds))
    if local.truncatingRemainder(dividingBy: 86_400) == 0 {
      return Self.date(seconds, offset: rules.secondsFromGMT(at: seconds))
    }
    // The nearest midnight of UTC, as devices take it.
    return Self.date(seconds, offset: 43_200)
  }

  /// The day here in which a moment lies.
  func day(of moment: Date) -> CivilDate { rules.day(of: moment, dayStart: Int(startSeconds)) }

  /// When an event began, as clock and calendar showed it where it was recorded: what findings are made of.
  func moment(of event: HubEntry) -> TypeHistory.Moment {
    if event.fields["is_all_day"]?.value.boolValue == true {
      return TypeHistory.Moment(day: date(of: event), minute: nil)
    }
    let name = event.fields["time_zone"]?.value.stringValue
    let own = name.flatMap { $0 == zone ? rules : zones.rules($0) } ?? rules
    let moment = Date(milliseconds: event.listMoment)
    let seconds = Int(moment.timeIntervalSince1970.rounded(.down)) + own.secondsFromGMT(at: moment)
    let minute = ((seconds % 86_400 + 86_400) % 86_400) / 60
    return TypeHistory.Moment(day: own.day(of: moment, dayStart: Int(startSeconds)), minute: minute)
  }

  private static func date(_ moment: Date, offset: Int) -> CivilDate {
    CivilDate(daysSince1970: Int(((moment.timeIntervalSince1970 + Double(offset)) / 86_400).rounded(.down)))
  }
}

/// Zones of events, each read once.
private final class ZoneTable: Sendable {
  private let zones = Mutex<[String: TimeZoneRules?]>([:])

  func rules(_ name: String) -> TimeZoneRules? {
    zones.withLock { zones in
      if let known = zones[name] { return known }
      let rules = TimeZoneRules(named: name)
      zones[name] = .some(rules)
      return rules
    }
  }
}
