import Foundation
import TrendyInsights
import TrendyModels
import TrendyProtocols

/// Handlers for statistics about a user's record, computed by TrendyInsights.
struct InsightHandlers: Sendable {
  let clock: any TimeSource
  let dayCounts: DayCountCache
  private let histories = HistoryCache()

  init(clock: any TimeSource, dayCounts: DayCountCache) {
    self.clock = clock
    self.dayCounts = dayCounts
  }

  func showInsights(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let span = Int(
      try call.integer("days", in: 14...Int64(UserHistory.longestSpan), default: Int64(CorrelationSearch.span)))
    return try findings(call, sender, span: span) { document, _, _ in document.members }
  }

  func showHabits(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    try findings(call, sender, span: CorrelationSearch.span) { document, _, _ in document.habits }
  }

  func showType(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let id = call.id
    let asked = try TypeSteps(call)
    let span = min(max(asked.days, 14), UserHistory.longestSpan)
    return try findings(call, sender, span: span) { document, reading, local in
      let history = document.history
      guard history.settings.types[id] != nil else { throw Problem.notFound(.eventType, id) }
      let values = try TypeValues(reading, of: id, local: local, through: history.today, span: asked.days)
      var members = document.type(id, asked)
      members["properties"] = .array(values.shares.map(\.json))
      members["properties_of"] = .int(Int64(values.events))
      return members
    }
  }

  /// Reads the findings for the last `span` days, and responds with the members returned by `respond`.
  private func findings(
    _ call: HubCall, _ sender: HubDevice, span: Int,
    _ respond: @escaping @Sendable (InsightsDocument, any HubReadTransaction, LocalTime) throws -> [String: JSONValue]
  ) throws -> HubWork {
    let local = try LocalTime(call)
    let now = clock.now
    return .read { [histories] reading in
      let history = try histories.history(of: sender.user, reading, local: local, now: now)
      let document = InsightsDocument(
        history, span: span, firstWeekday: local.firstWeekday, now: local.minuteOfDay(of: now))
      return .json(.object(try respond(document, reading, local)))
    }
  }

  func showPlace(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let local = try LocalTime(call)
    let id = call.id
    let weeks = Int(try call.integer("weeks", in: 1...52, default: 12))
    let now = clock.now
    return .read { reading in
      guard try reading.entry(kind: SyncedKind.geofence.name, id: id)?.isAlive == true else {
        throw Problem.notFound(.geofence, id)
      }
      let visits = try PlaceVisits(reading, of: id, weeks: weeks, local: local, now: now)
      return .json(.object(visits.members))
    }
  }

  /// Returns the progress and streak of each goal. Reads only the current week and the days needed for the streaks.
  func showGoals(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let local = try LocalTime(call)
    let now = clock.now
    return .read { [dayCounts] reading in
      let record = HubUserRecord(reading)
      let settings = try TypeSettings(record)
      let progress = try GoalAmounts.progress(in: record, settings, now: now, local: local)
      let streaks = try Self.streaks(settings, of: sender.user, reading, local: local, now: now, dayCounts)
      return .json([
        "today": .string("\(local.day(of: now))"),
        "goals": .array(
          progress.sorted { $0.key < $1.key }.map { type, progress in
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

  /// Returns the streaks of minimum goals. Reads only as many days as the current streaks need.
  func showStreaks(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let local = try LocalTime(call)
    let now = clock.now
    return .read { [dayCounts] reading in
      let settings = try TypeSettings(HubUserRecord(reading))
      let streaks = try Self.streaks(settings, of: sender.user, reading, local: local, now: now, dayCounts)
      return .json([
        "streaks": .array(
          streaks.sorted { $0.key < $1.key }.map { type, current in
            [
              "event_type_id": .string(type), "current": .int(Int64(current)),
              "period": settings.goal(of: type).map { .string($0.period.rawValue) } ?? .null,
            ]
          })
      ])
    }
  }

  /// Returns the current streak of each minimum goal, in days or weeks.
  private static func streaks(
    _ settings: TypeSettings, of user: String, _ reading: any HubReadTransaction, local: LocalTime, now: Date,
    _ dayCounts: DayCountCache
  ) throws -> [String: Int] {
    var streaks = try GoalAmounts.weeklyStreaks(in: HubUserRecord(reading), settings, now: now, local: local)
    let types = settings.types.values.filter { $0.goal?.asksForEveryDay == true }.map(\.id)
    guard !types.isEmpty else { return streaks }
    let today = local.day(of: now)
    var back = 62
    while true {
      let (months, _) = try dayCounts.counts(
        of: user, reading, local: local, on: today.advanced(by: -back)...today)
      for type in types {
        let done = months.flatMap { $0.days(ofType: type) }
        streaks[type] = Streak(days: done, skips: settings.skips(of: type), today: today).current
      }
      // A streak of at least half the range may have started before it, because skipped days do not count towards its
      // length. Then read a longer range.
      guard back < 36_525, types.contains(where: { streaks[$0] ?? 0 >= back / 2 }) else { return streaks }
      back *= 4
    }
  }
}
