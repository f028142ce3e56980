import CommandSupport
import TrendyAgent
import TrendyModels

struct GoalText {
  private let progress: GoalProgress
  private let type: EventType

  init(_ goal: TypeGoal) { (progress, type) = (goal.progress, goal.type) }

  /// Returns a line such as `run  1 of 3 this week, 2 left`. `columns` is the minimum width of the type name.
  func line(columns: Int) -> StyledText {
    StyledText([
      StyledText.Part("  \(type.name.padded(to: columns))", .name(color: type.colorHex)),
      StyledText.Part("\(amounts)\(isWeekly && !progress.isExcused ? " this week" : "")\(rest)"),
    ])
  }

  /// Progress without the type name, as in `1 of 3 this week, 2 left` or `3 of 8 today, 5 left`.
  var standing: String { progress.isExcused ? amounts : "\(amounts) \(isWeekly ? "this week" : "today")\(rest)" }

  private var isWeekly: Bool { progress.goal.period == .week }

  /// Current and target amount, as in `1 of 3`, `2 of at most 2` or `5 of 20 min`.
  private var amounts: String {
    guard !progress.isExcused else { return isWeekly ? "skipped this week" : "skipped today" }
    let limit = progress.goal.bound == .atMost ? "at most " : ""
    // If both amounts are in minutes, only the second one has the unit.
    let amount = isInMinutes ? "\(Int(progress.amount) / 60)" : words(progress.amount)
    return "\(amount) of \(limit)\(words(Double(progress.target)))"
  }

  /// Remaining amount and number of skipped days, as in `, 2 left, 1 day skipped`.
  private var rest: String {
    guard !progress.isExcused else { return "" }
    let over = progress.amount - Double(progress.target)
    var rest = progress.left > 0 ? ", \(words(left)) left" : ""
    if progress.goal.bound == .atMost, over > 0 { rest = ", \(words(over)) over" }
    if progress.excusedDays > 0 { rest += ", \(Quantity(progress.excusedDays, "day")) skipped" }
    return rest
  }

  private var isTime: Bool { progress.goal.measure == .duration }

  private var isInMinutes: Bool {
    isTime && progress.target % 60 == 0 && (120..<3600).contains(progress.target) && progress.amount < 3600
  }

  /// Remaining amount, in whole minutes if the current amount is in whole minutes, so that the two add up to the goal.
  private var left: Double {
    isInMinutes ? max(0, Double(progress.target) - (progress.amount / 60).rounded(.down) * 60) : progress.left
  }

  private func words(_ amount: Double) -> String {
    guard isTime else { return Property.text(.double((amount * 100).rounded() / 100)) }
    return amount == 0 ? "0 min" : DurationPhrase.words(amount)
  }

  var json: JSONText {
    .object([
      ("event_type", .object([("id", .string(type.id)), ("name", .string(type.name))])),
      ("goal", .value(progress.goal.json)), ("text", .string(progress.goal.description)),
      ("first_day", .string(progress.days.lowerBound.description)),
      ("last_day", .string(progress.days.upperBound.description)),
      ("amount", .value(.double(progress.amount))), ("target", .number(progress.target)),
      ("left", .value(.double(progress.left))), ("share", .value(.double(progress.share))),
      ("is_met", .bool(progress.isMet)), ("excused_days", .number(progress.excusedDays)),
    ])
  }
}
