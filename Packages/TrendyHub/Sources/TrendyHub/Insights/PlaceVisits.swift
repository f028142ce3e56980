import Foundation
import TrendyInsights
import TrendyModels
import TrendyProtocols

/// Time spent at a place in recent weeks.
struct PlaceVisits {
  /// Visits are read from this many milliseconds before the first week, because they may extend into it.
  private static let longestStay: Int64 = 14 * 86_400_000

  private let now: Date
  private let local: LocalTime
  private let today: CivilDate
  private let weeks: [ClosedRange<CivilDate>]
  private let stays: [(start: Int64, end: Int64?)]

  /// Reads the visits to a place. `weeks` is the number of weeks, including the current one.
  init(_ reading: any HubReadTransaction, of id: String, weeks: Int, local: LocalTime, now: Date) throws {
    let today = local.day(of: now)
    let present = CalendarPeriod.week.days(around: today, firstWeekday: local.firstWeekday)
    (self.now, self.local, self.today) = (now, local, today)
    self.weeks = (0..<weeks).reversed().map { ago in
      present.lowerBound.advanced(by: -7 * ago)...present.upperBound.advanced(by: -7 * ago)
    }
    let first = local.start(of: self.weeks[0].lowerBound).milliseconds - Self.longestStay
    let prefilter = EventPrefilter(typeId: nil, words: [], names: [:], identifiers: [id])
    let page = try reading.events(during: first..<now.milliseconds + 1, limit: .max, prefilter: prefilter)
    stays = page.entries.compactMap { event in
      guard event.fields["geofence_id"]?.value.stringValue == id, event.fields["is_all_day"]?.value.boolValue != true
      else { return nil }
      let end = event.fields["end_date"]?.value.stringValue.flatMap { RFC3339.date(from: $0) }
      return (event.listMoment, end?.milliseconds)
    }
  }

  var members: [String: JSONValue] {
    let last = stays.max { $0.start < $1.start }
    let left = stays.compactMap(\.end).filter { $0 <= now.milliseconds }.max()
    return [
      "here_since": last.flatMap { $0.end == nil ? moment($0.start) : nil } ?? .null,
      "last_enter": last.map { moment($0.start) } ?? .null, "last_exit": left.map(moment) ?? .null,
      "today_s": .double(seconds(in: [today...today])[0]),
      "weeks": .array(
        zip(weeks, seconds(in: weeks)).map { week, seconds in
          [
            "from": .string("\(week.lowerBound)"), "through": .string("\(week.upperBound)"),
            "seconds": .double(seconds),
            "visits": .int(Int64(stays.count { week.contains(local.day(of: Date(milliseconds: $0.start))) })),
          ]
        }),
    ]
  }

  private func moment(_ milliseconds: Int64) -> JSONValue {
    .string(RFC3339.string(from: Date(milliseconds: milliseconds)))
  }

  /// Returns the seconds spent at the place in each range of days. An open visit counts up to now.
  private func seconds(in spans: [ClosedRange<CivilDate>]) -> [Double] {
    let end = Double(now.milliseconds) / 1000
    let ranges = stays.map { stay in
      let start = Double(stay.start) / 1000
      return start..<max(start, min(end, stay.end.map { Double($0) / 1000 } ?? end))
    }
    return StaySeconds(
      ranges,
      in: spans.map { span in
        let range = local.moments(of: span)
        return range.lowerBound.timeIntervalSince1970..<range.upperBound.timeIntervalSince1970
      }
    ).seconds
  }
}
