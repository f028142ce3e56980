import Foundation
import TrendyInsights
import TrendyModels
import TrendyProtocols

/// Handlers for statistics of a user's record, which TrendyInsights computes.
struct InsightHandlers: Sendable {
  let clock: any TimeSource
  let dayCounts: KnownDayCounts
  private let histories = KnownHistories()

  init(clock: any TimeSource, dayCounts: KnownDayCounts) {
    self.clock = clock
    self.dayCounts = dayCounts
  }

  func showInsights(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let days = try PersonDays(call)
    let span = Int(
      try call.integer("days", in: 14...Int64(PersonHistory.longestSpan), default: Int64(CorrelationSearch.span)))
    let firstWeekday = Int(try call.integer("week_start", in: 0...6, default: 1))
    let now = clock.now
    return .read { [histories] reading in
      let history = try histories.history(of: sender.person, reading, days: days, now: now)
      let document = InsightsDocument(history, span: span, firstWeekday: firstWeekday, now: days.minute(of: now))
      return .json(.object(document.members))
    }
  }

  func showHabits(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let days = try PersonDays(call)
    let now = clock.now
    return .read { [histories] reading in
      let history = try histories.history(of: sender.person, reading, days: days, now: now)
      let document = InsightsDocument(history, span: CorrelationSearch.span, firstWeekday: 1, now: days.minute(of: now))
      return .json(.object(document.habits))
    }
  }

  func showType(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let days = try PersonDays(call)
    let id = call.id
    let firstWeekday = Int(try call.integer("week_start", in: 0...6, default: 1))
    let asked = try TypeSteps(call)
    let now = clock.now
    return .read { [histories] reading in
      let history = try histories.history(of: sender.person, reading, days: days, now: now)
      guard history.facts.goals[id] != nil else { throw Problem.notFound(.eventType, id) }
      let span = min(max(asked.days, 14), PersonHistory.longestSpan)
      let document = InsightsDocument(history, span: span, firstWeekday: firstWeekday, now: days.minute(of: now))
      let values = try TypeValues(reading, of: id, days: days, through: history.today, span: asked.days)
      var members = document.type(id, asked, firstWeekday: firstWeekday)
      members["properties"] = .array(values.shares.map(\.json))
      members["properties_of"] = .int(Int64(values.events))
      return .json(.object(members))
    }
  }

  func showPlace(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let days = try PersonDays(call)
    let id = call.id
    let firstWeekday = Int(try call.integer("week_start", in: 0...6, default: 1))
    let weeks = Int(try call.integer("weeks", in: 1...52, default: 12))
    let now = clock.now
    return .read { reading in
      guard try reading.entry(kind: SyncedKind.geofence.name, id: id)?.isAlive == true else {
        throw Problem.notFound(.geofence, id)
      }
      let visits = try PlaceVisits(reading, of: id, weeks: weeks, firstWeekday: firstWeekday, days: days, now: now)
      return .json(.object(visits.members))
    }
  }

  /// Returns the progress of each goal. Reads one week only, to be fast.
  func showGoals(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let days = try PersonDays(call)
    let firstWeekday = Int(try call.integer("week_start", in: 0...6, default: 1))
    let now = clock.now
    return .read { [dayCounts] reading in
      let goals = try PersonGoals(reading, days: days, firstWeekday: firstWeekday, now: now)
      let streaks = try Self.streaks(goals.facts, of: sender.person, reading, days: days, today: goals.today, dayCounts)
      return .json([
        "today": .string("\(goals.today)"),
        "goals": .array(
          goals.progress.sorted { $0.key < $1.key }.map { type, progress in
            [
              "event_type_id": .string(type), "from": .string("\(progress.days.lowerBound)"),
              "through": .string("\(progress.days.upperBound)"), "amount": .double(progress.amount),
              "target": .int(Int64(progress.target)), "left": .double(progress.left), "is_met": .bool(progress.isMet),
              "is_excused": .bool(progress.isExcused), "streak": streaks[type].map { .int(Int64($0)) } ?? .null,
            ]
          }),
      ])
    }
  }

  /// Returns the streaks of types with a daily goal. Reads only as far back as the current streaks reach.
  func showStreaks(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let days = try PersonDays(call)
    let now = clock.now
    return .read { [dayCounts] reading in
      let today = days.day(of: now)
      let facts = try PersonFacts(reading, days: days, today: today)
      let streaks = try Self.streaks(facts, of: sender.person, reading, days: days, today: today, dayCounts)
      return .json([
        "streaks": .array(
          streaks.sorted { $0.key < $1.key }
            .map { ["event_type_id": .string($0.key), "current": .int(Int64($0.value))] })
      ])
    }
  }

  /// Returns the number of consecutive days up to today or yesterday, for types with a daily goal.
  private static func streaks(
    _ facts: PersonFacts, of person: String, _ reading: any HubReading, days: PersonDays, today: CivilDate,
    _ dayCounts: KnownDayCounts
  ) throws -> [String: Int] {
    let types = facts.goals.filter { $0.value?.asksForEveryDay == true }.keys
    guard !types.isEmpty else { return [:] }
    var back = 62
    while true {
      let moments =
        days.start(of: today.advanced(by: -back)) - days.longestShift..<days.start(of: today.advanced(by: 1))
        + days.longestShift
      let (months, _) = try dayCounts.counts(of: person, reading, days: days, during: moments)
      var streaks: [String: Int] = [:]
      for type in types {
        let done = months.flatMap { $0.own.days(ofType: type) }
        streaks[type] = Streak(days: done, skips: facts.skips[type] ?? [], today: today).current
      }
      // A streak as long as the range read may have begun earlier.
      guard back < 36_525, streaks.values.contains(where: { $0 >= back / 2 }) else { return streaks }
      back *= 4
    }
  }
}
