import CommandSupport
import TrendyModels

extension OptionSpec {
  /// What is set out to do.
  static let goal = OptionSpec(
    "--goal", value: "goal", kind: .goal, help: "3/week, 20min/day, 'at most 2/day'; none takes it away")
}

extension Session {
  /// The goal that `--goal` names: absent where it is not there, null for `none`.
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
