import Foundation
import Synchronization
import TrendyInsights
import TrendyModels
import TrendyProtocols

// Findings over a person's record. Every number is one of TrendyInsights; here it is asked for and written down.

extension HubServer {
  /// Answers `/insights`.
  func showInsights(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let days = try PersonDays(call)
    let span = Int(
      try call.integer("days", in: 14...Int64(PersonHistory.longestSpan), default: Int64(RelationSearch.span)))
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
      let facts = try PersonFacts(reading, days: days, today: today)
      let types = facts.goals.filter { $0.value?.asksForEveryDay == true }.keys
      guard !types.isEmpty else { return .json(["streaks": []]) }
      var back = 62
      while true {
        let moments =
          days.start(of: today.advanced(by: -back)) - days.longestShift..<days.start(of: today.advanced(by: 1))
          + days.longestShift
        let (months, _) = try dayCounts.counts(of: sender.person, reading, days: days, during: moments)
        let streaks = types.map { type in
          let done = months.flatMap { $0.own.days(ofType: type) }
          return (type, Streak(days: done, skips: facts.skips[type] ?? [], today: today).current)
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

/// The histories of a few persons, each kept up with what is written: another range of the same record, and one entry more, read none of
/// it anew.
final class KnownHistories: Sendable {
  private struct Key: Hashable {
    let person: String
    let zone: String
    let dayStart: Int64
    let today: CivilDate
  }

  private struct Known: Sendable {
    let key: Key
    let position: ReadPosition
    let history: PersonHistory
  }

  private static let limit = 4

  private let known = Mutex<[Known]>([])

  func history(of person: String, _ reading: any HubReading, days: PersonDays, now: Date) throws -> PersonHistory {
    let key = Key(person: person, zone: days.zone, dayStart: days.startSeconds, today: days.day(of: now))
    let state = try reading.state()
    let found = known.withLock { $0.first { $0.key == key } }
    if let found, found.position == ReadPosition(state) { return found.history }
    let facts = try PersonFacts(reading, days: days, today: key.today)
    let updated =
      try found.flatMap { found in
        guard found.position.isPast(of: state) else { return PersonHistory?.none }
        return try found.history.updated(reading, since: found.position, facts: facts, days: days, now: now)
      }
    let history = try updated ?? PersonHistory(reading, facts: facts, days: days, now: now)
    // Where something was written meanwhile, nobody can say whether it was read.
    if try reading.state().head == state.head {
      known.withLock { known in
        known.removeAll { $0.key.person == person }
        known.append(Known(key: key, position: ReadPosition(state), history: history))
        if known.count > Self.limit { known.removeFirst() }
      }
    }
    return history
  }
}
