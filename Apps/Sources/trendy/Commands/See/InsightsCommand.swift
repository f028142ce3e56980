import CommandSupport
import TrendyInsights
import TrendyModels

struct InsightsCommand: Command {
  static let spec = CommandSpec(
    "insights", .optional("number", .number),
    summary: "Show correlations, trends, habits and overdue entries.", group: .review,
    examples: ["insights", "insights 1", "insights --json"],
    options: [OptionSpec("--refresh", help: "recompute from all entries instead of using cached counts")]
      + TypeHistories.optionsOfMany,
    columns: ["finding or day", "type or its count", "other type or its count", "figure"])

  enum Answer {
    case all(FoundInsights)
    case one(RelationDays)
  }

  private let number: Int?

  init(_ session: Session) throws {
    let most = CorrelationSearch.most
    number = try session.arguments.positionals.first.map { text in
      guard let number = Int(text), (1...most).contains(number) else {
        throw session.usageError(
          "Invalid number '\(text)'", hint: "Use a number from the list of 'trendy insights', 1 to \(most).")
      }
      return number
    }
  }

  func act(_ session: Session) throws -> Answer {
    let found = try FoundInsights(TypeHistories(session))
    guard let number else { return .all(found) }
    guard let days = found.days(ofRelation: number - 1) else {
      let count = found.search.strongest.count
      throw CommandError(
        count == 0 ? "No correlations found" : "Correlation \(number) not found: the list ends at \(count)",
        hint: "Run 'trendy insights' to list them.", exit: .notFound)
    }
    return .one(days)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    switch answer {
    case .all(let found): InsightsText(found, session.local).show(session.console)
    case .one(let days): RelationPicture(days).show(session.console)
    }
    return .done
  }
}
