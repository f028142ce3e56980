import TrendyInsights
import TrendyModels

/// Findings about a user's record as wire documents. Each number comes with its evidence.
struct InsightsDocument {
  let history: UserHistory
  let rows: [Report.Row]
  private let span: Int
  let firstWeekday: Int
  private let minute: Int
  private let narrator = PlainNarrator()

  /// `span` is the number of days, ending today, in which to search for correlations and patterns. `firstWeekday` is 0
  /// for Sunday, and `minute` is the current time in minutes after midnight.
  init(_ history: UserHistory, span: Int, firstWeekday: Int, now minute: Int) {
    self.history = history
    rows = history.rows(firstWeekday: firstWeekday)
    self.span = span
    self.firstWeekday = firstWeekday
    self.minute = minute
  }

  var members: [String: JSONValue] {
    let first = rows.map(\.history.days.first).min()
    let search = CorrelationSearch(
      among: Dictionary(uniqueKeysWithValues: rows.map { ($0.type.id, $0.history) }), span: span)
    let relations = search.strongest
    return [
      "today": date(history.today), "days": .int(Int64(span)), "first_date": first.map(date) ?? .null,
      "needs_days": .int(Int64(search.daysUntilFirst)),
      "relations": .array(relations.map(relation)),
      "words": .array(week(relations).sentences(by: narrator).map { .string($0) }),
      "types": .array(rows.compactMap { $0.history.isOfReadings ? nil : type($0) }),
    ]
  }

  /// Returns statements about the current week or, on its first day, about the previous one.
  private func week(_ relations: [CorrelationFinding]) -> Digest {
    let lastWeek = history.today.advanced(by: -7)
    var later: [String: Int] = [:]
    for (id, record) in history.records {
      later[id] = record.recent.count { $0.day == lastWeek && ($0.minute ?? 0) > minute }
    }
    return Digest.week(
      of: rows, today: history.today, minute: minute, firstWeekday: firstWeekday, relations: relations,
      later: later)
  }

  private func name(_ id: String) -> String { history.settings.types[id]?.name ?? id }
  func date(_ date: CivilDate) -> JSONValue { .string("\(date)") }

  private func relation(_ relation: CorrelationFinding) -> JSONValue {
    [
      "first": .string(relation.first), "second": .string(relation.second), "lag_days": .int(Int64(relation.lag)),
      "r": .double(relation.correlation.r), "p": .double(relation.correlation.p),
      "adjusted_p": .double(relation.adjustedP), "days": .int(Int64(relation.correlation.count)),
      "confidence": .string(relation.confidence.rawValue), "from": date(relation.firstBasis.from),
      "through": date(relation.firstBasis.through), "first_events": .int(Int64(relation.firstBasis.events)),
      "second_events": .int(Int64(relation.secondBasis.events)),
      "sentence": .string(
        narrator.sentence(relation, first: name(relation.first), second: name(relation.second))),
    ]
  }

  func type(_ row: Report.Row) -> JSONValue? {
    let (id, own) = (row.type.id, row.history)
    guard let basis = own.basis else { return nil }
    return [
      "event_type_id": .string(id), "name": .string(row.type.name), "basis": self.basis(basis),
      "week": week(own.week(firstWeekday: firstWeekday)), "trend": trend(own.trend, of: id), "pattern": pattern(id),
      "streak": streak(row), "score": score(row),
    ]
  }

  /// Returns a type's streak, or `null` if the type is not a habit.
  func streak(_ row: Report.Row) -> JSONValue {
    guard row.isHabit else { return .null }
    let streak = row.streak
    return [
      "period": .string(streak.period.rawValue), "current": .int(Int64(streak.current)),
      "longest": .int(Int64(streak.longest)),
      "longest_end": streak.longestEnd.map(date) ?? .null,
    ]
  }

  /// Returns a type's goal score from 0 to 1, or `null` without a goal.
  func score(_ row: Report.Row) -> JSONValue {
    guard let goal = row.type.goal else { return .null }
    let amounts = history.amounts(ofType: row.type.id, over: row.history.days)
    return .double(HabitScore(of: goal, amounts: amounts, skips: row.skips).current)
  }

  func recent(_ id: String) -> [TypeHistory.Moment] {
    let first = history.today.advanced(by: 1 - span)
    return (history.records[id]?.recent ?? []).filter { $0.day >= first && $0.day <= history.today }
  }

  func usual(_ recent: TypeHistory) -> JSONValue {
    recent.usualTime.value.map {
      ["from": .int(Int64($0.from)), "through": .int(Int64($0.through)), "share": .double($0.share)]
    } ?? .null
  }

  private func basis(_ basis: Evidence) -> JSONValue {
    [
      "active_days": .int(Int64(basis.activeDays)), "events": .int(Int64(basis.events)), "from": date(basis.from),
      "through": date(basis.through), "days": .int(Int64(basis.days)),
    ]
  }

  private func week(_ week: PeriodChange) -> JSONValue {
    [
      "from": date(week.days.lowerBound), "through": date(week.days.upperBound), "now": .int(Int64(week.now)),
      "before": .int(Int64(week.before)), "percent": week.percent.map { .double($0) } ?? .null,
      "direction": .string(week.direction.rawValue),
    ]
  }

  private func trend(_ finding: Finding<Trend>, of id: String) -> JSONValue {
    guard let trend = finding.value else { return .null }
    return [
      "recent": .int(Int64(trend.recent)), "before": .int(Int64(trend.before)),
      "change": trend.change.map { .double($0) } ?? .null, "direction": .string(trend.direction.rawValue),
      "sentence": .string(narrator.sentence(trend, of: name(id))),
    ]
  }

  private func pattern(_ id: String) -> JSONValue {
    let moments = recent(id)
    let recent = TypeHistory(moments: moments, today: history.today)
    func missing(_ finding: Finding<Habit>) -> Int64 {
      if case .needsEvents(let count) = finding { Int64(count) } else { 0 }
    }
    func habit(_ finding: Finding<Habit>) -> JSONValue {
      guard let habit = finding.value else { return .null }
      return [
        "peak": .int(Int64(habit.pattern.peak)), "share": .double(habit.pattern.peakShare),
        "consistency": .double(habit.pattern.consistency), "confidence": .string(habit.confidence.rawValue),
      ]
    }
    return [
      "events": .int(Int64(recent.events)),
      "grid": .array(WeekGrid(moments: moments).counts.map { .array($0.map { .int(Int64($0)) }) }),
      "hour": habit(recent.hourHabit), "weekday": habit(recent.weekdayHabit),
      "needs_events": .int(missing(recent.weekdayHabit)),
      "usual": usual(recent),
    ]
  }
}
