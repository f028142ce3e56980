import Foundation
import TrendyInsights
import TrendyModels
import TrendyProtocols

// Findings over a person's record. Every number is one of TrendyInsights; here it is asked for and written down.

extension HubServer {
  /// Answers `/insights`.
  func showInsights(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let days = try PersonDays(call)
    let span = Int(try call.integer("days", in: 14...366, default: Int64(RelationSearch.span)))
    let firstWeekday = Int(try call.integer("week_start", in: 0...6, default: 1))
    let now = clock.now
    return .read { [histories] reading in
      let history = try histories.history(of: sender.person, reading, days: days, now: now)
      return .json(.object(InsightsDocument(history, span: span, firstWeekday: firstWeekday).members))
    }
  }

  /// Answers `/insights/streaks`: of types with a daily goal alone, and only as far back as the streaks of today go.
  func showStreaks(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let days = try PersonDays(call)
    let now = clock.now
    return .read { [dayCounts] reading in
      let today = days.day(of: now)
      // Of no event: the goals, and the days that are excused.
      let history = try PersonHistory(reading, days: days, now: now, from: Int64.max / 4)
      let types = history.goals.filter { $0.value?.asksForEveryDay == true }.keys
      guard !types.isEmpty else { return .json(["streaks": []]) }
      var back = 62
      while true {
        let moments =
          days.start(of: today.advanced(by: -back)) - days.longestShift..<days.start(of: today.advanced(by: 1))
          + days.longestShift
        let (months, _) = try dayCounts.counts(of: sender.person, reading, days: days, during: moments)
        let streaks = types.map { type in
          let done = months.flatMap { $0.own.days(ofType: type) }
          return (type, Streak(days: done, skips: history.skips[type] ?? [], today: today).current)
        }
        // One that fills what was read may go on before it.
        if back < 36_525, streaks.contains(where: { $0.1 >= back / 2 }) {
          back *= 4
          continue
        }
        return .json([
          "streaks": .array(
            streaks.sorted { $0.0 < $1.0 }.map { ["event_type_id": .string($0.0), "current": .int(Int64($0.1))] })
        ])
      }
    }
  }
}

/// The last histories that were read, so that another range of the same record is not read again.
final class KnownHistories: Sendable {
  private struct Key: Hashable {
    let zone: String
    let dayStart: Int64
    let today: CivilDate
  }

  private let known = LastRead<Key, PersonHistory>()

  func history(of person: String, _ reading: any HubReading, days: PersonDays, now: Date) throws -> PersonHistory {
    let key = Key(zone: days.zone, dayStart: days.startSeconds, today: days.day(of: now))
    return try known.value(of: person, key, reading) { try PersonHistory(reading, days: days, now: now) }
  }
}
