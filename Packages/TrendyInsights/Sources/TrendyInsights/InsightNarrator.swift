/// Narrator that converts findings to sentences. An app can supply its own, for example one that uses a language model.
public protocol InsightNarrator: Sendable {
  /// Returns the statement as a sentence. The final full stop is optional.
  func sentence(_ statement: InsightStatement) -> String
}

extension InsightNarrator {
  /// Returns a sentence about a trend.
  public func sentence(_ trend: Trend, of type: String) -> String { sentence(.trend(trend, type: type)) }

  /// Returns a sentence about a correlation.
  public func sentence(_ relation: CorrelationFinding, first: String, second: String) -> String {
    sentence(.relation(relation, first: first, second: second))
  }

  /// Returns a sentence about the time since the last event.
  public func sentence(_ gap: Gap, of type: String) -> String { sentence(.gap(gap, type: type)) }
}

/// Narrator with fixed English sentences.
public struct PlainNarrator: InsightNarrator {
  public init() {}

  public func sentence(_ statement: InsightStatement) -> String {
    switch statement {
    case .trend(let trend, let type): Self.words(trend, type)
    case .relation(let relation, let first, let second): Self.words(relation, first, second)
    case .gap(let gap, let type):
      "\(type): last time \(Self.ago(gap.days)), usually every \(Self.interval(gap.usual))"
    case .changes(let more, let less, let new): Self.words(more: more, less: less, new: new)
    case .total(let change, let period): Self.words(change, period)
    case .best(let month, let events, let day, let eventsOfDay):
      "Most in \(month) (\(events)) and on \(day) (\(eventsOfDay))."
    case .amount(let trend, let summary, let what): Self.words(trend, summary, what)
    case .peak(let value, let when, let usual, let what): "\(what): most \(when), \(value); usually \(usual)"
    case .needsDays(let days, let what):
      "\(what): \(Self.quantity(days, "more day")) until the last 14 days can be compared with the previous 14"
    case .needsMore(let days, let events): Self.words(missingDays: days, events: events)
    case .dayTotal(let events, let told, let usual): Self.words(events, told, usual)
    case .counts(let counts): "\(Self.list(counts.map { "\($0.name) \($0.count)" }))."
    case .unusual(let count, let direction, let usual):
      "\(count.name): \(count.count == 0 ? "none" : "\(count.count)") \(direction.rawValue), usually \(Self.words(usual))"
    case .weekdayPeak(let weekday, let events): "Most on \(Self.weekdays[weekday]) (\(events))."
    case .goal(let progress, let type): Self.words(progress, type)
    case .streak(let days, let hasToday, let type):
      "\(type): \(Self.quantity(days, "day")) in a row\(hasToday ? "" : ", none yet today")"
    }
  }
}

// MARK: Longer sentences
extension PlainNarrator {
  private static func words(_ trend: Trend, _ type: String) -> String {
    switch trend.direction {
    case .new: return "\(type): new in the last 14 days"
    case .steady: return "\(type): about as often as in the previous 14 days"
    case .down where trend.recent == 0:
      return "\(type): nothing in the last 14 days, \(Int(trend.before)) in the previous 14"
    case .up, .down:
      let percent = Int((abs(trend.change ?? 0) * 100).rounded())
      return "\(type): \(trend.direction == .up ? "up" : "down") \(percent) % on the previous 14 days"
    }
  }

  private static func words(_ relation: CorrelationFinding, _ first: String, _ second: String) -> String {
    let strength =
      switch relation.strength {
      case .strong: "strong"
      case .moderate: "moderate"
      case .weak: "weak"
      }
    let amount = relation.correlation.r > 0 ? "More" : "Less"
    let when = relation.lag == 0 ? "on days with" : "on the day after"
    return "\(amount) \(second) \(when) more \(first) (\(strength) correlation)"
  }

  private static func words(_ trend: AmountTrend, _ summary: AmountSummary, _ what: String) -> String {
    if trend.events == 0 { return "\(what): nothing in the last 14 days" }
    if trend.eventsBefore == 0 { return "\(what): new in the last 14 days" }
    guard let change = trend.change else { return "\(what): cannot be compared with the previous 14 days" }
    let amount = summary == .mean ? "on average" : "in total"
    let percent = (abs(change) * 100).rounded()
    if percent < 5 { return "\(what): about the same \(amount) as in the previous 14 days" }
    let size = percent < 1000 ? "\(Int(percent)) % \(change > 0 ? "more" : "less")" : nil
    return "\(what): \(size ?? "far \(change > 0 ? "more" : "less")") \(amount) than in the previous 14 days"
  }

  private static func words(more: [String], less: [String], new: [String]) -> String {
    var parts: [String] = []
    if !more.isEmpty { parts.append("more \(list(more))") }
    if !less.isEmpty { parts.append("less \(list(less))") }
    if !new.isEmpty { parts.append("new: \(list(new))") }
    guard let first = parts.first else { return "About the same as before." }
    // Type names keep their case, so only a leading "more" or "less" is capitalised.
    let opening = first.prefix(1).uppercased() + first.dropFirst()
    return ([opening] + parts.dropFirst()).joined(separator: "; ") + "."
  }

  private static func words(_ total: PeriodChange, _ period: CalendarPeriod) -> String {
    let entries = quantity(Int(total.now), "entry", "entries")
    let days = "on \(total.activeDays) of \(quantity(total.days.count, "day"))"
    guard let percent = total.percent else { return "\(entries) \(days); none in the previous \(period.rawValue)." }
    let size = Int(abs(percent).rounded())
    let change =
      total.now == total.before
      ? "as many as" : size == 0 ? "about as many as" : "\(size) % \(percent > 0 ? "more" : "less") than"
    return "\(entries) \(days), \(change) in the previous \(period.rawValue) (\(Int(total.before)))."
  }

  private static func ago(_ days: Int) -> String { days == 0 ? "today" : days == 1 ? "yesterday" : "\(days) days ago" }

  private static func interval(_ days: Double) -> String {
    let days = Int(days.rounded())
    return days > 1 ? "\(days) days" : "day"
  }

  /// Joins names, as in `coffee, tea and run`.
  private static func list(_ names: [String]) -> String {
    guard names.count > 1, let last = names.last else { return names.first ?? "" }
    return "\(names.dropLast().joined(separator: ", ")) and \(last)"
  }
}
