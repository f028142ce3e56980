import TrendyModels

// MARK: Sentences of a digest
extension PlainNarrator {
  static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

  /// Formats a count with its noun: `1 day`, `3 entries`.
  static func quantity(_ count: Int, _ thing: String, _ things: String? = nil) -> String {
    "\(count) \(count == 1 ? thing : things ?? thing + "s")"
  }

  static func words(missingDays days: Int, events: Int) -> String {
    let missing = [
      days > 0 ? quantity(days, "more day with entries", "more days with entries") : nil,
      events > 0 ? quantity(events, "more entry", "more entries") : nil,
    ].compactMap(\.self).joined(separator: " and ")
    return "\(missing) needed for a digest, which requires at least \(Digest.minDays) days with entries "
      + "and \(Digest.minEvents) entries."
  }

  static func words(_ events: Int, _ told: DigestDay, _ usual: UsualDay?) -> String {
    let entries = events == 0 ? "Nothing" : quantity(events, "entry", "entries")
    let when = told == .today ? "so far today" : told.rawValue
    guard let usual, usual.upper > 0 else { return "\(entries) \(when)." }
    return "\(entries) \(when); a day usually has \(words(usual))."
  }

  /// Formats the interquartile range: `1 to 3`, or `2` if both quartiles round to 2.
  static func words(_ usual: UsualDay) -> String {
    let (lower, upper) = (Int(usual.lower.rounded(.down)), Int(usual.upper.rounded(.up)))
    return lower == upper ? "\(lower)" : "\(lower) to \(upper)"
  }

  static func words(_ progress: GoalProgress, _ type: String) -> String {
    let when = progress.goal.period == .week ? "this week" : "today"
    let isTime = progress.goal.measure == .duration
    func words(_ amount: Double, _ rounding: FloatingPointRoundingRule = .down) -> String {
      isTime ? length(amount, rounding) : number(amount)
    }
    let target = Double(progress.target)
    guard progress.goal.bound == .atLeast else {
      return "\(type): \(words(progress.amount)) \(when), of at most \(words(target))"
    }
    return "\(type): \(words(progress.amount)) of \(words(target)) \(when), \(words(progress.left, .up)) left"
  }

  /// Formats a number with at most one decimal place: `1`, `1.5`.
  private static func number(_ amount: Double) -> String {
    guard let whole = Int(exactly: amount) else { return "\((amount * 10).rounded() / 10)" }
    return "\(whole)"
  }

  /// Formats a duration: `20 min`, `1 h 5 min`, `45 s` below one minute.
  private static func length(_ seconds: Double, _ rounding: FloatingPointRoundingRule) -> String {
    if seconds > 0, seconds < 60 { return "\(Int(seconds.rounded(rounding))) s" }
    let minutes = Int((min(seconds, 1e9) / 60).rounded(rounding))
    let (hours, rest) = (minutes / 60, minutes % 60)
    return hours == 0 ? "\(rest) min" : rest == 0 ? "\(hours) h" : "\(hours) h \(rest) min"
  }
}
