import TrendyInsights
import TrendyModels

/// Requested range and step of a type's chart.
struct TypeSteps {
  let period: CalendarPeriod
  private let span: MovingRange.Span
  /// Number of days, ending today.
  let days: Int

  init(_ call: HubCall) throws(Problem) {
    days = Int(try call.integer("days", in: 14...36_525, default: 84))
    let word = call.text("step") ?? "day"
    switch word {
    case "day": (period, span) = (.day, .days)
    case "week": (period, span) = (.week, .weeks)
    case "month": (period, span) = (.month, .months)
    default: throw .invalid("step: expected day, week or month, found \"\(word.prefix(40))\"")
    }
    // More steps would make a large response and an illegible chart.
    guard period == .month || days <= 1500 else {
      throw .invalid("days: expected at most 1500 with step=\(word), found \(days)")
    }
  }

  func range(_ own: TypeHistory, endingOn day: CivilDate, skips: DaySet) -> MovingRange? {
    own.movingRange(span, endingOn: day, skips: skips)
  }
}

extension InsightsDocument {
  /// Streak, goal score and usual time of every type that has events.
  var habits: [String: JSONValue] {
    [
      "today": date(history.today),
      "habits": .array(
        rows.sorted { $0.type.id < $1.type.id }.map { row in
          [
            "event_type_id": .string(row.type.id), "streak": streak(row), "score": score(row),
            "usual": usual(TypeHistory(moments: recent(row.type.id), today: history.today)),
          ]
        }),
    ]
  }

  /// Returns the findings about one type, and its value in each step of the chart.
  func type(_ id: String, _ steps: TypeSteps) -> [String: JSONValue] {
    let row = rows.first { $0.type.id == id }
    return [
      "today": date(history.today), "findings": row.flatMap(type) ?? .null,
      "points": .array(row.map { points($0, steps) } ?? []),
    ]
  }

  private func points(_ row: Report.Row, _ steps: TypeSteps) -> [JSONValue] {
    let own = row.history
    let first = max(history.today.advanced(by: 1 - steps.days), own.days.first)
    let start = steps.period.days(around: first, firstWeekday: firstWeekday).lowerBound
    return own.series(by: steps.period, over: start...history.today, firstWeekday: firstWeekday).points.map { point in
      let range = steps.range(own, endingOn: point.days.upperBound, skips: row.skips)
      return [
        "from": date(point.days.lowerBound), "through": date(point.days.upperBound),
        "events": .int(Int64(point.events)), "mean": range.map { .double($0.mean) } ?? .null,
        "lower": range.map { .double($0.lower) } ?? .null, "upper": range.map { .double($0.upper) } ?? .null,
      ]
    }
  }
}
