import CommandSupport
import TrendyModels

extension OptionSpec {
  static let goal = OptionSpec(
    "--goal", value: "goal", kind: .goal, help: "goal: 3/week, 20min/day, 'at most 2/day'; none removes it")
}

extension Session {
  /// Returns the goal from `--goal`: absent without the option, null for `none`.
  func goal() throws(CommandError) -> Patch<Goal> {
    guard let text = arguments.value(OptionSpec.goal.key) else { return .absent }
    guard text.lowercased() != "none" else { return .null }
    do {
      return .value(try Goal(text))
    } catch {
      throw usageError("\(error)", hint: error.hint)
    }
  }
}
